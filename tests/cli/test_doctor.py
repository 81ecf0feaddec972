"""`keras-transformer doctor`: exit codes, table and JSON, of runs and of files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.training.run_files import RunFiles
from tests.training.small_run import MODEL, small_config, small_corpus

pytestmark = pytest.mark.backend_independent


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("text")
    for side, name in enumerate(("a.en", "a.de")):
        # Each word twice on the second side: as capitals alone it would be a copy of the first.
        words = [pair[side].split() for pair in small_corpus(200, 1)]
        lines = [" ".join(word * (1 + side) for word in line) + "\n" for line in words]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder / "a.en", folder / "a.de"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, text: tuple[Path, Path]) -> Path:
    """What a run leaves, without the training."""
    files = RunFiles(tmp_path_factory.mktemp("runs") / "en-de")
    files.create()
    config = small_config(f"data.train=[{text[0]}, {text[1]}]")
    files.config.write_text(config.to_yaml(), encoding="utf-8")
    tokenizer = kt.Tokenizer.train(small_corpus(200, 1), 297)
    tokenizer.save(files.tokenizer)
    files.model("best").parent.mkdir()
    kt.Transformer(**MODEL, vocab_size=tokenizer.vocab_size).save(files.model("best"))
    return files.directory


def test_a_healthy_run_is_exit_code_0(command: Any, run: Path) -> None:
    outcome = command("doctor", run)
    assert outcome.code == 0, outcome.out + outcome.err
    assert outcome.err == ""
    assert outcome.out.splitlines()[-1].startswith("No fault found; ")
    for check in ("causal mask", "source padding", "target shift", "loss and padding", "one batch by heart"):
        assert any(line.startswith(f" {check} ") and " pass " in line for line in outcome.out.splitlines()), check


def test_a_fault_is_exit_code_1_and_named_in_json(command: Any, run: Path) -> None:
    files = RunFiles(run)
    model = kt.Run(run).model()
    model.embedding.embeddings.assign(np.array(model.embedding.embeddings) * np.nan)
    model.save(files.directory / "broken.keras")
    outcome = command("doctor", run, "--model", files.directory / "broken.keras", "--no-train", "--json")
    assert outcome.code == 1
    found = json.loads(outcome.out)
    assert (found["ok"], "not-finite" in found["faults"]) == (False, True)
    finding = next(each for each in found["findings"] if each["fault"] == "not-finite")
    assert "nor with the start token alone" in finding["evidence"]
    assert "one batch by heart" not in {each["check"] for each in found["findings"]}


def test_files_are_examined_in_place_of_a_run(command: Any, text: tuple[Path, Path], tmp_path: Path) -> None:
    outcome = command("doctor", "--data", *text, "--json")
    assert (outcome.code, json.loads(outcome.out)["ok"]) == (0, True), outcome.out
    shorter = tmp_path / "shorter.de"
    shorter.write_text("".join(text[1].read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    outcome = command("doctor", "--data", text[0], shorter, "--test", *text)
    assert outcome.code == 1
    assert "line-counts-differ" in outcome.out


def test_files_are_read_by_the_tokenizer_of_a_run(command: Any, run: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("".join(f"Ωмега {i} жук\n" for i in range(20)), encoding="utf-8")
    outcome = command("doctor", run, "--data", tmp_path / "a", tmp_path / "b", "--json")
    assert "unknown-characters" in {finding["fault"] for finding in json.loads(outcome.out)["findings"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give the doctor something to examine: RUN, or --data SOURCE TARGET"),
        (["runs/none", "--data", "a.en", "a.de"], "There is no run in runs/none"),
        (["runs/none", "--test", "a.en", "a.de"], "give these with --data"),
        (["runs/none"], "There is no run in runs/none"),
        (["--data", "no.en", "no.de"], "no.en"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(command: Any, arguments: list[str], words: str) -> None:
    outcome = command("doctor", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert outcome.err.count("\n") == 1
