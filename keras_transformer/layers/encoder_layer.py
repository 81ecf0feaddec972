"""One layer of the encoder (section 3.1)."""

from typing import Any

import keras

from keras_transformer.layers.attention import MultiHeadAttention
from keras_transformer.layers.feed_forward import FeedForward
from keras_transformer.layers.residual import Residual
from keras_transformer.registration import register

Tensor = Any


@register
class EncoderLayer(keras.layers.Layer):
    """Self-attention, then the feed-forward network, each inside a residual connection.

    Args:
        num_heads: h.
        key_dim: d_k.
        d_ff: inner size of the feed-forward network.
        value_dim: d_v; d_k if None.
        dropout: P_drop, on each sub-layer's output.
        attention_dropout: rate on attention weights.
        activation_dropout: rate inside the feed-forward network.
        use_bias: biases in the attention projections.

    Call arguments:
        inputs: (B, S, d_model).
        attention_mask: boolean, broadcastable to (B, h, S, S), True where visible.
        return_weights: also return the attention weights (B, h, S, S).

    Example:
        >>> import numpy as np
        >>> layer = EncoderLayer(num_heads=2, key_dim=2, d_ff=8)
        >>> layer(np.ones((1, 3, 4), "float32")).shape == (1, 3, 4)
        True

    Reference:
        Vaswani et al. 2017, section 3.1 and figure 1, left.
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        d_ff: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        use_bias: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.settings = {
            "num_heads": num_heads,
            "key_dim": key_dim,
            "d_ff": d_ff,
            "value_dim": value_dim,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "use_bias": use_bias,
        }
        dtype = self.dtype_policy
        self.self_attention = MultiHeadAttention(
            num_heads, key_dim, value_dim, attention_dropout, use_bias, dtype=dtype, name="self_attention"
        )
        self.self_attention_residual = Residual(dropout, dtype=dtype, name="self_attention_residual")
        self.feed_forward = FeedForward(d_ff, activation_dropout, dtype=dtype, name="feed_forward")
        self.feed_forward_residual = Residual(dropout, dtype=dtype, name="feed_forward_residual")

    def build(self, inputs_shape: Any) -> None:
        """Build the two sub-layers and their residuals."""
        self.self_attention.build(inputs_shape)
        self.self_attention_residual.build(inputs_shape)
        self.feed_forward.build(inputs_shape)
        self.feed_forward_residual.build(inputs_shape)
        self.built = True

    def call(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """(B, S, d_model) -> (B, S, d_model), and the weights if asked for."""
        update = self.self_attention(
            inputs, attention_mask=attention_mask, training=training, return_weights=return_weights
        )
        update, weights = update if return_weights else (update, None)
        x = self.self_attention_residual(inputs, update, training=training)
        x = self.feed_forward_residual(x, self.feed_forward(x, training=training), training=training)
        return (x, weights) if return_weights else x

    def compute_output_shape(self, inputs_shape: Any) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), **self.settings}
