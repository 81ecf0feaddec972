"""One layer of the decoder (section 3.1)."""

from typing import Any

import keras

from keras_transformer.layers.attention import MultiHeadAttention
from keras_transformer.layers.feed_forward import FeedForward
from keras_transformer.layers.residual import Residual
from keras_transformer.registration import register

Tensor = Any


@register
class DecoderLayer(keras.layers.Layer):
    """Masked self-attention, attention to the encoder's output, then the feed-forward network, each in a residual.

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
        inputs: (B, T, d_model).
        memory: (B, S, d_model), the encoder's output.
        attention_mask: boolean, broadcastable to (B, h, T, T), usually causal.
        memory_mask: boolean, broadcastable to (B, h, T, S), usually the source's padding mask.
        return_weights: also return the weights of both attentions, (B, h, T, T) and (B, h, T, S).

    Example:
        >>> import numpy as np
        >>> layer = DecoderLayer(num_heads=2, key_dim=2, d_ff=8)
        >>> layer(np.ones((1, 3, 4), "float32"), np.ones((1, 5, 4), "float32")).shape == (1, 3, 4)
        True

    Reference:
        Vaswani et al. 2017, section 3.1 and figure 1, right.
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
        attention = (num_heads, key_dim, value_dim, attention_dropout, use_bias)
        self.self_attention = MultiHeadAttention(*attention, dtype=dtype, name="self_attention")
        self.self_attention_residual = Residual(dropout, dtype=dtype, name="self_attention_residual")
        self.cross_attention = MultiHeadAttention(*attention, dtype=dtype, name="cross_attention")
        self.cross_attention_residual = Residual(dropout, dtype=dtype, name="cross_attention_residual")
        self.feed_forward = FeedForward(d_ff, activation_dropout, dtype=dtype, name="feed_forward")
        self.feed_forward_residual = Residual(dropout, dtype=dtype, name="feed_forward_residual")

    def build(self, inputs_shape: Any, memory_shape: Any) -> None:
        """Build the three sub-layers and their residuals."""
        self.self_attention.build(inputs_shape)
        self.self_attention_residual.build(inputs_shape)
        self.cross_attention.build(inputs_shape, memory_shape)
        self.cross_attention_residual.build(inputs_shape)
        self.feed_forward.build(inputs_shape)
        self.feed_forward_residual.build(inputs_shape)
        self.built = True

    def call(
        self,
        inputs: Tensor,
        memory: Tensor,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """(B, T, d_model) -> (B, T, d_model), and the weights of both attentions if asked for."""
        update = self.self_attention(
            inputs, attention_mask=attention_mask, training=training, return_weights=return_weights
        )
        update, self_weights = update if return_weights else (update, None)
        x = self.self_attention_residual(inputs, update, training=training)
        update = self.cross_attention(
            x, memory, attention_mask=memory_mask, training=training, return_weights=return_weights
        )
        update, cross_weights = update if return_weights else (update, None)
        x = self.cross_attention_residual(x, update, training=training)
        x = self.feed_forward_residual(x, self.feed_forward(x, training=training), training=training)
        return (x, self_weights, cross_weights) if return_weights else x

    def step(
        self,
        inputs: Tensor,
        cache: dict[str, Tensor],
        memory: dict[str, Tensor],
        memory_mask: Tensor,
        index: Any,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Position `index` of K hypotheses per sentence: (B, K, d_model) -> (B, K, d_model), and the grown cache.

        Args:
            inputs: (B, K, d_model).
            cache: self-attention keys and values of the positions before, as in `MultiHeadAttention.step`.
            memory: what `MultiHeadAttention.project_memory` made of the encoder's output.
            memory_mask: boolean (B, 1, 1, S), True at real source tokens.
            index: scalar integer.
        """
        update, cache = self.self_attention.step(inputs, cache, index)
        x = self.self_attention_residual(inputs, update)
        x = self.cross_attention_residual(x, self.cross_attention.attend(x, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward(x)), cache

    def compute_output_shape(self, inputs_shape: Any, memory_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), **self.settings}
