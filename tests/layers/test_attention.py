import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.layers import MultiHeadAttention, attention_weights, causal_mask, scaled_dot_product_attention

RNG = np.random.default_rng(0)


def numpy_attention(q, k, v, mask):
    """Equation 1 in float64, head by head."""
    out = np.zeros((*q.shape[:3], v.shape[-1]))
    for b, t, h in np.ndindex(q.shape[:3]):
        visible = np.broadcast_to(mask, (q.shape[0], q.shape[2], q.shape[1], k.shape[1]))[b, h, t]
        if not visible.any():
            continue
        scores = np.array([q[b, t, h] @ k[b, s, h] for s in range(k.shape[1])]) / np.sqrt(q.shape[-1])
        weights = np.where(visible, np.exp(scores - scores[visible].max()), 0)
        out[b, t, h] = (weights / weights.sum()) @ v[b, :, h]
    return out


@pytest.mark.parametrize("value_dim", [8, 5])
def test_attention_equals_equation_1_in_float64(value_dim):
    q, k = RNG.normal(size=(2, 4, 3, 8)), RNG.normal(size=(2, 6, 3, 8))
    v = RNG.normal(size=(2, 6, 3, value_dim))
    mask = RNG.random((2, 1, 4, 6)) < 0.6
    mask[0, 0, 1] = False  # a query that sees nothing
    ours = scaled_dot_product_attention(*(ops.cast(x, "float32") for x in (q, k, v)), ops.convert_to_tensor(mask))
    ours = ops.convert_to_numpy(ours)
    np.testing.assert_allclose(ours, numpy_attention(q, k, v, mask), atol=1e-5)
    assert (ours[0, 1] == 0).all()


def test_weights_are_the_weights_of_the_output():
    x = ops.cast(RNG.normal(size=(2, 5, 8)), "float32")
    attention = MultiHeadAttention(num_heads=2, key_dim=4)
    plain = attention(x, attention_mask=causal_mask(5))
    output, weights = attention(x, attention_mask=causal_mask(5), return_weights=True)
    np.testing.assert_allclose(ops.convert_to_numpy(output), ops.convert_to_numpy(plain), atol=1e-5)
    weights = ops.convert_to_numpy(weights)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert (weights[..., np.triu_indices(5, 1)[0], np.triu_indices(5, 1)[1]] == 0).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_a_fully_masked_row_gives_zeros_not_nan(dtype):
    x = ops.cast(RNG.normal(size=(1, 3, 2, 4)) * 50, dtype)
    mask = ops.convert_to_tensor(np.array([True, False, True]).reshape(1, 1, 3, 1) & np.ones((1, 1, 3, 3), bool))
    output = ops.convert_to_numpy(ops.cast(scaled_dot_product_attention(x, x, x, mask), "float32"))
    assert np.isfinite(output).all()
    assert (output[0, 1] == 0).all()
    assert (output[0, 0] != 0).any()
    weights = ops.convert_to_numpy(attention_weights(x, x, mask))
    assert (weights[0, :, 1] == 0).all()


def test_scores_of_unit_variance_inputs_have_unit_variance():
    """Section 3.2.1, footnote 4: q.k has variance d_k, scaled 1."""
    d_k = 256
    q, k = RNG.normal(size=(2, 1, 2000, 1, d_k)).astype("float32")
    # Softmax over two keys is a logistic of the score difference, from which the scaled scores can be read back.
    weights = ops.convert_to_numpy(attention_weights(q, np.concatenate([k[:, :1], 0 * k[:, :1]], 1)))[0, 0]
    scores = np.log(weights[:, 0] / weights[:, 1])
    spread = scores.std() / (np.linalg.norm(k[0, 0, 0]) / np.sqrt(d_k))
    assert abs(spread - 1) < 0.1


def test_heads_are_split_so_that_each_position_keeps_its_own_vector():
    """With one key visible, the output depends on that position alone: a wrong reshape fails this."""
    attention = MultiHeadAttention(num_heads=4, key_dim=4)
    x = RNG.normal(size=(1, 6, 16)).astype("float32")
    mask = ops.convert_to_tensor((np.arange(6) == 2).reshape(1, 1, 1, 6) & np.ones((1, 1, 6, 6), bool))
    before = ops.convert_to_numpy(attention(x, attention_mask=mask))
    changed = x.copy()
    changed[:, [0, 1, 3, 4, 5]] += 1
    np.testing.assert_allclose(ops.convert_to_numpy(attention(changed, attention_mask=mask)), before, atol=1e-6)
    changed[:, 2] += 1
    assert np.abs(ops.convert_to_numpy(attention(changed, attention_mask=mask)) - before).max() > 1e-3


@pytest.mark.parametrize(("memory", "count"), [(False, 8 * (2 * 6 + 2 * 6 + 2 * 3) + 2 * 3 * 8), (True, 240 + 48)])
def test_projections_have_the_papers_sizes_for_any_key_and_value_dim(memory, count):
    attention = MultiHeadAttention(num_heads=2, key_dim=6, value_dim=3)
    x = np.ones((1, 4, 8), "float32")
    attention(x, x) if memory else attention(x)
    assert attention.count_params() == count
    assert len(attention.weights) == (3 if memory else 2)  # q, k, v (or k, v) are one matrix


def test_blocks_of_the_fused_matrix_are_drawn_apart_with_their_own_limits():
    keras.utils.set_random_seed(0)
    attention = MultiHeadAttention(num_heads=4, key_dim=16)
    attention.build((None, None, 64))
    q, k, v = np.split(ops.convert_to_numpy(attention.weights[0]), 3, axis=1)
    assert not np.allclose(q, k)
    assert not np.allclose(k, v)
    limit = np.sqrt(6 / (64 + 64))
    for block in (q, k, v):
        assert 0.95 * limit < np.abs(block).max() <= limit


def test_shape_errors_say_what_disagrees():
    q = np.zeros((1, 2, 2, 4), "float32")
    with pytest.raises(ValueError, match="length of key and value must be equal; received 3 and 2"):
        scaled_dot_product_attention(q, np.zeros((1, 3, 2, 4), "float32"), q)
    with pytest.raises(ValueError, match="number of heads"):
        scaled_dot_product_attention(q, np.zeros((1, 2, 1, 4), "float32"), q)


@pytest.mark.tensorflow_backend
def test_attention_of_a_training_graph_is_attention():
    import tensorflow as tf

    from keras_transformer.layers.scaled_dot_product import graph_attention, scaled_dot_product_attention

    random = np.random.default_rng(0)
    tensors = [tf.constant(random.normal(size=(2, n, 3, 4)), tf.float32) for n in (5, 6, 6)]
    mask = tf.constant(random.random((2, 1, 5, 6)) < 0.5) & tf.constant(np.arange(5)[:, None] != 2)  # query 2 sees none

    def run(attend):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            heads = attend(*tensors, mask)
        return heads, *tape.gradient(heads, tensors)

    plain, compiled = run(scaled_dot_product_attention), tf.function(lambda: run(graph_attention))()
    for one, other in zip(plain, compiled, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert not np.asarray(compiled[0])[:, 2].any()
