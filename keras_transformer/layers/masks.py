"""Masks as pure functions: boolean, True where a position may be seen (section 3.2.3).

They are computed once, from token ids, in the model, and passed on explicitly: arithmetic on tensors drops Keras's
implicit masks without a word.
"""

from typing import Any

import keras
from keras import ops

Tensor = Any


def padding_mask(ids: Tensor, pad_id: int = 0) -> Tensor:
    """Hide padding from every query.

    Args:
        ids: integer tensor (B, S) of token ids.
        pad_id: the id that marks padding.

    Returns:
        Boolean tensor (B, 1, 1, S), True at real tokens; it broadcasts over heads and queries.

    Example:
        >>> import numpy as np
        >>> np.asarray(padding_mask(np.array([[5, 6, 0]]))).tolist()
        [[[[True, True, False]]]]
    """
    return ops.not_equal(ids, pad_id)[:, None, None, :]


def causal_mask(length: Any) -> Tensor:
    """Hide the future: position i sees the positions j <= i, itself included.

    Args:
        length: number of positions T, an int or a scalar tensor.

    Returns:
        Boolean tensor (1, 1, T, T), True on and below the diagonal.

    Example:
        >>> import numpy as np
        >>> np.asarray(causal_mask(3))[0, 0].astype(int).tolist()
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    positions = ops.arange(length, dtype="int32")
    return ops.greater_equal(positions[:, None], positions[None, :])[None, None]


def segment_mask(query_segments: Tensor, key_segments: Tensor) -> Tensor:
    """Hide the other sequences of a row from each other, where several are packed into one row; and padding.

    Args:
        query_segments: integer tensor (B, T), which sequence of its row each position belongs to, from 1; 0 is padding.
        key_segments: (B, S), the same for the positions that are looked at.

    Returns:
        Boolean tensor (B, 1, T, S), True where both belong to one sequence. Padding sees nothing.

    Example:
        >>> import numpy as np
        >>> segments = np.array([[1, 1, 2, 0]])
        >>> np.asarray(segment_mask(segments, segments))[0, 0].astype(int).tolist()
        [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    """
    query, key = query_segments[:, None, :, None], key_segments[:, None, None, :]
    return ops.logical_and(ops.equal(query, key), ops.not_equal(query, 0))


def segment_positions(segments: Tensor) -> Tensor:
    """The position of each token within its own sequence, where several are packed into one row.

    Args:
        segments: integer tensor (B, T), as for `segment_mask`.

    Returns:
        int32 tensor (B, T), from 0 in each sequence; 0 at padding.

    Example:
        >>> import numpy as np
        >>> np.asarray(segment_positions(np.array([[1, 1, 1, 2, 2, 0]]))).tolist()
        [[0, 1, 2, 0, 1, 0]]
    """
    own_past = ops.logical_and(causal_mask(ops.shape(segments)[1]), segment_mask(segments, segments))
    return ops.maximum(ops.sum(ops.cast(own_past[:, 0], "int32"), axis=-1) - 1, 0)


def large_negative(dtype: str) -> float:
    """The score of a hidden position: finite, and within what `dtype` can hold.

    Args:
        dtype: a floating point dtype name.

    Returns:
        About minus 0.7 times the largest number of the dtype, so that adding a score to it cannot overflow.

    Example:
        >>> large_negative("float16") > -65504
        True
    """
    largest = 65504.0 if keras.backend.standardize_dtype(dtype) == "float16" else 3.38e38
    return -0.7 * largest
