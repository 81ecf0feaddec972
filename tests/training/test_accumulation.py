"""Several batches to an update: the update of one large batch, and a run that counts updates."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.models import Transformer
from keras_transformer.text import TokenBatches, Tokenizer
from keras_transformer.training.checkpoints import latest_checkpoint
from keras_transformer.training.files import read_json
from keras_transformer.training.found import with_found
from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.prepare import prepare
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.schedule import TransformerSchedule, paper_adam
from keras_transformer.training.settings import PAPER_TOKENS
from keras_transformer.training.state import model_state
from keras_transformer.training.trainer import train
from tests.training.small_run import MODEL, small_config, small_corpus

PARTS = 3


@pytest.fixture(scope="module")
def batches() -> TokenBatches:
    corpus = small_corpus(60, 1)
    return TokenBatches(corpus, Tokenizer.train(corpus, 297), 48, seed=1, num_buckets=1, accumulate=PARTS)


def one_large(parts: list[Any]) -> Any:
    """The batches' rows as one batch, each token weighing the same."""
    flat = [(*inputs, targets) for inputs, targets, _ in parts]
    source, target_in, target_out = (_stack(arrays) for arrays in zip(*flat, strict=True))
    real = (target_out != 0).astype("float32")
    return (source, target_in), target_out, real / real.sum()


def _stack(arrays: Any) -> np.ndarray:
    width = max(array.shape[1] for array in arrays)
    return np.concatenate([np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays])


def trained(batches: list[Any], accumulate: int | None) -> dict[str, np.ndarray]:
    keras.utils.set_random_seed(1)
    model = Transformer(**{**MODEL, "dropout": 0.0}, vocab_size=297)
    schedule = TransformerSchedule(16, 10, 0.05, gradient_accumulation_steps=accumulate or 1)
    model.compile(
        optimizer=paper_adam(schedule, epsilon=1e-4, gradient_accumulation_steps=accumulate),
        loss=LabelSmoothedCrossEntropy(0.1),
    )
    for inputs, targets, weights in batches:
        model.train_on_batch(inputs, targets, sample_weight=weights)
    return model_state(model, optimizer=False)


def test_accumulated_batches_update_as_one_large_batch(batches: TokenBatches) -> None:
    parts = [batches.batch(step) for step in range(2 * PARTS)]
    assert len({int((part[1] != 0).sum()) for part in parts}) > 1, "of as many tokens each, a mean of means would do"
    apart = trained(parts, PARTS)
    whole = trained([one_large(parts[:PARTS]), one_large(parts[PARTS:])], None)
    start = trained([], None)
    for name, array in whole.items():
        np.testing.assert_allclose(apart[name], array, rtol=1e-4, atol=1e-5, err_msg=name)
    assert any(np.abs(array - start[name]).max() > 1e-3 for name, array in whole.items())


@pytest.mark.backend_independent
def test_the_weights_of_an_update_add_up_to_its_batches(batches: TokenBatches) -> None:
    around = range(3 * batches.steps_per_epoch // PARTS)  # updates that straddle the end of an epoch too
    for update in around:
        parts = [batches.batch(PARTS * update + place) for place in range(PARTS)]
        weights = np.concatenate([part[2][part[2] > 0] for part in parts])
        assert weights.sum() == pytest.approx(PARTS)
        assert weights.max() == pytest.approx(weights.min())


@pytest.mark.tensorflow_backend
def test_an_accumulating_run_counts_updates_and_continues_exactly(tmp_path: Path) -> None:
    settings = {"accumulate": 2, "cooldown_steps": 0, "checkpoint_every": 6}
    for name, steps in (("whole", 12), ("parts", 6), ("parts", 12)):
        train(small_config(**settings, max_steps=steps), tmp_path / name, train_corpus=small_corpus(200, 1), quiet=True)
    whole, parts = (latest_checkpoint(tmp_path / name / "checkpoints")[0] for name in ("whole", "parts"))
    assert whole is not None
    assert parts is not None
    assert whole.step == parts.step == 12
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(parts.arrays[name], array, err_msg=name)
    (iterations,) = [array for name, array in whole.arrays.items() if name.endswith("/iteration")]
    assert iterations == 24
    lines = (tmp_path / "parts" / "metrics.jsonl").read_text().splitlines()
    rates = [json.loads(line) for line in lines if '"train"' in line]
    assert [(line["step"], line["learning_rate"]) for line in rates] == [
        (step, pytest.approx(0.01 * step / 20)) for step in (4, 8, 12)
    ]


@pytest.mark.tensorflow_backend
def test_auto_halves_the_batch_until_it_fits(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    limit = 1.9  # GiB; about 1 is there before the first layer
    held = np.ones(2 * 2**30, "uint8")  # of this process, which the trial's is not to count
    config = small_config("training.tokens_per_batch=auto", f"training.memory_gib={limit}", "model.d_ff=4096")
    files = RunFiles(tmp_path / "run")
    files.create()
    with Reporter() as reporter:
        found = prepare(files, config, reporter, small_corpus(9_000, 1), small_corpus(6, 2)).config.training
    said = capfd.readouterr().err
    assert held[-1]
    assert f"25,000 target tokens at once: does not fit into {limit} GiB" in said
    assert found.accumulate in (2, 4, 8)
    assert found.accumulate * found.tokens_per_batch == PAPER_TOKENS
    assert f"training.accumulate={found.accumulate} training.tokens_per_batch={found.tokens_per_batch}" in said
    kept = {"tokens_per_batch": found.tokens_per_batch, "accumulate": found.accumulate}
    assert read_json(files.data)["found"] == kept
    assert with_found(files, config).training == found


@pytest.mark.tensorflow_backend
def test_auto_says_when_nothing_fits(tmp_path: Path) -> None:
    config = small_config("training.tokens_per_batch=auto", "training.memory_gib=0.05")
    with pytest.raises(InputError, match="Not even 781 target tokens at once fit into memory"):
        train(config, tmp_path / "run", train_corpus=small_corpus(50, 1), valid_corpus=None, quiet=True)
    assert not (tmp_path / "run" / "checkpoints").exists()


@pytest.mark.backend_independent
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tokens_per_batch": "much"}, "is 'much', expected a whole number of at least 1, or auto"),
        ({"tokens_per_batch": 0}, "is 0, expected a whole number"),
        ({"tokens_per_batch": "auto", "accumulate": 2}, "training.accumulate=2 is what"),
        ({"accumulate": 2, "replicas": 2}, "training.replicas=2 does not accumulate"),
        ({"tokens_per_batch": "auto", "replicas": 2}, "training.replicas=2 does not accumulate"),
    ],
)
def test_settings_that_do_not_go_together(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small_config(**settings)
