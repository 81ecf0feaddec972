"""Scaled dot-product attention (section 3.2.1), a pure function."""

import math
from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_transformer.layers.fusion import fused
from keras_transformer.layers.masks import large_negative

Tensor = Any


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) of equation 1, in float32.

    Args:
        query: (B, T, h, d_k).
        key: (B, S, h, d_k).
        mask: boolean, broadcastable to (B, h, T, S), True where a query may see a key; None shows everything.

    Returns:
        (B, h, T, S) float32; rows sum to 1, or to 0 where everything is hidden.
    """
    query = ops.transpose(query, (0, 2, 1, 3)) * (1.0 / math.sqrt(query.shape[-1]))  # (B, h, T, d_k)
    scores = ops.matmul(query, ops.transpose(key, (0, 2, 3, 1)))  # (B, h, T, S)
    return masked_softmax(scores, mask)


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis in float32, hidden positions at exactly 0, a fully hidden row all zeros."""
    scores = ops.cast(scores, "float32")
    if mask is None:
        return ops.softmax(scores)
    weights = ops.softmax(ops.where(mask, scores, large_negative("float32")))
    return ops.where(mask, weights, 0.0)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, equation 1.

    Runs on the backend's fused kernel (cuDNN, SDPA) where there is one. If the components of a query and a key are
    independent with mean 0 and variance 1, their product has variance d_k; dividing by sqrt(d_k) brings it back to 1.

    Args:
        query: (B, T, h, d_k).
        key: (B, S, h, d_k).
        value: (B, S, h, d_v).
        mask: boolean, broadcastable to (B, h, T, S), with its last axis S in full, True where a query may see a key.

    Returns:
        (B, T, h, d_v) in the dtype of `value`; zeros where everything is hidden.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> import numpy as np
        >>> q = k = np.zeros((1, 2, 1, 4), "float32")
        >>> v = np.array([1.0, 3.0], "float32").reshape(1, 2, 1, 1)
        >>> np.asarray(scaled_dot_product_attention(q, k, v)).ravel().tolist()
        [2.0, 2.0]

    Reference:
        Vaswani et al. 2017, section 3.2.1.
    """
    check_shapes(query.shape, key.shape, value.shape)
    if query.shape[-1] != value.shape[-1]:  # the fused kernels want d_k = d_v
        weights = ops.cast(attention_weights(query, key, mask), value.dtype)
        return ops.transpose(ops.matmul(weights, ops.transpose(value, (0, 2, 1, 3))), (0, 2, 1, 3))
    output = ops.dot_product_attention(query, key, value, mask=mask)
    if mask is None:
        return output
    # With a finite mask value, softmax over a fully hidden row is uniform, not empty.
    any_visible = ops.any(mask, axis=-1, keepdims=True)  # (B or 1, h or 1, T or 1, 1)
    return output * ops.cast(ops.transpose(any_visible, (0, 2, 1, 3)), output.dtype)


def graph_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """`scaled_dot_product_attention` for training on TensorFlow, which has no fused kernel for it.

    The two products are its own and the softmax between them is compiled, forward and backward; see `fused`.
    """
    query = ops.transpose(query, (0, 2, 1, 3)) * (1.0 / math.sqrt(query.shape[-1]))  # (B, h, T, d_k)
    scores = ops.matmul(query, ops.transpose(key, (0, 2, 3, 1)))  # (B, h, T, S)
    heads = ops.matmul(_softmax(scores, mask), ops.transpose(value, (0, 2, 1, 3)))  # (B, h, T, d_v)
    return ops.transpose(heads, (0, 2, 1, 3))


@fused
def _softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    return ops.cast(masked_softmax(scores, mask), scores.dtype)


def check_shapes(query: Sequence[int | None], key: Sequence[int | None], value: Sequence[int | None]) -> None:
    """Raise a ValueError that says which axes of query, key and value disagree."""
    if not len(query) == len(key) == len(value) == 4:
        raise ValueError(
            "attention takes query (B, T, h, d_k), key (B, S, h, d_k) and value (B, S, h, d_v); "
            f"received shapes {tuple(query)}, {tuple(key)} and {tuple(value)}."
        )
    for name, left, right in (
        ("key size d_k of query and key", query[3], key[3]),
        ("number of heads of query and key", query[2], key[2]),
        ("number of heads of key and value", key[2], value[2]),
        ("length of key and value", key[1], value[1]),
    ):
        if left is not None and right is not None and left != right:
            raise ValueError(f"the {name} must be equal; received {left} and {right}.")
