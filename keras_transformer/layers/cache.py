"""The write of one position into a cache of keys or values."""

from typing import Any

import keras
from keras import ops

Tensor = Any


def write_position(cache: Tensor, place: Any, new: Tensor) -> Tensor:
    """Put what K hypotheses have at one position into the cache.

    Args:
        cache: (B, h, L, K size).
        place: scalar integer in [0, L).
        new: (B, h, K, size).

    Returns:
        (B, h, L, K size). TensorFlow and XLA write into the memory of `cache` where nobody else holds it.

    Example:
        >>> import numpy as np
        >>> cache = write_position(np.zeros((1, 1, 3, 2), "float32"), 1, np.ones((1, 1, 2, 1), "float32"))
        >>> ops.convert_to_numpy(cache)[0, 0].tolist()
        [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    """
    rows, heads, length, width = ops.shape(cache)
    if keras.backend.backend() != "tensorflow":
        return ops.slice_update(cache, (0, 0, place, 0), ops.reshape(new, (rows, heads, 1, width)))
    # `slice_update` copies the cache there; a scatter of rows does not.
    where = ops.arange(rows * heads, dtype="int32") * length + place  # (B h,)
    flat = ops.reshape(cache, (-1, width))
    flat = ops.scatter_update(flat, ops.expand_dims(where, 1), ops.reshape(new, (-1, width)))
    return ops.reshape(flat, (rows, heads, length, width))
