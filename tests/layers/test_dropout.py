"""The noise of dropout: its rate, its independence, and that compiling changes nothing."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.layers.dropout import Dropout, drop, noise
from keras_transformer.layers.residual import Residual

SIZE = 1 << 18


def words(seed):
    return ops.convert_to_numpy(noise((SIZE,), ops.convert_to_tensor(np.array(seed, "int32"))))


def bits(values):
    return (values[:, None] >> np.arange(32, dtype="uint32")) & 1


skip_torch = pytest.mark.skipif(keras.backend.backend() == "torch", reason="PyTorch draws its own noise")


@skip_torch
@pytest.mark.parametrize("other", [(7, 4), (8, 3), (3, 7)], ids=["call", "layer", "swapped"])
def test_noise_is_uniform_and_another_for_each_seed(other):
    first, second = words((7, 3)), words(other)
    deviation = 6 * 0.5 / np.sqrt(SIZE)
    for values in (first, first ^ second, first[1:] ^ first[:-1], first ^ np.roll(second, 1)):
        assert np.abs(bits(values).mean(0) - 0.5).max() < deviation  # no bit leans, none follows another's
    # No two bits of a word go together, nor do words a power of two apart.
    centred = bits(first) - 0.5
    together = centred.T @ centred / SIZE
    assert np.abs(together - np.diag(np.diag(together))).max() < deviation
    for distance in (64, 128, 512, 4096, 65536):
        assert np.abs(bits(first[distance:] ^ first[:-distance]).mean(0) - 0.5).max() < 2 * deviation
    assert len(np.intersect1d(first, second)) < 64 * SIZE * SIZE / 2**32  # the streams do not run into each other


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_the_rate_is_the_share_dropped_and_the_mean_stays(rate):
    layer = Dropout(rate, seed=5)
    kept = [ops.convert_to_numpy(layer(np.ones((64, 4096), "float32"), training=True)) for _ in range(2)]
    for values in kept:
        assert abs((values == 0).mean() - rate) < 6 * np.sqrt(rate * (1 - rate) / values.size)
        np.testing.assert_allclose(np.unique(values), [0, 1 / (1 - rate)], rtol=1e-6)
    both = ((kept[0] == 0) & (kept[1] == 0)).mean()
    assert abs(both - rate * rate) < 6 * np.sqrt(rate * rate / kept[0].size)  # another mask at each call


def test_ends():
    ones = np.ones((2, 3), "float32")
    assert ops.convert_to_numpy(drop(ops.convert_to_tensor(ones), np.array([1, 2]), 1.0)).sum() == 0
    np.testing.assert_array_equal(ops.convert_to_numpy(Dropout(0.0)(ones, training=True)), ones)
    np.testing.assert_array_equal(ops.convert_to_numpy(Dropout(0.5)(ones, training=False)), ones)


@pytest.mark.tensorflow_backend
@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_compiled_in_a_graph_it_is_the_same(dtype):
    import tensorflow as tf

    random = np.random.default_rng(0)
    x, update, upstream = (tf.constant(random.normal(size=(2, 5, 16)), tf.float32) for _ in range(3))
    layer = Residual(dropout=0.3, dtype=dtype)
    layer.build((2, 5, 16))
    layer.norm.gamma.assign(random.normal(size=16))
    state = layer.dropout_layer.seed_generator.state

    def run():
        with tf.GradientTape() as tape:
            tape.watch([x, update])
            out = tf.cast(layer(x, update, training=True), tf.float32) * upstream
        return out, *tape.gradient(out, [x, update, layer.norm.gamma.value, layer.norm.beta.value])

    before = ops.convert_to_numpy(state)
    eager = run()
    state.assign(before)
    compiled = tf.function(run)()
    tolerance = 1e-5 if dtype == "float32" else 0.1
    for one, other in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(np.asarray(one, "float32"), np.asarray(other, "float32"), atol=tolerance)
    assert (np.asarray(eager[2]) == 0).mean() == pytest.approx(0.3, abs=0.15)  # nothing flows through what is dropped


def test_a_seed_and_a_shape_of_the_noise_are_heeded():
    ones = np.ones((4, 8, 16), "float32")
    first, second = (ops.convert_to_numpy(Dropout(0.5, seed=3)(ones, training=True)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    stretched = ops.convert_to_numpy(Dropout(0.5, noise_shape=(None, 1, None), seed=3)(ones, training=True))
    np.testing.assert_array_equal(stretched, np.broadcast_to(stretched[:, :1], ones.shape))
    assert 0 < (stretched[:, 0] == 0).mean() < 1


@pytest.mark.tensorflow_backend
def test_models_of_other_widths_share_a_process():
    import tensorflow as tf

    for shape in [(2, 5, 16), (3, 4, 8), (2, 7, 16), (3, 4, 4)]:
        layer = Residual(dropout=0.35)
        layer.build(shape)
        x = tf.random.normal(shape)
        out = tf.function(lambda x, layer=layer: layer(x, x, training=True))(x)
        np.testing.assert_allclose(tf.reduce_mean(out, -1), np.zeros(shape[:-1]), atol=1e-5)
        dropout = Dropout(0.35, seed=1)
        dropped = tf.function(lambda x, dropout=dropout: dropout(x, training=True))
        assert dropped(x).shape == shape
        assert dropped(x[0]).shape == shape[1:]
