"""One layer of the encoder (section 3.1)."""

from typing import Any

from keras_transformer.layers.transformer_layer import TransformerLayer
from keras_transformer.registration import register

Tensor = Any


@register
class EncoderLayer(TransformerLayer):
    """Self-attention, then the feed-forward network, each inside a residual connection.

    Args:
        **settings: num_heads, key_dim, d_ff and the others of `TransformerLayer`.

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
            self.self_attention_residual.sublayer_input(inputs),
            attention_mask=attention_mask,
            training=training,
            return_weights=return_weights,
        )
        update, weights = update if return_weights else (update, None)
        x = self.self_attention_residual(inputs, update, training=training)
        x = self._feed(x, training)
        return (x, weights) if return_weights else x
