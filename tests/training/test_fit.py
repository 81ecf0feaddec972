"""The pieces in a stock Keras script: compile, fit, evaluate, save, load, go on."""

import keras
import numpy as np
import pytest

from keras_transformer.models import Transformer
from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.state import model_state
from tests.training.copy_task import copy_batch, copy_batches, quick_model, small_model


def test_stock_fit_learns_to_copy():
    keras.utils.set_random_seed(1)
    model = small_model(dropout=0.05, d_model=32)
    history = model.fit(copy_batches(rows=64), steps_per_epoch=75, epochs=3, shuffle=False, verbose=0).history
    assert history["token_accuracy"][2] > 0.9 > 0.7 > history["token_accuracy"][0]
    assert 1.0 < history["perplexity"][2] < 1.6 < history["perplexity"][0]
    assert history["loss"][2] < history["loss"][1] < history["loss"][0]


@pytest.mark.tensorflow_backend
def test_the_graph_of_a_step_is_made_once(monkeypatch):
    """Variables of the optimizer that are made inside it would have TensorFlow make it twice."""
    traces, step = [], Transformer.train_step
    monkeypatch.setattr(Transformer, "train_step", lambda self, data: traces.append(data) or step(self, data))
    model = small_model(d_model=8)
    assert not model.optimizer.built
    inputs, targets, weights = copy_batch(1)
    model.fit(inputs, targets, sample_weight=weights, batch_size=16, epochs=2, verbose=0)
    assert len(traces) == 1


def test_reported_loss_is_the_mean_over_real_tokens():
    model = quick_model()
    (_, inputs), targets, weights = copy_batch(1)
    logs = model.evaluate(inputs, targets, sample_weight=weights, batch_size=16, return_dict=True, verbose=0)
    logits = keras.ops.convert_to_numpy(model(inputs)).astype("float64")
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    smoothed = -0.9 * np.take_along_axis(log_p, targets[..., None], -1)[..., 0] - 0.1 * log_p.mean(-1)
    assert logs["loss"] == pytest.approx(smoothed[targets != 0].mean(), rel=1e-5)


def test_compiled_model_is_the_same_after_loading(tmp_path):
    """All but the state of dropout, which Keras leaves out of a .keras file and our checkpoints keep."""
    model = small_model(dropout=0.1)
    rng = np.random.default_rng(0)
    for _ in range(2):
        gradients = [rng.normal(size=w.shape).astype("float32") for w in model.trainable_variables]
        model.optimizer.apply([keras.ops.convert_to_tensor(g) for g in gradients], model.trainable_variables)
    path = tmp_path / "model.keras"
    model.save(path)
    loaded = keras.models.load_model(path, safe_mode=True)

    assert isinstance(loaded, Transformer)
    assert isinstance(loaded.loss, LabelSmoothedCrossEntropy)
    assert loaded.get_compile_config() == model.get_compile_config()
    before, after = model_state(model), model_state(loaded)
    assert list(before) == list(after)
    for name in before:
        if name.startswith(("model/", "optimizer/")) and "seed_generator" not in name:
            np.testing.assert_array_equal(after[name], before[name], err_msg=name)
    assert float(loaded.optimizer.learning_rate) == pytest.approx(3 / 50 * 1e-2, rel=1e-6)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_half_precision_policies_train(policy):
    model = quick_model(dtype=policy)
    losses = []
    for step in range(40):
        (_, target_in), targets, weights = copy_batch(step % 2)
        logs = model.train_on_batch(target_in, targets, sample_weight=weights, return_dict=True)
        losses.append(float(logs["loss"]))
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0] - 0.1
