import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.training.loss import LabelSmoothedCrossEntropy

RNG = np.random.default_rng(7)


def one_hot_definition(targets, logits, weights, eps):
    """The loss as Szegedy et al. define it, in float64."""
    logits = logits.astype("float64")
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    size = logits.shape[-1]
    q = np.full(logits.shape, eps / size)
    np.put_along_axis(q, targets[..., None], 1 - eps + eps / size, axis=-1)
    return -(weights * (q * log_p).sum(-1)).sum()


def value_and_gradient(loss, targets, logits, weights):
    """Loss and its gradient for the logits on the current backend."""
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        x = tf.constant(logits)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(targets, x, sample_weight=weights)
        gradient = tape.gradient(value, x)
    elif keras.backend.backend() == "jax":
        import jax

        value, gradient = jax.jit(jax.value_and_grad(lambda x: loss(targets, x, sample_weight=weights)))(logits)
    else:
        x = ops.convert_to_tensor(logits).detach().requires_grad_(True)
        value = loss(targets, x, sample_weight=weights)
        value.backward()
        gradient = x.grad
        value = value.detach()
    assert keras.backend.standardize_dtype(value.dtype) == "float32"
    return float(value), ops.convert_to_numpy(ops.cast(gradient, "float32")), gradient


def batch(rows=3, length=4, size=11, scale=3.0):
    logits = (scale * RNG.normal(size=(rows, length, size))).astype("float32")
    targets = RNG.integers(0, size, (rows, length)).astype("int32")
    weights = RNG.uniform(0.1, 1.0, (rows, length)).astype("float32")
    weights[0, -2:] = 0
    return targets, logits, weights


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.5])
def test_equals_the_one_hot_definition_and_its_finite_differences(eps):
    targets, logits, weights = batch()
    value, gradient, _ = value_and_gradient(LabelSmoothedCrossEntropy(eps), targets, logits, weights)
    assert value == pytest.approx(one_hot_definition(targets, logits, weights, eps), rel=1e-6)

    numeric, step = np.zeros(logits.shape), 1e-5
    for place in np.ndindex(logits.shape):
        up, down = logits.astype("float64"), logits.astype("float64")
        up[place] += step
        down[place] -= step
        difference = one_hot_definition(targets, up, weights, eps) - one_hot_definition(targets, down, weights, eps)
        numeric[place] = difference / (2 * step)
    np.testing.assert_allclose(gradient, numeric, atol=2e-6)
    assert not gradient[0, -2:].any()


def test_least_at_the_smoothed_distribution():
    eps, size = 0.2, 5
    best = np.full((1, 1, size), eps / size, "float32")
    best[0, 0, 3] += 1 - eps
    loss = LabelSmoothedCrossEntropy(eps)
    _, gradient, _ = value_and_gradient(loss, np.array([[3]]), np.log(best), np.ones((1, 1), "float32"))
    np.testing.assert_allclose(gradient, 0.0, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_huge_logits_stay_finite(dtype):
    logits = np.float32([[[6e4, -6e4, 0.0], [-6e4, -6e4, -6e4]]])
    low = ops.cast(logits, dtype)
    loss = LabelSmoothedCrossEntropy(0.1)
    targets, weights = np.array([[1, 2]]), np.ones((1, 2), "float32")
    value, gradient, raw = value_and_gradient(loss, targets, low, weights)
    exact = ops.convert_to_numpy(ops.cast(low, "float32"))
    assert value == pytest.approx(one_hot_definition(targets, exact, weights, 0.1), rel=1e-6)
    assert np.isfinite(gradient).all()
    assert keras.backend.standardize_dtype(raw.dtype) == dtype


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_logits_are_summed_in_float32(dtype):
    targets, logits, weights = batch(2, 3, 3000, 1.0)
    low = ops.cast(logits, dtype)
    loss = LabelSmoothedCrossEntropy(0.1)
    value, _, _ = value_and_gradient(loss, targets, low, weights)
    exact = ops.convert_to_numpy(ops.cast(low, "float32"))
    assert value == pytest.approx(one_hot_definition(targets, exact, weights, 0.1), rel=1e-6)


def test_ids_survive_a_low_precision_default():
    keras.config.set_floatx("bfloat16")
    try:
        loss = LabelSmoothedCrossEntropy(0.0)
        logits = np.zeros((1, 1, 400), "float32")
        logits[0, 0, 301] = 50.0  # bfloat16 would read id 301 as 302
        assert float(loss(np.array([[301]]), ops.cast(logits, "float32"))) < 1e-6
    finally:
        keras.config.set_floatx("float32")


def test_parts_of_a_batch_add_up_to_the_whole():
    targets, logits, weights = batch(4, 3, 9)
    loss = LabelSmoothedCrossEntropy()
    whole = float(loss(targets, logits, sample_weight=weights))
    parts = [float(loss(targets[i : i + 2], logits[i : i + 2], sample_weight=weights[i : i + 2])) for i in (0, 2)]
    assert sum(parts) == pytest.approx(whole, rel=1e-6)


def test_config_round_trip():
    loss = LabelSmoothedCrossEntropy(0.3, reduction="none", name="smooth")
    copy = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(copy) is LabelSmoothedCrossEntropy
    assert copy.get_config() == loss.get_config()
    targets, logits, _ = batch()
    assert tuple(copy(targets, logits).shape) == targets.shape


@pytest.mark.parametrize("arguments", [{"label_smoothing": 1.0}, {"label_smoothing": -0.1}, {"label_smoothing": "a"}])
def test_bad_smoothing_is_refused(arguments):
    with pytest.raises(InputError, match="label_smoothing"):
        LabelSmoothedCrossEntropy(**arguments)


def test_means_over_padding_are_refused():
    with pytest.raises(InputError, match="reduction"):
        LabelSmoothedCrossEntropy(reduction="sum_over_batch_size")
