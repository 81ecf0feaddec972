"""Attention for the newest position of K hypotheses, on keys and values that are kept."""

import math
import sys
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.scaled_dot_product import masked_softmax

Tensor = Any


def write_position(cache: Tensor, place: Any, new: Tensor, blank: bool = False) -> Tensor:
    """Put what K hypotheses have at one position into the cache.

    Args:
        cache: (B, h, L, K size).
        place: scalar integer in [0, L).
        new: (B K, h, size).
        blank: whether only zeros have stood there: then a graph of TensorFlow writes into the memory of `cache`, as
            XLA always does, unless somebody else holds it.

    Returns:
        (B, h, L, K size).

    Example:
        >>> import numpy as np
        >>> cache = write_position(np.zeros((1, 1, 3, 2), "float32"), 1, np.ones((2, 1, 1), "float32"))
        >>> ops.convert_to_numpy(cache)[0, 0].tolist()
        [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    """
    rows, heads, length, width = ops.shape(cache)
    new = _by_sentence(new, width // new.shape[-1])  # (B, h, K, size)
    if keras.backend.backend() != "tensorflow":
        return ops.slice_update(cache, (0, 0, place, 0), ops.reshape(new, (rows, heads, 1, width)))
    where = ops.arange(rows * heads, dtype="int32") * length + place  # (B h,)
    flat = ops.reshape(cache, (-1, width))
    where, new = ops.expand_dims(where, 1), ops.reshape(new, (-1, width))
    tensorflow = sys.modules["tensorflow"]
    if blank and not tensorflow.executing_eagerly():  # every other scatter copies the whole cache
        flat = tensorflow.raw_ops.ScatterNdNonAliasingAdd(input=flat, indices=where, updates=new)
    else:
        flat = ops.scatter_update(flat, where, new)
    return ops.reshape(flat, (rows, heads, length, width))


def slot_attention(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor | None, beams: int) -> Tensor:
    """Equation 1 for K hypotheses of each sentence, which are K queries on the same M keys.

    Args:
        query: (B K, h, d_k).
        key: (B, h, M, d_k).
        value: (B, h, M, d_v).
        hidden: float32 that stretches to (B, h, K, M), subtracted from the scores: 0 where a query sees a key, else
            very large; None shows everything.
        beams: K.

    Returns:
        (B K, h d_v), the heads side by side.
    """
    query = _by_sentence(query, beams) * (1.0 / math.sqrt(query.shape[-1]))  # (B, h, K, d_k)
    scores = ops.cast(ops.matmul(query, ops.transpose(key, (0, 1, 3, 2))), "float32")  # (B, h, K, M)
    # Subtracted, not added: TensorFlow 2.21 fuses a sum into the product, and then a loop over a decoder of one
    # layer gives empty tensors. `where` with a mask to be broadcast is slow there.
    scores = scores if hidden is None else scores - hidden
    weights = ops.cast(masked_softmax(scores, None), value.dtype)
    heads = ops.transpose(ops.matmul(weights, value), (0, 2, 1, 3))  # (B, K, h, d_v)
    return ops.reshape(heads, (-1, heads.shape[2] * heads.shape[3]))


def _by_sentence(heads: Tensor, beams: int) -> Tensor:
    """(B K, h, size) -> (B, h, K, size)."""
    heads = ops.reshape(heads, (-1, beams, *heads.shape[1:]))
    return ops.transpose(heads, (0, 2, 1, 3))
