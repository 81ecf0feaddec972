"""The decoder: a stack of identical layers (section 3.1)."""

from typing import Any

import keras
from keras import ops

from keras_transformer.layers import DecoderLayer
from keras_transformer.layers.masks import large_negative
from keras_transformer.layers.rematerialised import rematerialised
from keras_transformer.layers.residual import final_norm
from keras_transformer.registration import register

Tensor = Any
Cache = dict[str, Any]


@register
class TransformerDecoder(keras.layers.Layer):
    """N decoder layers on vectors, over an encoder's output or, without cross-attention, as a language model.

    Args:
        num_layers: N.
        remat: in training keep each layer's inputs alone and compute the layer again for its gradients: less memory,
            and 15 to 25 % more time.
        **settings: the arguments of `DecoderLayer`: num_heads, key_dim, d_ff, value_dim, dropout, cross_attention, ...
            With norm="pre" the output of the last layer is normalised once more.

    Call arguments:
        inputs: (B, T, d_model).
        memory: (B, S, d_model); None without cross-attention.
        attention_mask: boolean, broadcastable to (B, h, T, T), usually causal. With `neighbours` the layers themselves
            hide the future, and take a padding mask (B, 1, 1, T) or None.
        memory_mask: boolean, broadcastable to (B, h, T, S), usually the source's padding mask.
        return_weights: also return two lists of N tensors: self-attention (B, h, T, T), cross-attention (B, h, T, S) or
            None.

    Example:
        >>> import numpy as np
        >>> decoder = TransformerDecoder(num_layers=2, num_heads=2, key_dim=2, d_ff=8)
        >>> decoder(np.ones((1, 3, 4), "float32"), np.ones((1, 5, 4), "float32")).shape == (1, 3, 4)
        True
    """

    def __init__(self, num_layers: int, remat: bool = False, **settings: Any) -> None:
        base = {name: settings.pop(name) for name in ("name", "dtype", "trainable") if name in settings}
        super().__init__(**base)
        self.num_layers = num_layers
        self.remat = remat
        self.settings = settings
        self.layers = [DecoderLayer(**settings, dtype=self.dtype_policy, name=f"layer_{i}") for i in range(num_layers)]
        self.final_norm = final_norm(settings, self.dtype_policy)

    def build(self, inputs_shape: Any, memory_shape: Any = None) -> None:
        """Build every layer."""
        for layer in self.layers:
            layer.build(inputs_shape, memory_shape)
        if self.final_norm is not None:
            self.final_norm.build(inputs_shape)
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
        """(B, T, d_model) -> (B, T, d_model), and the weights of every layer if asked for."""
        x, self_weights, cross_weights = inputs, [], []
        for layer in self.layers:
            if self.remat and training and not return_weights:
                tensors = (x,) if memory is None else (x, memory)
                masks = {"attention_mask": attention_mask, "memory_mask": memory_mask}
                x = rematerialised(layer, *tensors, **masks, training=training)
                continue
            x = layer(
                x,
                memory,
                attention_mask=attention_mask,
                memory_mask=memory_mask,
                training=training,
                return_weights=return_weights,
            )
            if return_weights:
                x, self_attention, cross_attention = x
                self_weights.append(self_attention)
                cross_weights.append(cross_attention)
        x = x if self.final_norm is None else self.final_norm(x)
        return (x, self_weights, cross_weights) if return_weights else x

    def init_cache(
        self, memory: Tensor | None, memory_mask: Tensor | None, beam_size: int, length: Any, batch_size: Any = None
    ) -> Cache:
        """Room for `length` positions of `beam_size` hypotheses per sentence, and the memory's keys and values.

        Args:
            memory: (B, S, d_model); None without cross-attention.
            memory_mask: boolean (B, 1, 1, S), or None.
            beam_size: K.
            length: L, the most positions that will be decoded; an int, or a scalar tensor where shapes may be dynamic.
                With `neighbours` no more than r + 1 are kept, whatever the length.
            batch_size: B, where there is no memory to tell it.

        Returns:
            "self": "origin" (B, K, L, K) boolean, which slot of each position holds the past of each hypothesis: axes 0
            and 1 are reordered when hypotheses move; "slots": per layer "key" (B, h, L, K d_k) and "value"
            (B, h, L, K d_v), which stay; "cross": per layer "key" (B, h, S, d_k) and "value" (B, h, S, d_v);
            "hidden" (B, 1, 1, S) float32, 0 where `memory_mask`. Without a memory "cross" is a list of None.
        """
        batch = batch_size if memory is None else ops.shape(memory)[0]
        if self.cache_limit is not None:
            length = min(length, self.cache_limit) if isinstance(length, int) else ops.minimum(length, self.cache_limit)
        slots = []
        for attention in (layer.self_attention for layer in self.layers):
            room, dtype = (batch, attention.num_heads, length), self.compute_dtype
            slots.append(
                {
                    "key": ops.zeros((*room, beam_size * attention.key_dim), dtype=dtype),
                    "value": ops.zeros((*room, beam_size * attention.value_dim), dtype=dtype),
                }
            )
        cross = [
            None if memory is None else layer.cross_attention.project_memory(memory, memory_mask)
            for layer in self.layers
        ]
        return {
            "self": {"origin": ops.zeros((batch, beam_size, length, beam_size), dtype="bool")},
            "slots": slots,
            "cross": cross,
            "hidden": None if memory_mask is None else _hidden(memory_mask),
        }

    @property
    def cache_limit(self) -> int | None:
        """The most positions a cache needs: r + 1 with `neighbours`, else None for all of them."""
        neighbours = self.settings.get("neighbours")
        return None if neighbours is None else neighbours + 1

    def step(self, inputs: Tensor, index: Any, cache: Cache) -> tuple[Tensor, Cache]:
        """Position `index` of every hypothesis: (B, K, d_model) -> (B, K, d_model), and the cache with it filled in."""
        _, beams, width = inputs.shape
        origin = cache["self"]["origin"]  # (B, K, L, K)
        rows, _, length, _ = ops.shape(origin)
        here = ops.equal(ops.arange(length, dtype="int32"), index % length)
        origin = ops.where(here[:, None], ops.eye(beams, dtype="bool")[:, None], origin)  # each wrote into its own slot
        hidden = ops.reshape(_hidden(origin), (rows, 1, beams, length * beams))
        x, slots = ops.reshape(inputs, (-1, width)), []  # a matrix: (B K, d_model)
        for layer, past, memory in zip(self.layers, cache["slots"], cache["cross"], strict=True):
            x, grown = layer.step(x, past, memory, index, hidden, cache["hidden"])
            slots.append(grown)
        x = x if self.final_norm is None else self.final_norm(x)
        return ops.reshape(x, (-1, beams, width)), {**cache, "self": {"origin": origin}, "slots": slots}

    def compute_output_shape(self, inputs_shape: Any, memory_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "num_layers": self.num_layers, "remat": self.remat, **self.settings}


def _hidden(visible: Tensor) -> Tensor:
    """0 where True, else very large: what to subtract from scores before the softmax."""
    return ops.where(visible, 0.0, -large_negative("float32"))
