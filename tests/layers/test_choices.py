"""The atoms that are not the paper's defaults, each against its definition in float64 NumPy."""

import math

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers import (
    EncoderLayer,
    FeedForward,
    LearnedPositions,
    MultiHeadAttention,
    Residual,
    ScheduledSampling,
    TokenEmbedding,
    causal_mask,
    rotate,
)
from keras_transformer.models import TransformerEncoder

RNG = np.random.default_rng(4)
X = RNG.normal(size=(2, 5, 8)).astype("float32")


def numpy(tensor) -> np.ndarray:
    return ops.convert_to_numpy(tensor)


def float64(layer) -> list[np.ndarray]:
    return [numpy(weight).astype("float64") for weight in layer.weights]


erf = np.vectorize(math.erf)
FUNCTIONS = {
    "relu": lambda x: np.maximum(0, x),
    "gelu": lambda x: x * 0.5 * (1 + erf(x / np.sqrt(2))),
    "swiglu": lambda x: x / (1 + np.exp(-x)),
    "geglu": lambda x: x * 0.5 * (1 + erf(x / np.sqrt(2))),
}


@pytest.mark.parametrize("activation", FUNCTIONS)
def test_feed_forward_networks_are_what_they_say(activation):
    layer = FeedForward(d_ff=16, activation=activation)
    output = numpy(layer(X))
    for weight in layer.weights:
        weight.assign(RNG.normal(size=weight.shape))
    output = numpy(layer(X))
    w1, b1, *gate, w2, b2 = float64(layer)
    inner = FUNCTIONS[activation](X @ w1 + b1)
    if gate:
        inner = inner * (X @ gate[0] + gate[1])
    assert bool(gate) == activation.endswith("glu")
    np.testing.assert_allclose(output, inner @ w2 + b2, rtol=1e-4, atol=1e-4)


def test_rotation_is_a_complex_product_and_scores_depend_on_distance_alone():
    q, k = RNG.normal(size=(2, 1, 1, 1, 8))
    positions = np.arange(50)
    turned = [
        numpy(rotate(np.repeat(x, 50, axis=1).astype("float32"), positions)).astype("float64")[0, :, 0] for x in (q, k)
    ]
    angles = positions[:, None] / 10000 ** (np.arange(0, 8, 2) / 8)
    expected = (q[0, 0, 0, 0::2] + 1j * q[0, 0, 0, 1::2]) * np.exp(1j * angles)
    np.testing.assert_allclose(turned[0][:, 0::2], expected.real, atol=1e-5)
    np.testing.assert_allclose(turned[0][:, 1::2], expected.imag, atol=1e-5)
    scores = turned[0] @ turned[1].T
    for distance in (0, 3, 17):
        diagonal = np.diagonal(scores, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-5)
    assert abs(scores[0, 3] - scores[3, 0]) > 1e-3  # before and after are told apart


def test_rotary_attention_knows_the_order_and_moves_with_its_input():
    """Permuting the other tokens changes a position's output; shifting all of them along does not."""
    attention = MultiHeadAttention(num_heads=2, key_dim=4, rotary=True)
    before = numpy(attention(X))[:, 0]
    swapped = X[:, [0, 2, 1, 3, 4]]
    assert np.abs(numpy(attention(swapped))[:, 0] - before).max() > 1e-3
    shifted = np.concatenate([RNG.normal(size=(2, 3, 8)).astype("float32"), X], axis=1)
    mask = ops.convert_to_tensor((np.arange(8) >= 3).reshape(1, 1, 1, 8))
    np.testing.assert_allclose(numpy(attention(shifted, attention_mask=mask))[:, 3], before, atol=1e-5)


@pytest.mark.parametrize("window", [None, (3, 0)])
@pytest.mark.parametrize("rotary", [False, True])
def test_a_step_with_a_cache_is_one_row_of_the_whole(window, rotary):
    """With a window the cache is a ring of 4 positions for a sequence of 5."""
    attention = MultiHeadAttention(num_heads=2, key_dim=4, value_dim=3, window=window, rotary=rotary)
    whole = numpy(attention(X, attention_mask=None if window else causal_mask(5)))
    length = 5 if window is None else 4
    cache = {"key": np.zeros((2, 2, length, 4), "float32"), "value": np.zeros((2, 2, length, 3), "float32")}
    cache = {name: ops.convert_to_tensor(entry) for name, entry in cache.items()}
    for t in range(5):
        hidden = np.where(np.arange(length) <= t, 0, 1e9).reshape(1, 1, 1, length).repeat(2, 0).astype("float32")
        output, cache = attention.step(ops.convert_to_tensor(X[:, t]), cache, t, ops.convert_to_tensor(hidden))
        np.testing.assert_allclose(numpy(output), whole[:, t], atol=1e-5)


