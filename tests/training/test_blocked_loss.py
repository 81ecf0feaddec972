"""The loss in blocks: the same sum and the same gradients as from all logits, on each backend."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer import LabelSmoothedCrossEntropy, TokenAccuracy, Transformer
from keras_transformer.errors import InputError
from keras_transformer.layers import TokenEmbedding
from keras_transformer.training.blocked_loss import blocked_cross_entropy

RNG = np.random.default_rng(5)


def definition(vectors, kernel, targets, weights, eps):
    """Sum and gradients in float64, from a one-hot target."""
    vectors, kernel, weights = (x.astype("float64") for x in (vectors, kernel, weights))
    logits = vectors @ kernel
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    p = exponentials / exponentials.sum(-1, keepdims=True)
    q = np.full(p.shape, eps / p.shape[-1])
    q[np.arange(len(targets)), targets] += 1 - eps
    gradient = weights[:, None] * (p - q)
    return -(weights[:, None] * q * np.log(p)).sum(), gradient @ kernel.T, vectors.T @ gradient


def value_and_gradients(function, *arrays, compiled=True):
    """On the current backend; in TensorFlow's graph the number of rows is open."""
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        def run(*inputs):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                value = function(*inputs)
            return value, tape.gradient(value, inputs)

        inputs = [tf.constant(x) for x in arrays]
        signature = [tf.TensorSpec((None, arrays[0].shape[1])), tf.TensorSpec(arrays[1].shape)]
        value, gradients = (tf.function(run, signature) if compiled else run)(*inputs)
    elif keras.backend.backend() == "jax":
        import jax

        numbers = tuple(range(len(arrays)))
        run = jax.value_and_grad(function, argnums=numbers)
        value, gradients = (jax.jit(run) if compiled else run)(*arrays)
    else:
        inputs = [ops.convert_to_tensor(x).detach().requires_grad_(True) for x in arrays]
        value = function(*inputs)
        value.backward()
        value, gradients = value.detach(), [x.grad for x in inputs]
    return float(value), [ops.convert_to_numpy(ops.cast(g, "float32")) for g in gradients]


def batch(count, d_model=6, size=13):
    vectors = RNG.normal(size=(count, d_model)).astype("float32")
    kernel = RNG.normal(size=(d_model, size)).astype("float32")
    weights = RNG.uniform(0.1, 1.0, count).astype("float32") / count
    weights[1] = 0
    return vectors, kernel, RNG.integers(0, size, count).astype("int32"), weights


