"""Multi-head attention (section 3.2.2)."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.cache import slot_attention, write_position
from keras_transformer.layers.dropout import Dropout
from keras_transformer.layers.initializers import another
from keras_transformer.layers.local_attention import band_mask, local_attention
from keras_transformer.layers.projection import HeadProjection
from keras_transformer.layers.rotary import rotate
from keras_transformer.layers.scaled_dot_product import attention_weights, graph_attention, scaled_dot_product_attention
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
        window: (left, right) restricts self-attention to that many positions before and after: see `local_attention`.
        rotary: turn queries and keys of self-attention by their positions: see `rotate`.

    Call arguments:
        inputs: (B, T, d_model).
        memory: (B, S, d_model) or None for self-attention; must be given at every call or at none.
        attention_mask: boolean, broadcastable to (B, h, T, S), True where visible; with a window (B, 1, 1, T).
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
        window: tuple[int, int] | None = None,
        rotary: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = value_dim or key_dim
        self.dropout = dropout
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.window = None if window is None else (window[0], window[1])
        self.rotary = rotary
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape: Sequence[int | None], memory_shape: Sequence[int | None] | None = None) -> None:
        """Create W^Q W^K W^V (self-attention) or W^Q and W^K W^V (with a memory), and W^O."""
        if memory_shape is None:
            sizes = (self.key_dim, self.key_dim, self.value_dim)
            self.self_projection = self._projection("qkv", 0, inputs_shape, sizes)
        else:
            self.query_projection = self._projection("q", 0, inputs_shape, (self.key_dim,))
            self.memory_projection = self._projection("kv", 1, memory_shape, (self.key_dim, self.value_dim))
        kernel, d_model = another(self.kernel_initializer, 3), inputs_shape[-1]
        self.output_projection = keras.layers.Dense(
            d_model, use_bias=self.use_bias, kernel_initializer=kernel, dtype=self.dtype_policy, name="output"
        )
        self.output_projection.build((*inputs_shape[:-1], self.num_heads * self.value_dim))
        self.built = True

    def _projection(self, name: str, number: int, shape: Any, sizes: tuple[int, ...]) -> HeadProjection:
        kernel = another(self.kernel_initializer, number)
        layer = HeadProjection(self.num_heads, sizes, self.use_bias, kernel, dtype=self.dtype_policy, name=name)
        layer.build(shape)
        return layer

    def _join_heads(self, heads: Tensor) -> Tensor:
        """Concat(head_1 .. head_h) W^O: (B, T, h, d_v) -> (B, T, d_model)."""
        return self.output_projection(ops.reshape(heads, (*ops.shape(heads)[:2], self.num_heads * self.value_dim)))

    def project_memory(self, memory: Tensor, mask: Tensor | None = None) -> dict[str, Tensor]:
        """Keys (B, h, S, d_k) and values (B, h, S, d_v) of a memory (B, S, d_model), once per sentence.

        Values are 0 where `mask`, boolean (B, 1, 1, S), hides them: a memory all hidden gives zeros.
        """
        key, value = (ops.transpose(heads, (0, 2, 1, 3)) for heads in self.memory_projection(memory))
        if mask is not None:
            value = ops.where(ops.transpose(mask, (0, 1, 3, 2)), value, 0.0)
        return {"key": key, "value": value}

    def call(
        self,
        inputs: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """Attend from `inputs` to `memory`, or to itself; see the class."""
        query, key, value = self._project(inputs, memory)
        dropout = self.dropout_layer if training and self.dropout > 0 else None
        if self.window is not None and not return_weights:
            return self._join_heads(local_attention(query, key, value, self.window, attention_mask, dropout))
        if not return_weights and dropout is None:
            graph = training and keras.backend.backend() == "tensorflow"
            attend = graph_attention if graph else scaled_dot_product_attention
            return self._join_heads(attend(query, key, value, attention_mask))
        if self.window is not None:  # somebody wants to see the whole matrix
            attention_mask = band_mask(ops.shape(inputs)[1], self.window, attention_mask)
        weights = attention_weights(query, key, attention_mask)  # (B, h, T, S)
        dropped = self.dropout_layer(ops.cast(weights, self.compute_dtype), training=training)
        heads = ops.matmul(dropped, ops.transpose(value, (0, 2, 1, 3)))  # (B, h, T, d_v)
        output = self._join_heads(ops.transpose(heads, (0, 2, 1, 3)))
        return (output, weights) if return_weights else output

    def _project(self, inputs: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (B, T, h, d_k), keys (B, S, h, d_k), values (B, S, h, d_v)."""
        if memory is not None:
            (query,) = self.query_projection(inputs)
            return (query, *self.memory_projection(memory))
        query, key, value = self.self_projection(inputs)
        if self.rotary:
            positions = ops.arange(ops.shape(inputs)[1], dtype="int32")
            query, key = rotate(query, positions), rotate(key, positions)
        return query, key, value

    def step(
        self, inputs: Tensor, cache: dict[str, Tensor], index: Any, hidden: Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """One position of self-attention over the positions before it, for K hypotheses of each sentence.

        The cache has K slots at each position. What was written stays there; `hidden` says which slots hold the past of
        which hypothesis, so nothing moves when hypotheses do.

        Args:
            inputs: (B K, d_model), the position `index` of each hypothesis.
            cache: "key" (B, h, L, K d_k) and "value" (B, h, L, K d_v) of the positions before `index`; with a window
                L may be left + 1, whatever the length: the cache is a ring then. Without one each position is written
                once.
            index: scalar integer.
            hidden: (B, 1, K, L K), 0 where a hypothesis sees a slot, its own at `index` too; see `slot_attention`.

        Returns:
            The output (B K, d_model), and the cache with position `index` filled in.
        """
        query, key, value = self.self_projection(inputs)  # (B K, h, size)
        if self.rotary:  # the hypotheses stand on one position
            query, key = (rotate(x[:, None], ops.reshape(index, (1,)))[:, 0] for x in (query, key))
        rows, heads, length, _ = ops.shape(cache["key"])
        blank = self.window is None  # a ring is written more than once
        keys, values = (write_position(cache[k], index % length, x, blank) for k, x in (("key", key), ("value", value)))
        slots, beams = (rows, heads, length * hidden.shape[2]), hidden.shape[2]
        of_slots = ops.reshape(keys, (*slots, self.key_dim)), ops.reshape(values, (*slots, self.value_dim))
        return self.output_projection(slot_attention(query, *of_slots, hidden, beams)), {"key": keys, "value": values}

    def attend(self, inputs: Tensor, memory: dict[str, Tensor], hidden: Tensor | None, beams: int) -> Tensor:
        """Encoder-decoder attention of `inputs` (B K, d_model) to what `project_memory` made, K = `beams`.

        `hidden` is (B, 1, 1, S), very large where the source is padding, or None; see `slot_attention`.
        """
        (query,) = self.query_projection(inputs)
        return self.output_projection(slot_attention(query, memory["key"], memory["value"], hidden, beams))

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
            "window": self.window,
            "rotary": self.rotary,
        }
