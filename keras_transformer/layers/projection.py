"""The heads' projections of section 3.2.2: several matrices side by side, one product."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.initializers import another
from keras_transformer.registration import register

Tensor = Any


@register
class HeadProjection(keras.layers.Layer):
    """X W_1, X W_2, ... for all heads: each W_i is d_model x (h size_i), and all are one matrix and one product.

    Each W_i is initialised by its own fan-in and fan-out, as if it stood alone.

    Args:
        num_heads: h.
        sizes: size of a head in each of the projections: (d_k, d_k, d_v) gives queries, keys and values.
        use_bias: add a bias to each (the paper's have none).
        kernel_initializer: for each of the matrices.

    Call arguments:
        inputs: (B, T, d_model).

    Returns:
        When called: one tensor (B, T, h, size) per size, a list.

    Example:
        >>> import numpy as np
        >>> query, value = HeadProjection(num_heads=2, sizes=(3, 4))(np.ones((1, 5, 8), "float32"))
        >>> query.shape == (1, 5, 2, 3), value.shape == (1, 5, 2, 4)
        (True, True)

    Reference:
        Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        num_heads: int,
        sizes: Sequence[int],
        use_bias: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.sizes = tuple(sizes)
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Create the matrix (d_model, h * sum of sizes) and its bias."""
        fan_in, widths = inputs_shape[-1], [self.num_heads * size for size in self.sizes]

        def side_by_side(shape: Any, dtype: Any = None) -> Tensor:
            parts = [another(self.kernel_initializer, i)((fan_in, w), dtype=dtype) for i, w in enumerate(widths)]
            return ops.concatenate(parts, axis=-1)

        self.kernel = self.add_weight(name="kernel", shape=(fan_in, sum(widths)), initializer=side_by_side)
        if self.use_bias:
            self.bias = self.add_weight(name="bias", shape=(sum(widths),), initializer="zeros")
        self.built = True

    def call(self, inputs: Tensor) -> list[Tensor]:
        """(B, T, d_model) -> one (B, T, h, size) per size."""
        outputs = ops.matmul(inputs, self.kernel)  # (B, T, sum of h * size)
        if self.use_bias:
            outputs = outputs + self.bias
        rows = ops.shape(inputs)[:-1]
        ends = list(accumulate(self.num_heads * size for size in self.sizes))
        # A split, and not slices: the gradient of slices is a padded copy of the whole for each.
        parts = ops.split(outputs, ends[:-1], axis=-1) if len(ends) > 1 else [outputs]
        return [ops.reshape(part, (*rows, self.num_heads, size)) for part, size in zip(parts, self.sizes, strict=True)]

    def compute_output_shape(self, inputs_shape: Any) -> Any:
        """One (B, T, h, size) per size."""
        return [(*inputs_shape[:-1], self.num_heads, size) for size in self.sizes]

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "sizes": self.sizes,
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
