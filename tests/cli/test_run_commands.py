"""From two files to a run, and every command that takes a run."""

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

WORDS = {"dog": "Hund", "cat": "Kater", "king": "König", "boy": "Junge", "runs": "läuft", "sings": "singt"}
SMALL = [f"model.{name}={size}" for name, size in {"d_model": 16, "d_ff": 32, "num_heads": 2}.items()]
SMALL += ["model.num_encoder_layers=1", "model.num_decoder_layers=1", "tokenizer.vocab_size=300"]
SMALL += ["training.tokens_per_batch=256", "training.max_steps=4", "training.checkpoint_every=2"]
SMALL += ["training.validate_every=4", "training.warmup_steps=2", "decoding.max_length_offset=5"]


def write_pairs(folder: Path, count: int) -> tuple[Path, Path]:
    chance = random.Random(1)
    rows = [[chance.choice(list(WORDS)) for _ in range(chance.randint(2, 6))] for _ in range(count)]
    files = folder / "a.en", folder / "a.de"
    files[0].write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    files[1].write_text("".join(" ".join(WORDS[word] for word in row) + "\n" for row in rows), encoding="utf-8")
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_pairs(tmp_path_factory.mktemp("text"), 100)


@pytest.fixture(scope="module")
def trained(command, files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "en-de"
    outcome = command("train", "--train", *files, "--out", out, *SMALL)
    assert outcome.code == 0, outcome.err
    assert "10 pairs held out of" in outcome.err
    assert "Finished at step 4" in outcome.out
    return out


@pytest.mark.backend_independent
def test_the_same_command_again_finds_the_run_finished(command, files, trained: Path) -> None:
    outcome = command("train", "--train", *files, "--out", trained, *SMALL)
    assert outcome.code == 0
    assert "finished already" in outcome.err


def test_as_many_lines_out_as_in_whatever_they_hold(command, trained: Path) -> None:
    outcome = command("translate", trained, "--beam-size", 2, stdin=b"dog runs\n\n\xff cat\nthe king sings")
    assert outcome.code == 0
    assert outcome.out.count("\n") == 4
    assert outcome.out.split("\n")[1] == ""
    assert "standard input: line 3 is not valid UTF-8" in outcome.err


@pytest.mark.backend_independent
def test_n_best_lists_are_numbered_and_sorted(command, trained: Path) -> None:
    outcome = command("translate", trained, "--n-best", 3, stdin=b"dog runs\ncat sings\n")
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    assert [row[0] for row in rows] == ["1"] * 3 + ["2"] * 3
    scores = np.array([float(row[1]) for row in rows]).reshape(2, 3)
    assert (np.diff(scores) <= 0).all()
    with_scores = command("translate", trained, "--scores", stdin=b"dog runs\n").out
    assert with_scores.split("\t")[0] == rows[0][1]


@pytest.mark.backend_independent
def test_cut_lines_are_counted(command, trained: Path) -> None:
    outcome = command("translate", trained, "--beam-size", 1, stdin=b"dog\n" + b"x! " * 600 + b"\n")
    assert outcome.out.count("\n") == 2
    assert "1 line was cut to 512 tokens before translating (line 2)" in outcome.err


@pytest.mark.backend_independent
def test_score_gives_each_pair_what_the_scorer_does(command, files, trained: Path) -> None:
    import keras_transformer as kt

    rows = [line.split("\t") for line in command("score", trained, *files).out.splitlines()]
    corpus, run = kt.ParallelCorpus(*files), kt.Run(trained)
    expected = kt.Scorer(run.model(), run.tokenizer)(corpus.sources, corpus.targets)
    np.testing.assert_allclose([float(row[0]) for row in rows], [pair.log_probability for pair in expected], atol=1e-5)
    assert [int(row[1]) for row in rows] == [pair.tokens for pair in expected]


@pytest.mark.backend_independent
def test_evaluate_with_a_run_is_evaluate_of_its_translations(command, files, trained: Path, tmp_path: Path) -> None:
    saved = tmp_path / "out.de"
    by_run = json.loads(command("evaluate", trained, *files, "--beam-size", 1, "--json", "--save", saved).out)
    by_file = json.loads(command("evaluate", "--hypotheses", saved, "--references", files[1], "--json").out)
    assert by_run == by_file
    assert by_run["sentences"] == 100
    table = command("evaluate", "--hypotheses", files[1], "--references", files[1]).out
    assert "BLEU                           100.00" in table


@pytest.mark.backend_independent
def test_average_measures_before_and_after(command, trained: Path) -> None:
    outcome = command("average", trained, "--last", 2)
    assert outcome.code == 0
    assert "Average of 2 checkpoints (steps 2 to 4)" in outcome.out
    assert command("average", trained, "--last", 9).code == 2


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("short", "one line\n", "100 lines"),
        ("empty", "", "the file is empty"),
        ("binary", "a\0b\n" * 100, "is a binary file"),
        ("bad", "good\n" * 40 + "\n" * 3 + "good\n" * 57, "3 of 100 lines are bad"),
    ],
)
@pytest.mark.backend_independent
def test_a_bad_file_is_one_sentence(command, files, tmp_path: Path, name: str, content: str, sentence: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    outcome = command("train", "--train", files[0], path, "--out", tmp_path / "run", *SMALL)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert str(path) in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.backend_independent
def test_a_missing_file_a_folder_and_a_denied_folder_are_sentences(command, files, tmp_path: Path) -> None:
    missing = command("train", "--train", files[0], tmp_path / "no", "--out", tmp_path / "run", *SMALL)
    folder = command("train", "--train", files[0], tmp_path, "--out", tmp_path / "run", *SMALL)
    assert "there is no such file" in missing.err
    assert "is a folder, expected a text file" in folder.err
    blocked = tmp_path / "file"
    blocked.touch()
    denied = command("train", "--train", *files, "--out", blocked / "run", *SMALL)
    assert "Cannot write into the output folder" in denied.err
    assert [missing.code, folder.code, denied.code] == [2, 2, 2]


@pytest.mark.backend_independent
def test_a_start_that_failed_does_not_bind_the_next_one(command, files, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert "Did you mean" in command("train", "--dataset", "phrase", "--out", out, *SMALL).err.replace("did", "Did")
    outcome = command("train", "--train", *files, "--out", out, *SMALL, "training.max_steps=1")
    assert outcome.code == 0, outcome.err


@pytest.mark.tensorflow_backend
def test_export_lands_below_its_name(command, trained: Path, tmp_path: Path) -> None:
    outcome = command("export", trained, "--out", tmp_path, "--beam-size", 1, "--sample", "dog runs")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "en-de" / "1" / "saved_model.pb").exists()
    assert command("export", trained, "--out", tmp_path, "--version", 1).code == 2
    assert command("export", trained, "--name", "7").err.startswith("keras-transformer: The model name '7'")
    assert "--format ctranslate2" in command("export", trained, "--quantization", "int8").err


@pytest.mark.tensorflow_backend
@pytest.mark.skipif(find_spec("ctranslate2") is None, reason="needs the package ctranslate2: extra `ctranslate2`")
def test_export_for_ctranslate2_is_compared_on_the_held_out_pairs(command, trained: Path, tmp_path: Path) -> None:
    outcome = command("export", trained, "--format", "ctranslate2", "--out", tmp_path, "--beam-size", 1)
    assert outcome.code == 0, outcome.err
    assert "on 10 sentences, computing in float32: 10 translations identical" in outcome.out
    assert "BLEU: " in outcome.out
    assert (tmp_path / "en-de-ctranslate2" / "float32" / "model.bin").exists()
    again = command("export", trained, "--format", "ctranslate2", "--out", tmp_path)
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.backend_independent
def test_a_reader_that_goes_away_ends_translate_quietly(trained: Path) -> None:
    code = "import sys; sys.argv[0] = 'keras-transformer'\nfrom keras_transformer.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "translate", str(trained), "--beam-size", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
    )
    process.stdout.close()
    _, errors = process.communicate(b"dog runs\n" * 3, timeout=120)
    assert errors == b""
    assert process.returncode == 141