def test_learned_positions_are_rows_scaled_like_embeddings():
    layer = LearnedPositions(max_positions=7)
    output = numpy(layer(X, start=2)) - X
    np.testing.assert_allclose(output[0], numpy(layer.weights[0])[2:7] * np.sqrt(8), atol=1e-5)
    with pytest.raises(InputError, match="there are 7 learned positions, and a sequence of 8 tokens"):
        layer(X, start=3)


@pytest.mark.tensorflow_backend
def test_past_the_last_learned_position_a_compiled_graph_gives_no_number():
    """XLA reads another row for one that is not there; a graph for any length cannot raise."""
    import tensorflow as tf

    layer = LearnedPositions(max_positions=3)
    layer.build((None, None, 8))
    compiled = tf.function(layer, jit_compile=True, input_signature=[tf.TensorSpec((None, None, 8))])
    output = compiled(X).numpy()
    assert np.isnan(output[:, 3:]).all()
    np.testing.assert_allclose(output[:, :3], numpy(layer(X[:, :3])), atol=1e-6)


def test_pre_norm_is_x_plus_the_sub_layer_of_the_norm():
    layer = Residual(norm="pre")
    layer.build(X.shape)
    gain, bias = RNG.normal(size=(2, 8))
    layer.norm.gamma.assign(gain)
    layer.norm.beta.assign(bias)
    centred = X.astype("float64") - X.mean(-1, keepdims=True, dtype="float64")
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * gain + bias
    np.testing.assert_allclose(numpy(layer.sublayer_input(X)), normal, atol=1e-5)
    np.testing.assert_allclose(numpy(layer(X, 2 * X)), 3 * X, atol=1e-5)


def test_a_pre_norm_stack_ends_in_a_norm_and_a_post_norm_one_has_no_more():
    outputs = {}
    for norm in ("post", "pre"):
        stack = TransformerEncoder(num_layers=2, num_heads=2, key_dim=4, d_ff=8, norm=norm)
        outputs[norm] = numpy(stack(X * 50))
        assert any("final_norm" in weight.path for weight in stack.weights) == (norm == "pre")
        np.testing.assert_allclose(outputs[norm].std(-1), 1, atol=1e-2)


@pytest.mark.parametrize(("name", "expected"), [("glorot", np.sqrt(2 / (64 + 64))), ("normal", 0.02)])
def test_first_weights_have_the_spread_of_their_name_and_no_two_are_the_same(name, expected):
    keras.utils.set_random_seed(2)
    layer = EncoderLayer(num_heads=4, key_dim=16, d_ff=64, activation="swiglu", initializer=name)
    layer.build((None, None, 64))
    blocks = []
    for weight in layer.weights:
        if len(weight.shape) == 2:
            blocks += np.split(numpy(weight), weight.shape[1] // 64, axis=1)
    assert len(blocks) == 7  # W^Q W^K W^V W^O W1 V W2
    for i, block in enumerate(blocks):
        assert block.std() == pytest.approx(expected, rel=0.05)
        assert all(np.abs(block - other).max() > 0.01 for other in blocks[:i])
    embedding = TokenEmbedding(500, 64, initializer=name)
    embedding.build()
    assert numpy(embedding.weights[0]).std() == pytest.approx(0.125 if name == "glorot" else 0.02, rel=0.05)


def test_scheduled_sampling_rises_to_its_rate_and_touches_no_first_token_and_no_padding():
    keras.utils.set_random_seed(3)
    layer = ScheduledSampling(rate=0.5, ramp_steps=4)
    target_in = np.full((20, 50), 7, "int32")
    target_in[:, 0], target_in[:, 40:] = 1, 0
    logits = np.zeros((20, 50, 9), "float32")
    logits[:, np.arange(50), np.arange(50) % 3 + 3] = 1  # at t it predicts 3 + t % 3 for t + 1
    shares = []
    for _ in range(7):
        mixed = numpy(layer(target_in, logits))
        changed = mixed != target_in
        shares.append(changed[:, 1:40].mean())
        assert not changed[:, [0, *range(40, 50)]].any()
        rows, columns = np.nonzero(changed)
        np.testing.assert_array_equal(mixed[rows, columns], 3 + (columns - 1) % 3)
    np.testing.assert_allclose(shares, [0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.5], atol=0.06)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FeedForward(8, activation="rleu"), "no activation 'rleu'. Did you mean 'relu'"),
        (lambda: Residual(norm="middle"), "norm is 'middle'; expected \"post\""),
        (lambda: EncoderLayer(2, 4, 8, neighbours=3), "neighbours is 3; expected an even number"),
        (lambda: EncoderLayer(2, 4, 8, initializer="xavier"), "no initializer 'xavier'. Known: glorot, normal"),
    ],
)
def test_unknown_choices_are_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
