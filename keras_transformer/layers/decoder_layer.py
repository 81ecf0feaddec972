"""One layer of the decoder (section 3.1)."""

from typing import Any

from keras_transformer.layers.transformer_layer import TransformerLayer
from keras_transformer.registration import register

Tensor = Any


@register
class DecoderLayer(TransformerLayer):
    """Masked self-attention, attention to the encoder's output, then the feed-forward network, each in a residual.

    Args:
        cross_attention: attend to an encoder's output; without it the layer is one of a language model.
        **settings: num_heads, key_dim, d_ff and the others of `TransformerLayer`.

    Call arguments:
        inputs: (B, T, d_model).
        memory: (B, S, d_model), the encoder's output; None without cross-attention.
        attention_mask: boolean, broadcastable to (B, h, T, T), usually causal. With `neighbours` the layer itself
            hides the future, and takes a padding mask (B, 1, 1, T) or None.
        memory_mask: boolean, broadcastable to (B, h, T, S), usually the source's padding mask.
        return_weights: also return the weights of both attentions, (B, h, T, T) and (B, h, T, S) or None.

    Example:
        >>> import numpy as np
        >>> layer = DecoderLayer(num_heads=2, key_dim=2, d_ff=8)
        >>> layer(np.ones((1, 3, 4), "float32"), np.ones((1, 5, 4), "float32")).shape == (1, 3, 4)
        True

    Reference:
        Vaswani et al. 2017, section 3.1 and figure 1, right.
    """

    def __init__(self, *args: Any, cross_attention: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.settings["cross_attention"] = cross_attention
        if cross_attention:
            self.cross_attention = self._attention("cross_attention")
            self.cross_attention_residual = self._residual("cross_attention_residual")

    def _window(self, neighbours: int) -> tuple[int, int]:
        return neighbours, 0

    def build(self, inputs_shape: Any, memory_shape: Any = None) -> None:
        """Build the sub-layers and their residuals."""
        self.self_attention.build(inputs_shape)
        self.self_attention_residual.build(inputs_shape)
        if self.settings["cross_attention"]:
            self.cross_attention.build(inputs_shape, memory_shape)
            self.cross_attention_residual.build(inputs_shape)
        self.feed_forward.build(inputs_shape)
        self.feed_forward_residual.build(inputs_shape)
        self.built = True

    def call(
        self,
        inputs: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """(B, T, d_model) -> (B, T, d_model), and the weights of both attentions if asked for."""
        update = self.self_attention(
            self.self_attention_residual.sublayer_input(inputs),
            attention_mask=attention_mask,
            training=training,
            return_weights=return_weights,
        )
        update, self_weights = update if return_weights else (update, None)
        x, cross_weights = self.self_attention_residual(inputs, update, training=training), None
        if self.settings["cross_attention"]:
            update = self.cross_attention(
                self.cross_attention_residual.sublayer_input(x),
                memory,
                attention_mask=memory_mask,
                training=training,
                return_weights=return_weights,
            )
            update, cross_weights = update if return_weights else (update, None)
            x = self.cross_attention_residual(x, update, training=training)
        x = self._feed(x, training)
        return (x, self_weights, cross_weights) if return_weights else x

    def step(
        self,
        inputs: Tensor,
        cache: dict[str, Tensor],
        memory: dict[str, Tensor] | None,
        index: Any,
        hidden: Tensor,
        memory_hidden: Tensor | None,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Position `index` of K hypotheses per sentence: (B K, d_model) -> (B K, d_model), and the grown cache.

        Args:
            inputs: (B K, d_model).
            cache: self-attention keys and values of the positions before, as in `MultiHeadAttention.step`.
            memory: what `MultiHeadAttention.project_memory` made of the encoder's output; None without cross-attention.
            index: scalar integer.
            hidden: (B, 1, K, L K) float32, 0 where a hypothesis sees a slot of the cache, else very large.
            memory_hidden: (B, 1, 1, S) float32, very large where the source is padding.
        """
        query = self.self_attention_residual.sublayer_input(inputs)
        update, cache = self.self_attention.step(query, cache, index, hidden)
        x = self.self_attention_residual(inputs, update)
        if memory is not None:
            query = self.cross_attention_residual.sublayer_input(x)
            update = self.cross_attention.attend(query, memory, memory_hidden, hidden.shape[2])
            x = self.cross_attention_residual(x, update)
        return self._feed(x), cache