@pytest.mark.parametrize("eps", [0.0, 0.1])
@pytest.mark.parametrize(("count", "rows", "compiled"), [(11, 4, True), (12, 4, False), (5, 5, True), (7, 1, True)])
def test_equals_the_definition_whatever_the_blocks(count, rows, compiled, eps):
    vectors, kernel, targets, weights = batch(count)
    expected = definition(vectors, kernel, targets, weights, eps)
    value, gradients = value_and_gradients(
        lambda x, k: 3.0 * blocked_cross_entropy(x, k, targets, weights, eps, rows), vectors, kernel, compiled=compiled
    )
    assert value == pytest.approx(3.0 * expected[0], rel=1e-6)
    for gradient, wanted in zip(gradients, expected[1:], strict=True):
        np.testing.assert_allclose(gradient, 3.0 * wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())
    assert not gradients[0][1].any()
    forward = blocked_cross_entropy(vectors, kernel, targets, weights, eps, rows, gradients=False)
    assert float(forward) == pytest.approx(expected[0], rel=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_keeps_small_gradients(dtype):
    vectors, kernel, targets, weights = batch(64, size=300)
    weights *= 2**-14  # float16 ends at 2^-24: a gradient must not be stored in the size of its weight
    low = ops.convert_to_numpy(ops.cast(ops.cast(vectors, dtype), "float32"))
    expected = definition(low, kernel, targets, weights, 0.1)
    value, gradients = value_and_gradients(
        lambda x, k: 2.0**14 * blocked_cross_entropy(ops.cast(x, dtype), k, targets, weights, 0.1, 20), vectors, kernel
    )
    assert value == pytest.approx(2.0**14 * expected[0], rel=0.01)
    for gradient, wanted in zip(gradients, expected[1:], strict=True):
        np.testing.assert_allclose(gradient, 2.0**14 * wanted, atol=0.02 * 2.0**14 * np.abs(wanted).max())


def test_weights_of_zero_give_zero():
    vectors, kernel, targets, _ = batch(9)
    value, gradients = value_and_gradients(
        lambda x, k: blocked_cross_entropy(x, k, targets, np.zeros(9, "float32"), 0.1, 4), vectors, kernel
    )
    assert value == 0.0
    assert not any(gradient.any() for gradient in gradients)


def pairs(rows=4, size=30):
    source = RNG.integers(3, size, (rows, 5)).astype("int32")
    target = RNG.integers(3, size, (rows, 7)).astype("int32")
    weights = np.ones((rows, 7), "float32")
    target[0, 4:], weights[0, 4:] = 0, 0
    target_in = np.concatenate([np.ones((rows, 1), "int32"), target[:, :-1]], axis=1)
    return (source, target_in), target, weights / weights.sum()


def compiled_model(block_rows, tie="three-way", model=Transformer, metrics=None, eager=False, **options):
    keras.utils.set_random_seed(1)
    small = {"d_model": 8, "num_heads": 2, "d_ff": 16, "num_encoder_layers": 1, "num_decoder_layers": 1}
    made = model(vocab_size=30, tie_embeddings=tie, **small, **options)
    loss = LabelSmoothedCrossEntropy(0.1, block_rows=block_rows)
    made.compile(optimizer=keras.optimizers.Adam(0.01), loss=loss, metrics=metrics, run_eagerly=eager)
    return made


def after_fitting(model, data):
    history = model.fit(*data[:2], sample_weight=data[2], batch_size=4, epochs=3, shuffle=False, verbose=0)
    evaluated = model.evaluate(*data[:2], sample_weight=data[2], batch_size=4, verbose=0)
    return [*history.history["loss"], np.ravel(evaluated)[0]], model.get_weights()


@pytest.mark.parametrize("tie", ["three-way", "none"])
def test_fit_is_the_same_with_and_without_blocks(tie):
    data = pairs()
    plain, weights = after_fitting(compiled_model(None, tie), data)
    blocked, same_weights = after_fitting(compiled_model(6, tie), data)
    np.testing.assert_allclose(blocked, plain, rtol=1e-6)
    for one, other in zip(weights, same_weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=2e-5)


def test_the_model_makes_logits_wherever_somebody_sees_them(monkeypatch):
    data, seen, logits = pairs(), [], TokenEmbedding.logits
    monkeypatch.setattr(TokenEmbedding, "logits", lambda self, x: seen.append(x.shape) or logits(self, x))

    class OwnLoss(Transformer):
        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
            assert y_pred.shape[-1] == 30
            return super().compute_loss(x, y, y_pred, sample_weight, training)

    model = compiled_model("auto", eager=True)
    model.train_on_batch(*data)
    seen.clear()
    model.train_on_batch(*data)
    assert not seen  # in `fit` nobody does
    assert model.predict_on_batch(data[0]).shape == (4, 7, 30)
    assert seen
    for other in (
        compiled_model("auto", eager=True, metrics=[TokenAccuracy()]),
        compiled_model(None, eager=True),
        compiled_model("auto", model=OwnLoss, eager=True),
        compiled_model("auto", eager=True, scheduled_sampling=0.5),
    ):
        seen.clear()
        assert np.isfinite(np.ravel(other.train_on_batch(*data))).all()
        assert seen


class Cooler(Transformer):
    def _logits(self, x):
        return 0.5 * super()._logits(x)


class CoolerCall(Transformer):
    def call(self, inputs, training=None):
        return 0.5 * super().call(inputs, training=training)


class CoolerEmbedding(TokenEmbedding):
    def logits(self, inputs):
        return 0.5 * super().logits(inputs)


class CoolerInPlace(Transformer):
    def __init__(self, **fields):
        super().__init__(**fields)
        self.embedding.__class__ = CoolerEmbedding


@pytest.mark.parametrize("model", [Cooler, CoolerCall, CoolerInPlace])
def test_a_model_that_makes_other_logits_is_trained_on_them(model):
    data = pairs()
    plain, blocked = (compiled_model(rows, model=model).train_on_batch(*data) for rows in (None, "auto"))
    np.testing.assert_allclose(blocked, plain, rtol=1e-6)


@pytest.mark.backend_independent
@pytest.mark.parametrize("block_rows", [0, -1, True, "many", 1.5])
def test_refuses_blocks_that_are_none(block_rows):
    with pytest.raises(InputError, match="block_rows is"):
        LabelSmoothedCrossEntropy(block_rows=block_rows)
    assert LabelSmoothedCrossEntropy.from_config(LabelSmoothedCrossEntropy(block_rows=7).get_config()).block_rows == 7
