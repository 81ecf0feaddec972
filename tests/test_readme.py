"""What the README and the documentation tell people to type is what there is."""

import re
import shlex
from pathlib import Path

import pytest

from keras_transformer.cli.main import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAIRS = [("the dog runs", "der Hund läuft"), ("the cat sings", "der Kater singt"), ("dogs run", "Hunde laufen")]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.tensorflow_backend
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys) -> None:
    """As written, but with a small model and one epoch."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "v"):
        for side, suffix in enumerate(("en", "de")):
            lines = "".join(f"{PAIRS[index % 3][side]} {index}\n" for index in range(60))
            Path(f"{name}.{suffix}").write_text(lines, encoding="utf-8")
    (code,) = blocks(README, "python")
    small = "d_model=16, d_ff=16, num_heads=2, num_encoder_layers=1, num_decoder_layers=1, "
    for written, smaller in (('"tiny", ', f'"tiny", {small}'), ("vocab_size=8000", "vocab_size=300"), ("=10", "=1")):
        assert written in code
        code = code.replace(written, smaller)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip().splitlines()[-1].startswith("['")
    assert (tmp_path / "saved_models/en-de/1/saved_model.pb").exists()


@pytest.mark.backend_independent
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_shown_is_there(page: Path, capsys) -> None:
    for block in blocks(page.read_text(encoding="utf-8"), "bash"):
        for line in block.replace("&&", "\n").splitlines():
            if "keras-transformer " not in line:
                continue
            words = shlex.split(line, comments=True)
            names = [index for index, word in enumerate(words) if word.endswith("keras-transformer")]
            if names:
                name, *rest = words[names[0] + 1 :]
                assert run([name, "--help"]) == 0
                text = capsys.readouterr().out
                assert all(word in text for word in rest if word.startswith("--"))


@pytest.mark.backend_independent
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
