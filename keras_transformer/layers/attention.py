"""Multi-head attention (section 3.2.2)."""

import math
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.dropout import Dropout
from keras_transformer.layers.scaled_dot_product import (
    attention_weights,
    check_shapes,
    masked_softmax,
    scaled_dot_product_attention,
)
from keras_transformer.registration import register

Tensor = Any


@register
class MultiHeadAttention(keras.layers.Layer):
    """MultiHead(Q, K, V) = Concat(head_1 .. head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Called with one tensor it is self-attention, and W^Q, W^K, W^V are one matrix and one product; called with a memory
    it is encoder-decoder attention, and W^K, W^V are one matrix. Every head projects the whole d_model vector.

    Args:
        num_heads: h.
        key_dim: d_k, the size of a head's queries and keys. d_model / h in the paper's base and big models.
        value_dim: d_v, the size of a head's values; d_k if None.
        dropout: rate on the attention weights (0 in the paper, which drops only sub-layer outputs).
        use_bias: add biases to the four projections (the paper's have none).
        kernel_initializer: for each of the four projections.

    Call arguments:
        inputs: (B, T, d_model).
        memory: (B, S, d_model) or None for self-attention; must be given at every call or at none.
        attention_mask: boolean, broadcastable to (B, h, T, S), True where visible. (Keras would attach an argument
            named `mask` to the output.)
        return_weights: also return the weights (B, h, T, S), float32.

    Example:
        >>> import numpy as np
        >>> attention = MultiHeadAttention(num_heads=2, key_dim=4)
        >>> attention(np.ones((1, 3, 8), "float32")).shape == (1, 3, 8)
        True

    Reference:
        Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = value_dim or key_dim
        self.dropout = dropout
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape: Sequence[int | None], memory_shape: Sequence[int | None] | None = None) -> None:
        """Create W^Q W^K W^V (self-attention) or W^Q and W^K W^V (with a memory), and W^O."""
        d_model = inputs_shape[-1]
        heads_key, heads_value = self.num_heads * self.key_dim, self.num_heads * self.value_dim
        if memory_shape is None:
            self.self_projection = self._add_projection("qkv", d_model, (heads_key, heads_key, heads_value))
        else:
            self.query_projection = self._add_projection("q", d_model, (heads_key,))
            self.memory_projection = self._add_projection("kv", memory_shape[-1], (heads_key, heads_value))
        self.output_projection = self._add_projection("output", heads_value, (d_model,))
        self.built = True

    def _add_projection(self, name: str, fan_in: Any, sizes: tuple[Any, ...]) -> list[Any]:
        """One matrix of several side by side, each initialised by its own fan-in and fan-out, and its bias."""

        def initializer(shape: Any, dtype: Any = None) -> Tensor:
            parts = [_fresh(self.kernel_initializer, i)((fan_in, size), dtype=dtype) for i, size in enumerate(sizes)]
            return ops.concatenate(parts, axis=-1)

        kernel = self.add_weight(name=f"{name}_kernel", shape=(fan_in, sum(sizes)), initializer=initializer)
        if not self.use_bias:
            return [kernel]
        return [kernel, self.add_weight(name=f"{name}_bias", shape=(sum(sizes),), initializer="zeros")]

    def _project(self, inputs: Tensor, projection: list[Any]) -> Tensor:
        output = ops.matmul(inputs, ops.cast(projection[0], self.compute_dtype))
        return output + ops.cast(projection[1], self.compute_dtype) if self.use_bias else output

    def _split_heads(self, inputs: Tensor, *sizes: int) -> list[Tensor]:
        """(B, T, sum of h * size) -> one (B, T, h, size) per size."""
        length, start, heads = ops.shape(inputs)[1], 0, []
        for size in sizes:
            end = start + self.num_heads * size
            heads.append(ops.reshape(inputs[..., start:end], (-1, length, self.num_heads, size)))
            start = end
        return heads

    def _join_heads(self, heads: Tensor) -> Tensor:
        joined = ops.reshape(heads, (-1, ops.shape(heads)[1], self.num_heads * self.value_dim))
        return self._project(joined, self.output_projection)  # (B, T, d_model)

    def project_memory(self, memory: Tensor) -> dict[str, Tensor]:
        """Keys (B, h, S, d_k) and values (B, h, S, d_v) of a memory (B, S, d_model): once per sentence."""
        key, value = self._split_heads(self._project(memory, self.memory_projection), self.key_dim, self.value_dim)
        return {"key": ops.transpose(key, (0, 2, 1, 3)), "value": ops.transpose(value, (0, 2, 1, 3))}

    def call(
        self,
        inputs: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """Attend from `inputs` to `memory`, or to itself; see the class."""
        if memory is None:
            projected = self._project(inputs, self.self_projection)
            query, key, value = self._split_heads(projected, self.key_dim, self.key_dim, self.value_dim)
        else:
            (query,) = self._split_heads(self._project(inputs, self.query_projection), self.key_dim)
            projected = self._project(memory, self.memory_projection)
            key, value = self._split_heads(projected, self.key_dim, self.value_dim)
        if not return_weights and not (training and self.dropout > 0):
            return self._join_heads(scaled_dot_product_attention(query, key, value, attention_mask))
        check_shapes(query.shape, key.shape, value.shape)
        weights = attention_weights(query, key, attention_mask)  # (B, h, T, S)
        dropped = self.dropout_layer(ops.cast(weights, self.compute_dtype), training=training)
        heads = ops.matmul(dropped, ops.transpose(value, (0, 2, 1, 3)))  # (B, h, T, d_v)
        output = self._join_heads(ops.transpose(heads, (0, 2, 1, 3)))
        return (output, weights) if return_weights else output

    def step(self, inputs: Tensor, cache: dict[str, Tensor], index: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """One position of self-attention over the positions before it, for K hypotheses of each sentence.

        Args:
            inputs: (B, K, d_model), the position `index` of each hypothesis.
            cache: "key" (B, K, h, L, d_k) and "value" (B, K, h, L, d_v) of the positions before `index`.
            index: scalar integer.

        Returns:
            The output (B, K, d_model), and the cache with position `index` filled in.
        """
        projected = self._project(inputs, self.self_projection)
        query, key, value = self._split_heads(projected, self.key_dim, self.key_dim, self.value_dim)
        start = (0, 0, 0, index, 0)
        keys = ops.slice_update(cache["key"], start, key[:, :, :, None, :])
        values = ops.slice_update(cache["value"], start, value[:, :, :, None, :])
        query = query[:, :, :, None, :] * (1.0 / math.sqrt(self.key_dim))  # (B, K, h, 1, d_k)
        scores = ops.matmul(query, ops.transpose(keys, (0, 1, 2, 4, 3)))  # (B, K, h, 1, L)
        weights = masked_softmax(scores, ops.arange(ops.shape(keys)[3], dtype="int32") <= index)
        heads = ops.matmul(ops.cast(weights, self.compute_dtype), values)[:, :, :, 0]  # (B, K, h, d_v)
        return self._join_heads(heads), {"key": keys, "value": values}

    def attend(self, inputs: Tensor, memory: dict[str, Tensor], mask: Tensor | None) -> Tensor:
        """Encoder-decoder attention of `inputs` (B, K, d_model) to what `project_memory` made.

        The K hypotheses of a sentence are K queries on the same keys, so nothing is copied per hypothesis.
        """
        (query,) = self._split_heads(self._project(inputs, self.query_projection), self.key_dim)
        query = ops.transpose(query, (0, 2, 1, 3)) * (1.0 / math.sqrt(self.key_dim))  # (B, h, K, d_k)
        scores = ops.matmul(query, ops.transpose(memory["key"], (0, 1, 3, 2)))  # (B, h, K, S)
        weights = ops.cast(masked_softmax(scores, mask), self.compute_dtype)
        return self._join_heads(ops.transpose(ops.matmul(weights, memory["value"]), (0, 2, 1, 3)))

    def compute_output_shape(self, inputs_shape: Any, memory_shape: Any = None) -> Any:
        """(B, T, d_model), the shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "dropout": self.dropout,
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }


def _fresh(initializer: Any, offset: int) -> Any:
    """A copy of an initializer that draws other numbers: Keras's repeat theirs at every call."""
    config = initializer.get_config()
    if config.get("seed") is not None:
        config = {**config, "seed": config["seed"] + offset}
    return type(initializer).from_config(config)
