"""What the trainer does on the way, and what it refuses."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import list_checkpoints, load_checkpoint
from keras_transformer.training.files import read_json
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.run_state import RunState
from keras_transformer.training.trainer import train
from keras_transformer.training.validation import Validation, Validator
from tests.training import small_run
from tests.training.small_run import small_config, small_corpus, small_train

# What the trainer decides does not depend on the backend; what the backends do is in test_resume.py and test_run.py.
once = pytest.mark.backend_independent


def lines(run: Path, kind: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line for line in read if line["kind"] == kind]


def script(monkeypatch: pytest.MonkeyPatch, bleus: list[float]) -> None:
    """Let validations give these BLEUs, the last one for good, without decoding."""
    left = list(bleus)

    def measure(self: Validator) -> Validation:
        bleu = left.pop(0) if len(left) > 1 else left[0]
        scores = {"bleu": bleu, "chrf": bleu, "perplexity": 9.0, "accuracy": 0.5, "sentences": 1, "beam_size": 1}
        return Validation({**scores, "bleu_signature": "s", "chrf_signature": "s"}, [])

    monkeypatch.setattr(Validator, "measure", measure)


def test_a_run_learns_and_leaves_everything(finished_run: Path) -> None:
    names = {path.name for path in finished_run.iterdir()}
    assert {"config.yaml", "tokenizer.model", "checkpoints", "best", "average", "logs", "metrics.jsonl"} <= names
    losses = [line["loss"] for line in lines(finished_run, "train")]
    assert losses[-1] < losses[0] - 1.0
    assert {"learning_rate", "tokens_per_second", "seconds"} <= lines(finished_run, "train")[0].keys()
    validations = lines(finished_run, "validation")
    assert [line["step"] for line in validations] == [15, 30]
    assert validations[-1]["perplexity"] < validations[0]["perplexity"] < 297
    assert 0 < validations[-1]["accuracy"] < 1
    assert validations[-1]["bleu_signature"].startswith("nrefs:1|case:mixed")
    assert list((finished_run / "logs").iterdir())


def test_the_learning_rate_shown_is_the_papers_with_a_cool_down(finished_run: Path) -> None:
    shown = {line["step"]: line["learning_rate"] for line in lines(finished_run, "train")}
    assert shown[4] == pytest.approx(0.01 * 4 / 20, rel=1e-5)
    assert shown[20] == pytest.approx(0.01, rel=1e-5)
    assert shown[24] == pytest.approx(0.01 * (20 / 24) ** 0.5, rel=1e-5)
    assert shown[28] < shown[24] * 0.7


def test_a_finished_run_does_nothing(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run, run)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    result = small_train(run, max_steps=30, cooldown_steps=5)
    changed = {path.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed <= {"config.yaml", ".lock"}
    assert (result.step, result.reason, result.exit_code) == (30, "max_steps", 0)
    assert result.score == read_json(run / "best" / "score.json")
    assert "BLEU" in str(result)


@once
def test_raising_max_steps_trains_on(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run, run)
    result = small_train(run, max_steps=34, cooldown_steps=5)
    assert result.step == 34
    assert [line["step"] for line in lines(run, "train")] == [4, 8, 12, 16, 20, 24, 28, 32]
    assert len(lines(run, "final")) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"warmup_steps": 7}, r"training\.warmup_steps \(20 there, 7 now\)"),
        ({"seed": 3, "precision": "float32"}, "seed"),
    ],
)
@once
def test_another_configuration_is_refused(finished_run: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        small_train(finished_run, max_steps=30, cooldown_steps=5, **change)
    with pytest.raises(InputError, match=r"model\.d_model \(16 there, 32 now\)"):
        small_train(finished_run, "model.d_model=32", max_steps=30, cooldown_steps=5)


@once
def test_other_pairs_are_refused(finished_run: Path) -> None:
    config = small_config(max_steps=40, cooldown_steps=5)
    before = (finished_run / "config.yaml").read_text()
    with pytest.raises(InputError, match="other training pairs"):
        train(config, finished_run, train_corpus=small_corpus(200, 5), valid_corpus=small_corpus(6, 2), quiet=True)
    (finished_run / "config.yaml").write_text(before)


@once
def test_best_is_kept_and_patience_ends_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(monkeypatch, [10.0, 30.0, 20.0, 29.0, 1.0])
    result = small_train(tmp_path / "run", validate_every=5, patience=2, checkpoint_every=5)
    assert (result.reason, result.step) == ("patience", 20)
    assert (result.score["which"], result.score["step"], result.score["bleu"]) == ("step", 10, 30.0)
    best = keras.saving.load_model(tmp_path / "run" / "best" / "model.keras", compile=False)
    checkpoint = next(path for path in list_checkpoints(tmp_path / "run" / "checkpoints") if path.name.endswith("10"))
    saved = load_checkpoint(checkpoint).arrays
    for weight in best.weights:
        array = keras.ops.convert_to_numpy(weight)
        same = [name for name, value in saved.items() if value.shape == array.shape and np.array_equal(value, array)]
        assert same, f"{weight.path} is not of step 10"


@pytest.mark.parametrize(("after", "chosen"), [(31.0, "average"), (29.0, "step")])
@once
def test_the_better_of_best_and_average_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: float, chosen: str
) -> None:
    script(monkeypatch, [30.0, 25.0, after])
    result = small_train(tmp_path / "run", max_steps=20, checkpoint_every=5, validate_every=10)
    assert result.score["which"] == read_json(tmp_path / "run" / "best" / "score.json")["which"] == chosen
    assert (result.average.steps, result.average.bleu_before, result.average.bleu_after) == ((10, 15, 20), 25.0, after)
    assert result.average.chosen == (chosen == "average")
    average = keras.saving.load_model(tmp_path / "run" / "average" / "model.keras", compile=False)
    members = [load_checkpoint(path).arrays for path in list_checkpoints(tmp_path / "run" / "checkpoints")]
    name = next(name for name in members[0] if name.startswith("model/") and "embedding" in name)
    mean = sum(member[name] for member in members) / 3
    np.testing.assert_allclose(keras.ops.convert_to_numpy(average.weights[0]), mean, rtol=1e-6, atol=1e-7)


@once
def test_a_run_trained_on_keeps_an_average_that_is_still_better(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = {"checkpoint_every": 5, "validate_every": 10, "cooldown_steps": 0}
    script(monkeypatch, [30.0, 25.0, 31.0])
    small_train(tmp_path / "run", max_steps=20, **settings)
    script(monkeypatch, [30.5, 29.0])
    result = small_train(tmp_path / "run", max_steps=25, **settings)
    assert (result.step, result.average.bleu_after, result.average.chosen) == (25, 29.0, False)
    assert (result.score["which"], result.score["step"], result.score["bleu"]) == ("average", 20, 31.0)


def test_the_memory_check_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(monkeypatch, [1.0])
    for name, check in (("with", True), ("without", False)):
        small_train(tmp_path / name, max_steps=6, cooldown_steps=0, average_last=1, memory_check=check)
    first, second = (
        load_checkpoint(list_checkpoints(tmp_path / name / "checkpoints")[-1]).arrays for name in ("with", "without")
    )
    for name, array in first.items():
        np.testing.assert_allclose(array, second[name], rtol=1e-4, atol=1e-5, err_msg=name)


@once
def test_a_batch_too_large_for_memory_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fit(*_: Any, **__: Any) -> None:
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1234 bytes")

    monkeypatch.setattr(keras.Model, "fit", fit)
    with pytest.raises(InputError, match=r"lower training\.tokens_per_batch \(96\)"):
        small_train(tmp_path / "run", memory_check=True)


@once
def test_a_loss_that_is_not_finite_stops_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"The loss is (nan|inf) at step \d+.*peak_learning_rate"):
        small_train(tmp_path / "run", peak_learning_rate=1e30, validate_every=1000)
    for path in list_checkpoints(tmp_path / "run" / "checkpoints"):
        assert all(np.isfinite(array).all() for array in load_checkpoint(path).arrays.values())


@once
def test_max_minutes_ends_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(monkeypatch, [1.0])
    result = small_train(tmp_path / "run", max_minutes=0.0001, average_last=1)
    assert result.reason == "max_minutes"
    assert 0 < result.step < 60
    assert small_train(tmp_path / "run", max_minutes=0.0001, average_last=1).step == result.step


@once
def test_without_validation_pairs_the_average_is_the_model(tmp_path: Path) -> None:
    config = small_config(max_steps=20, checkpoint_every=10)
    result = train(config, tmp_path / "run", train_corpus=small_corpus(200, 1), quiet=True)
    assert result.score == {"which": "average", "step": 20, "steps": [10, 20]}
    assert (tmp_path / "run" / "best" / "model.keras").is_file()
    assert not lines(tmp_path / "run", "validation")


@once
def test_pairs_in_both_training_and_validation_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script(monkeypatch, [1.0])
    config, pairs = small_config(max_steps=1, cooldown_steps=0, average_last=1), small_corpus(200, 1)
    train(config, tmp_path / "run", train_corpus=pairs, valid_corpus=small_corpus(200, 1))
    assert "200 of 200 validation pairs are training pairs" in capsys.readouterr().err


@once
def test_a_folder_with_other_files_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"thesis\.tex and is not a run"):
        small_train(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@once
def test_a_folder_without_permission_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "touch", refuse)  # no real folder: root may write everywhere
    with pytest.raises(InputError, match=r"Cannot write into the output folder .*run: Permission denied; choose"):
        small_train(tmp_path / "run")


@once
def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(InputError, match="Cannot write into the output folder"):
        small_train(tmp_path / "run")


@once
def test_two_processes_do_not_train_in_one_folder(tmp_path: Path) -> None:
    files = RunFiles(tmp_path / "run")
    files.create()
    with files.lock(), pytest.raises(InputError, match="Another process is training"):
        small_train(tmp_path / "run")


@once
def test_nothing_to_train_on_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"data\.train.*data\.dataset"):
        train(small_config(), tmp_path / "run", quiet=True)


@pytest.mark.backend_independent
def test_of_equal_bleu_the_lower_perplexity_is_better() -> None:
    state = RunState()
    noted = [state.note_validation(*pair) for pair in ((0.0, 90.0), (0.0, 50.0), (0.0, 60.0), (1.0, 99.0), (0.5, 1.0))]
    assert noted == [True, True, False, True, False]
    assert RunState.from_dict(state.to_dict()) == state


@pytest.mark.tensorflow_backend
def test_two_replicas_train(tmp_path: Path) -> None:
    """In a process of its own: logical devices are made before TensorFlow starts."""
    command = [sys.executable, small_run.__file__, str(tmp_path / "run"), "replicas:2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    losses = [line["loss"] for line in lines(tmp_path / "run", "train")]
    assert losses[-1] < losses[0] - 1.0
    assert [line["step"] for line in lines(tmp_path / "run", "validation")] == [15, 20]
