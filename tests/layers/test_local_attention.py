"""Blocked local attention against the same restriction as a mask on full attention."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_transformer.layers import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    band_mask,
    local_attention,
    scaled_dot_product_attention,
)
from keras_transformer.layers.local_attention import SMALLEST_BLOCK


def heads(length: int, value_dim: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=(2, length, 3, size)).astype("float32") for size in (4, 4, value_dim))


@settings(max_examples=4 if keras.backend.backend() == "jax" else 20, deadline=None)  # JAX compiles each shape
@given(
    length=st.integers(2, 3 * SMALLEST_BLOCK + 1),
    left=st.integers(0, SMALLEST_BLOCK + 8),
    right=st.sampled_from([0, 1, 7, SMALLEST_BLOCK + 3]),
    hidden=st.floats(0, 1),
)
def test_blocked_equals_masked_full_attention(length, left, right, hidden):
    query, key, value = heads(length)
    mask = np.random.default_rng(1).random((2, 1, 1, length)) >= hidden
    blocked = ops.convert_to_numpy(local_attention(query, key, value, (left, right), ops.convert_to_tensor(mask)))
    band = ops.convert_to_numpy(band_mask(length, (left, right))) & mask
    full = ops.convert_to_numpy(scaled_dot_product_attention(query, key, value, ops.convert_to_tensor(band)))
    np.testing.assert_allclose(blocked, full, atol=1e-5)


def test_no_positions_and_no_rows_give_none():
    for rows, length in ((2, 0), (0, 5)):
        query, key, value = (x[:rows, :length] for x in heads(5))
        mask = ops.convert_to_tensor(np.ones((rows, 1, 1, length), bool))
        assert tuple(local_attention(query, key, value, (2, 2), mask).shape) == (rows, length, 3, 5)


def test_the_band_is_the_neighbourhood():
    i, j = np.indices((9, 9))
    for left, right in ((0, 0), (2, 1), (8, 0), (20, 20)):
        expected = (j - i >= -left) & (j - i <= right)
        np.testing.assert_array_equal(ops.convert_to_numpy(band_mask(9, (left, right)))[0, 0], expected)


@pytest.mark.tensorflow_backend
def test_gradients_and_the_largest_intermediate():
    """On a graph of known shapes: the gradients of the masked form, and no tensor that grows with n squared."""
    import tensorflow as tf

    def gradients(attend, arrays):
        tensors = [tf.constant(array) for array in arrays]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            loss = tf.reduce_sum(tf.square(attend(*tensors)))
        return tape.gradient(loss, tensors)

    arrays, window = heads(100), (6, 6)
    blocked = gradients(lambda *qkv: local_attention(*qkv, window), arrays)
    full = gradients(lambda *qkv: scaled_dot_product_attention(*qkv, band_mask(100, window)), arrays)
    for ours, reference in zip(blocked, full, strict=True):
        np.testing.assert_allclose(ours.numpy(), reference.numpy(), atol=1e-4)

    def largest(length):
        spec = [tf.TensorSpec((1, length, 1, 4))] * 3
        graph = tf.function(lambda *qkv: gradients_of(qkv)).get_concrete_function(*spec).graph
        return max(output.shape.num_elements() or 0 for op in graph.get_operations() for output in op.outputs)

    def gradients_of(qkv):
        return tf.gradients(tf.reduce_sum(local_attention(*qkv, window)), list(qkv))

    assert largest(2048) == 2 * largest(1024) < 1024**2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_position_that_sees_nothing_gives_zeros_in_low_precision(dtype):
    query, key, value = (ops.cast(x * 30, dtype) for x in heads(40))
    mask = np.ones((2, 1, 1, 40), bool)
    mask[:, :, :, 10:21] = False
    output = ops.convert_to_numpy(
        ops.cast(local_attention(query, key, value, (3, 0), ops.convert_to_tensor(mask)), "float32")
    )
    assert np.isfinite(output).all()
    assert (output[:, 13:21] == 0).all()
    assert (output[:, 12] != 0).any()


def test_a_mask_of_its_own_for_each_query_is_refused():
    query, key, value = heads(6)
    with pytest.raises(ValueError, match=r"takes a padding mask .* received a mask of shape \(1, 1, 6, 6\)"):
        local_attention(query, key, value, (2, 0), band_mask(6, (2, 0)))


@pytest.mark.parametrize(("cls", "seen"), [(EncoderLayer, range(8, 13)), (DecoderLayer, range(10, 15))])
def test_a_layer_sees_its_r_neighbours_and_no_others(cls, seen):
    """Position 10 and r = 4: the encoder's are read by 8 to 12, the decoder's by 10 to 14."""
    options = {} if cls is EncoderLayer else {"cross_attention": False}
    layer = cls(num_heads=2, key_dim=4, d_ff=8, neighbours=4, **options)
    x = np.random.default_rng(0).normal(size=(1, 20, 8)).astype("float32")
    before, changed = ops.convert_to_numpy(layer(x)), x.copy()
    changed[:, 10] += 1
    moved = np.abs(ops.convert_to_numpy(layer(changed)) - before).max(axis=(0, 2)) > 1e-6
    assert np.flatnonzero(moved).tolist() == list(seen)


def test_weights_asked_for_are_those_of_the_blocks():
    attention = MultiHeadAttention(num_heads=2, key_dim=4, window=(3, 2))
    x = np.random.default_rng(0).normal(size=(2, 50, 8)).astype("float32")
    output, weights = attention(x, return_weights=True)
    np.testing.assert_allclose(ops.convert_to_numpy(output), ops.convert_to_numpy(attention(x)), atol=1e-5)
    weights = ops.convert_to_numpy(weights)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert (weights[..., 20, :17] == 0).all()
    assert (weights[..., 20, 23:] == 0).all()


def test_dropout_acts_on_blocked_weights_in_training_only():
    keras.utils.set_random_seed(1)
    attention = MultiHeadAttention(num_heads=2, key_dim=4, window=(3, 2), dropout=0.5)
    x = np.random.default_rng(0).normal(size=(1, 50, 8)).astype("float32")
    runs = [ops.convert_to_numpy(attention(x, training=training)) for training in (False, False, True, True)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.allclose(runs[2], runs[3])
