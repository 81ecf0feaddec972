"""What every layer must do: keep its config, its shapes, its dtype policy, and round-trip."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.layers import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    MultiHeadAttention,
    Residual,
    SinusoidalPositions,
    TokenEmbedding,
)
from keras_transformer.models import TransformerDecoder, TransformerEncoder

X, MEMORY = np.random.default_rng(1).normal(size=(2, 2, 5, 8)).astype("float32")
SIZES = {"num_heads": 2, "key_dim": 3, "value_dim": 4, "d_ff": 16, "dropout": 0.25, "use_bias": True}
LAYERS = {
    "attention": (MultiHeadAttention, {"num_heads": 2, "key_dim": 3, "dropout": 0.1}, (X,)),
    "cross_attention": (MultiHeadAttention, {"num_heads": 2, "key_dim": 3}, (X, MEMORY)),
    "positions": (SinusoidalPositions, {}, (X,)),
    "feed_forward": (FeedForward, {"d_ff": 16, "dropout": 0.5}, (X,)),
    "residual": (Residual, {"dropout": 0.5, "epsilon": 1e-3}, (X, MEMORY)),
    "encoder_layer": (EncoderLayer, SIZES, (X,)),
    "decoder_layer": (DecoderLayer, SIZES, (X, MEMORY)),
    "encoder": (TransformerEncoder, {"num_layers": 2, **SIZES}, (X,)),
    "decoder": (TransformerDecoder, {"num_layers": 2, **SIZES}, (X, MEMORY)),
    "embedding": (TokenEmbedding, {"vocab_size": 9, "d_model": 8}, (np.array([[1, 2, 0]]),)),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_layer(name, policy):
    cls, arguments, inputs = LAYERS[name]
    layer = cls(**arguments, dtype=policy)
    output = layer(*inputs)
    expected = (1, 3, 8) if name == "embedding" else X.shape
    assert tuple(output.shape) == expected
    assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype
    assert all(w.dtype == "float32" for w in layer.weights)

    config = keras.saving.serialize_keras_object(layer)
    copy = keras.saving.deserialize_keras_object(config)
    assert type(copy) is cls
    for key, value in arguments.items():
        assert copy.get_config()[key] == value
    copy(*inputs)
    copy.set_weights(layer.get_weights())
    for a, b in zip(copy.weights, layer.weights, strict=True):
        assert a.shape == b.shape
    np.testing.assert_array_equal(*(ops.convert_to_numpy(ops.cast(lay(*inputs), "float32")) for lay in (layer, copy)))


@pytest.mark.parametrize("name", ["residual", "encoder_layer", "decoder_layer", "feed_forward"])
def test_dropout_acts_in_training_only(name):
    cls, arguments, inputs = LAYERS[name]
    layer = cls(**arguments)
    run = [ops.convert_to_numpy(layer(*inputs, training=training)) for training in (False, False, True, True)]
    np.testing.assert_array_equal(run[0], run[1])
    assert not np.allclose(run[2], run[3])


def test_feed_forward_is_equation_2():
    layer = FeedForward(d_ff=16)
    output = ops.convert_to_numpy(layer(X))
    w1, b1, w2, b2 = (ops.convert_to_numpy(w).astype("float64") for w in layer.weights)
    np.testing.assert_allclose(output, np.maximum(0, X @ w1 + b1) @ w2 + b2, atol=1e-5)


def test_residual_is_post_norm():
    layer = Residual(dropout=0.3)
    output = ops.convert_to_numpy(layer(X, MEMORY))
    total = X.astype("float64") + MEMORY
    centred = total - total.mean(-1, keepdims=True)
    np.testing.assert_allclose(output, centred / np.sqrt(total.var(-1, keepdims=True) + 1e-6), atol=1e-5)


def test_embedding_is_scaled_and_shared_with_the_softmax():
    layer = TokenEmbedding(vocab_size=50, d_model=64)
    ids = np.arange(50)[None]
    table = ops.convert_to_numpy(layer(ids))[0]
    assert table.std() == pytest.approx(1, abs=0.05)
    matrix = ops.convert_to_numpy(layer.weights[0])
    np.testing.assert_allclose(table, matrix * 8, rtol=1e-6)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer.logits(X @ np.ones((8, 64), "float32"))), X @ np.ones((8, 64)) @ matrix.T, atol=1e-4
    )
    assert len(layer.weights) == 1
