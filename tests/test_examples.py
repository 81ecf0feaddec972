"""Each example runs as its own text says, on small inputs."""

import runpy
import shlex
import sys
from pathlib import Path

import pytest

from keras_transformer.text.datasets import multi30k
from keras_transformer.text.datasets.download import cache_folder

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def run_example(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("name", "arguments", "least"),
    [
        ("text_classifier.py", ("--sentences", 2500, "--epochs", 2), 0.9),  # 0.81 are no questions
        ("image_patches.py", ("--images", 1500, "--epochs", 5), 0.6),  # 0.33 by chance
    ],
)
def test_the_encoder_alone_learns(run_example, name: str, arguments: tuple, least: float) -> None:
    assert float(run_example(name, *arguments).rsplit(maxsplit=1)[-1]) > least


def test_the_decoder_alone_learns_and_writes(run_example) -> None:
    *_, sentence, last = run_example("language_model.py", "--sentences", 1500, "--epochs", 4).strip().splitlines()
    assert float(last.rsplit(maxsplit=1)[-1]) < 120  # of 1000 symbols
    assert sentence.strip()


@pytest.mark.tensorflow_backend
@pytest.mark.parametrize(
    ("part", "ends"),
    [
        ("nothing", "No fault found; "),
        ("padding", "1 failed: source-padding-visible; "),
        ("scale", "2 failed: embedding-not-scaled; "),
    ],
)
def test_the_doctor_names_the_part_that_was_forgotten(run_example, part: str, ends: str) -> None:
    assert run_example("doctor_your_model.py", "--forget", part).strip().splitlines()[-1].startswith(ends)


@pytest.mark.tensorflow_backend
def test_two_files_are_written_and_trained_on(run_example, tmp_path: Path) -> None:
    run_example("write_phrases.py", "a.en", "a.de", "--pairs", 300)
    assert [len((tmp_path / name).read_text("utf-8").splitlines()) for name in ("a.en", "a.de")] == [300, 300]
    output = run_example("train_your_own.py", "a.en", "a.de", "--epochs", 1, "--vocab-size", 400)
    assert "val_perplexity" in output
    assert output.strip().splitlines()[-1].startswith("['")
    assert (tmp_path / "model.keras").exists()


@pytest.mark.tensorflow_backend
def test_multi30k_ends_with_scores_and_a_curve(run_example, tmp_path: Path) -> None:
    folder = cache_folder("multi30k")
    if any(not (folder / name).exists() for name in multi30k._SUMS):
        pytest.skip(f"the Multi30k files are not in {folder} (set KERAS_TRANSFORMER_HOME)")
    small = ("model.d_model=32", "model.num_heads=2", "tokenizer.vocab_size=400", "training.cooldown_steps=0")
    short = ("training.max_steps=2", "training.validate_every=1", "training.validation_sentences=10")
    search = ("decoding.beam_size=1", "decoding.max_length_offset=1")
    lines = run_example("multi30k.py", "--target", "fr", "--out", "run", *small, *short, *search).splitlines()
    assert [line.split()[1:3] for line in lines[:2]] == [["minutes", "BLEU"]] * 2
    assert lines[2].startswith("test_2016 after 0.")
    assert any("lowercased, tokenized" in line for line in lines)
    assert (tmp_path / "run" / "curve.png").stat().st_size > 10_000


@pytest.mark.backend_independent
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_each_example_is_short_and_shows_its_own_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    usage = next(line for line in text.splitlines() if line.startswith("Usage: "))
    assert shlex.split(usage)[1:3] == ["python", f"examples/{path.name}"]
    assert len(text.splitlines()) < 100
