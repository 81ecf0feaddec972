"""A run opened again."""

import shutil
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import list_checkpoints, load_checkpoint
from keras_transformer.training.files import read_json
from keras_transformer.training.run import Run
from tests.training.small_run import small_config, small_corpus


def embedding(model: keras.Model) -> np.ndarray:
    return np.array(keras.ops.convert_to_numpy(model.weights[0]))


def in_checkpoint(path: Path) -> np.ndarray:
    arrays = load_checkpoint(path).arrays
    return arrays[next(name for name in arrays if name.startswith("model/0000/"))]


def test_it_gives_back_what_training_left(finished_run: Path) -> None:
    run = Run(finished_run)
    assert run.config == small_config(max_steps=30, cooldown_steps=5)
    assert run.finished
    assert run.tokenizer.vocab_size == run.model().config.vocab_size == 297
    assert run.score == read_json(finished_run / "best" / "score.json")


def test_each_model_has_its_weights(finished_run: Path) -> None:
    run, checkpoints = Run(finished_run), list_checkpoints(finished_run / "checkpoints")
    members = [in_checkpoint(path) for path in checkpoints]
    np.testing.assert_array_equal(embedding(run.model("last")), members[-1])
    np.testing.assert_array_equal(embedding(run.model(checkpoints[0])), members[0])
    np.testing.assert_allclose(embedding(run.model("average")), np.mean(members, axis=0), rtol=1e-5, atol=1e-6)
    path = finished_run / "average" / "model.keras"
    np.testing.assert_array_equal(embedding(run.model(path)), embedding(run.model("average")))
    assert not run.model().compiled


def test_the_translator_has_the_runs_settings(finished_run: Path) -> None:
    translator = Run(finished_run).translator(beam_size=2)
    assert translator.search.beam_size == 2
    assert translator.search.length_penalty == 0.6
    assert translator.search.max_length_offset == 4
    lines = translator(["a b c", "", "d e f a b c"])
    assert len(lines) == 3
    assert lines[1] == ""


def test_what_is_not_there_is_one_sentence(finished_run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run in .*nowhere.*--out"):
        Run(tmp_path / "nowhere")
    shutil.copy(finished_run / "config.yaml", tmp_path / "config.yaml")
    run = Run(tmp_path)
    assert not run.finished
    assert run.score is None
    for attempt, words in (
        (lambda: run.tokenizer, "no tokenizer yet"),
        (run.model, "not finished, type its command again"),
        (lambda: run.model("last"), "no whole checkpoint"),
        (lambda: run.model(tmp_path / "other.keras"), r"no model .*other\.keras"),
    ):
        with pytest.raises(InputError, match=words):
            attempt()


def test_a_damaged_model_is_one_sentence(finished_run: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    path.write_bytes((finished_run / "best" / "model.keras").read_bytes()[:1000])
    with pytest.raises(InputError, match=r"model\.keras cannot be loaded") as error:
        Run(finished_run).model(path)
    assert "\n" not in str(error.value)


def test_averaging_again_measures_before_and_after(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run, run)
    valid = small_corpus(6, 2)
    monkeypatch.setattr("keras_transformer.training.prepare.load_corpora", lambda config: (None, valid))
    result = Run(run).average(2)
    assert result.steps == (20, 30)
    kept = np.mean([in_checkpoint(path) for path in list_checkpoints(run / "checkpoints")[-2:]], axis=0)
    np.testing.assert_allclose(embedding(Run(run).model("average")), kept, rtol=1e-5, atol=1e-6)
    assert read_json(run / "average" / "score.json")["bleu"] == result.bleu_after is not None
    assert result.bleu_before == pytest.approx(_last_bleu(run))
    with pytest.raises(InputError, match=r"Averaging 9 checkpoints.*10, 20, 30"):
        Run(run).average(9)


def _last_bleu(run: Path) -> float:
    import json

    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["bleu"] for line in lines if line["kind"] == "validation"][-1]
