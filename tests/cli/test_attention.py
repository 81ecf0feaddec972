"""`keras-transformer attention` prints, draws and writes what the run's own translator attends to."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics import head_table, record_attention
from keras_transformer.training.run_files import RunFiles
from tests.diagnostics.attention_cases import SENTENCE, lively, tokenizer
from tests.training.small_run import small_config

pytestmark = pytest.mark.backend_independent

ALL = ["cross.png", "decoder.png", "encoder.png"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run leaves, without the training."""
    files = RunFiles(tmp_path_factory.mktemp("runs") / "en-de")
    files.create()
    files.config.write_text(small_config().to_yaml(), encoding="utf-8")
    tokenizer().save(files.tokenizer)
    files.model("best").parent.mkdir()
    lively(num_decoder_layers=1).save(files.model("best"))
    return files.directory


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_translation_table_and_pictures(command: Any, run: Path, tmp_path: Path) -> None:
    outcome = command("attention", run, SENTENCE)
    assert outcome.code == 0, outcome.err
    assert names(run / "attention") == ALL
    translator = kt.Run(run).translator()
    record = record_attention(translator.model, translator.tokenizer, SENTENCE, translator=translator)
    lines = outcome.out.rstrip("\n").split("\n")
    assert lines[:2] == [SENTENCE, record.translation]
    assert head_table(record) in outcome.out
    assert lines[-3:] == [f"wrote {run / 'attention' / name}.png" for name in ("encoder", "decoder", "cross")]


def test_a_page_alone_and_chosen_pictures(command: Any, run: Path, tmp_path: Path) -> None:
    given = ("attention", run, SENTENCE, "--translation", "heute läuft ein Hund")
    page = tmp_path / "new" / "page.html"
    outcome = command(*given, "--html", page)
    assert (outcome.code, names(tmp_path)) == (0, ["new"])
    assert outcome.out.splitlines()[1] == "heute läuft ein Hund"
    assert "translation given" in page.read_text(encoding="utf-8")
    assert command(*given, "--out", tmp_path / "a.png", "--kind", "cross", "--layer", 1, "--html", page).code == 0
    assert command(*given, "--out", tmp_path / "b.png").code == 0
    assert command(*given, "--out", tmp_path / "c").code == 0
    assert names(tmp_path) == ["a.png", "b-cross.png", "b-decoder.png", "b-encoder.png", "c", "new"]
    assert names(tmp_path / "c") == ALL


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["a dog", "--kind", "self"], "--kind is 'self'; expected encoder, decoder or cross"),
        (["a dog", "--translation", "a", "--kind", "cross", "--layer", "2"], "--layer is 2 and there are 1 layers"),
        ([" "], "no piece to attend to"),
        (["a dog", "--translation", "a", "--out", "map.txt", "--kind", "cross"], "use .png"),
        (["a dog", "--model", "average"], "There is no model"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(command: Any, run: Path, tmp_path: Path, options: Any, words: str) -> None:
    outcome = command("attention", run, *options)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_table_tells_of_padding_where_there_is_some() -> None:
    record = record_attention(lively(num_heads=16), tokenizer(), "a dog", "ein Hund")
    table = head_table(record).splitlines()
    assert len(table) == 1 + 1 + 2 + 2 + 2
    assert [float(cell) for cell in table[2].split()[3:]] == pytest.approx(record.entropy["decoder"][0], abs=0.006)
    record.padding_mass["cross"][1, 3] = 0.25
    table = head_table(record).splitlines()
    assert table[7].startswith("mass on padding")
    assert np.count_nonzero([float(cell) for cell in table[12].split()[3:]]) == 1
