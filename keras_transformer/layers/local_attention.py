"""Self-attention restricted to neighbours, in blocks: time and memory O(r n d) (section 4, table 1)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from keras import ops

from keras_transformer.layers.scaled_dot_product import check_shapes, masked_softmax

Tensor = Any

SMALLEST_BLOCK = 32
"""Positions in a block at least: products of smaller matrices cost more than the few hidden scores they save."""


def band_mask(length: Any, window: tuple[int, int], mask: Tensor | None = None) -> Tensor:
    """The same restriction as a mask for full attention: position i sees i - left <= j <= i + right.

    Args:
        length: number of positions n, an int or a scalar tensor.
        window: (left, right).
        mask: a mask (B, 1, 1, n) that hides further positions.

    Returns:
        Boolean tensor (1 or B, 1, n, n).

    Example:
        >>> import numpy as np
        >>> np.asarray(band_mask(4, (1, 0)))[0, 0].astype(int).tolist()
        [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    positions = ops.arange(length, dtype="int32")
    offset = positions[None, :] - positions[:, None]
    band = ops.logical_and(offset >= -window[0], offset <= window[1])[None, None]
    return band if mask is None else ops.logical_and(band, mask)


def local_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    window: tuple[int, int],
    mask: Tensor | None = None,
    dropout: Callable[..., Tensor] | None = None,
) -> Tensor:
    """Attention of each position to the `left` positions before it, itself, and the `right` positions after it.

    The positions are cut into blocks no shorter than the window; the queries of a block are compared with the keys of
    the same block and of the one before and after. So n (2 or 3) c scores are computed, c the length of a block, and
    no n x n matrix exists at any time.

    Args:
        query: (B, n, h, d_k).
        key: (B, n, h, d_k).
        value: (B, n, h, d_v).
        window: (left, right): (r/2, r/2) for r neighbours around a position, (r, 0) for r neighbours before it.
        mask: boolean (B, 1, 1, n) or (1, 1, 1, n), True at keys that may be seen; None shows all.
        dropout: a dropout layer for the weights, in training.

    Returns:
        (B, n, h, d_v) in the dtype of `value`; zeros where everything is hidden.

    Raises:
        ValueError: the shapes do not fit together, or the mask differs from query to query.

    Example:
        >>> import numpy as np
        >>> q = k = np.zeros((1, 3, 1, 2), "float32")
        >>> v = np.array([1.0, 3.0, 8.0], "float32").reshape(1, 3, 1, 1)
        >>> ops.convert_to_numpy(local_attention(q, k, v, window=(1, 0))).ravel().tolist()
        [1.0, 2.0, 5.5]

    Reference:
        Vaswani et al. 2017, section 4: "self-attention could be restricted to considering only a neighborhood of
        size r".
    """
    check_shapes(query.shape, key.shape, value.shape)
    _check_mask(mask)
    length = ops.shape(query)[1]
    block = max(*window, SMALLEST_BLOCK)
    sides = (window[0] > 0, window[1] > 0)
    queries = _blocks(query * (1.0 / math.sqrt(query.shape[-1])), block)  # (B, m, c, h, d_k)
    keys, values = (_with_neighbours(_blocks(x, block), sides) for x in (key, value))  # (B, m, s, h, d)
    scores = ops.matmul(ops.transpose(queries, (0, 1, 3, 2, 4)), ops.transpose(keys, (0, 1, 3, 4, 2)))
    weights = masked_softmax(scores, _visible(query, mask, block, window, sides))  # (B, m, h, c, s)
    weights = ops.cast(weights, value.dtype)
    weights = weights if dropout is None else dropout(weights, training=True)
    heads = ops.matmul(weights, ops.transpose(values, (0, 1, 3, 2, 4)))  # (B, m, h, c, d_v)
    heads = ops.transpose(heads, (0, 1, 3, 2, 4))
    shape = ops.shape(heads)
    return ops.reshape(heads, (shape[0], shape[1] * block, *heads.shape[3:]))[:, :length]


def _blocks(inputs: Tensor, block: int) -> Tensor:
    """(B, n, ...) -> (B, m, c, ...), m = n / c rounded up, zeros (False) at the end."""
    rows, length = ops.shape(inputs)[:2]
    missing = (block - length % block) % block
    zeros = ops.zeros((rows, missing, *inputs.shape[2:]), dtype=inputs.dtype)
    count = (length + missing) // block
    return ops.reshape(ops.concatenate([inputs, zeros], axis=1), (rows, count, block, *inputs.shape[2:]))


def _with_neighbours(blocks: Tensor, sides: tuple[bool, bool]) -> Tensor:
    """Each block behind the one before it and ahead of the one after it, as the window needs: (B, m, s, ...)."""
    nothing = ops.zeros_like(blocks[:, :1])
    before = [ops.concatenate([nothing, blocks[:, :-1]], axis=1)] if sides[0] else []
    after = [ops.concatenate([blocks[:, 1:], nothing], axis=1)] if sides[1] else []
    return ops.concatenate([*before, blocks, *after], axis=2)


def _visible(query: Tensor, mask: Tensor | None, block: int, window: tuple[int, int], sides: tuple[bool, bool]) -> Any:
    """Boolean (B or 1, m, 1, c, s): keys within the window that exist and are not hidden."""
    first, last = -block * sides[0], block * (1 + sides[1])
    offset = np.arange(first, last)[None, :] - np.arange(block)[:, None]  # (c, s)
    within = ops.convert_to_tensor((offset >= -window[0]) & (offset <= window[1]))
    exists = ops.ones_like(query[:1, :, 0, 0], dtype="bool") if mask is None else mask[:, 0, 0, :]  # (B or 1, n)
    exists = _with_neighbours(_blocks(exists, block), sides)  # (B or 1, m, s)
    return ops.logical_and(exists[:, :, None, None, :], within)


def _check_mask(mask: Tensor | None) -> None:
    if mask is not None and (len(mask.shape) != 4 or mask.shape[1] != 1 or mask.shape[2] != 1):
        raise ValueError(
            "local attention makes its own causal and neighbourhood mask and takes a padding mask (B, 1, 1, n) beside "
            f"it; received a mask of shape {tuple(mask.shape)}. See layers.padding_mask."
        )
