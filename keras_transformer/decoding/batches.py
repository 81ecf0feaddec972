"""Rows of ids in batches of alike length, in shapes that a compiler sees again and again."""

from collections.abc import Callable, Iterator, Sequence

import keras
import numpy as np
import numpy.typing as npt

LENGTH_MULTIPLE = 8
"""Lengths are padded up to a multiple of this, so that there are few shapes to compile for."""


def by_length(lengths: Sequence[int], rows: Callable[[int], int]) -> Iterator[list[int]]:
    """Positions of rows, grouped by length, shortest first.

    Args:
        lengths: length of each row, in tokens.
        rows: how many rows a batch may hold whose longest row has so many tokens; not more for longer ones.

    Yields:
        Positions into `lengths`; every position once.

    Example:
        >>> list(by_length([9, 2, 3, 2], rows=lambda length: 2))
        [[1, 3], [2, 0]]
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        if batch and len(batch) >= rows(lengths[position]):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def padded(length: int) -> int:
    """`length` rounded up to a multiple of 8.

    Example:
        >>> padded(1), padded(8), padded(9)
        (8, 8, 16)
    """
    return -(-length // LENGTH_MULTIPLE) * LENGTH_MULTIPLE


def compiles_each_shape() -> bool:
    """Whether the backend compiles anew for each batch size; then short batches are filled up with empty rows."""
    return keras.backend.backend() == "jax"


def pad_rows(
    rows: Sequence[Sequence[int]], pad_id: int, full: int, max_length: int | None = None
) -> npt.NDArray[np.int32]:
    """One array of rows of different lengths.

    Args:
        rows: sequences of ids.
        pad_id: what fills them up.
        full: the rows a batch holds. Where the backend compiles for each shape, fewer are filled up with empty rows to
            a power of two, or to `full` if that is less.
        max_length: the most positions the model can read, no less than the longest row; None for any number.

    Returns:
        (B, S) int32, S a multiple of 8, or `max_length` if that is less.

    Example:
        >>> pad_rows([[5, 2], [5, 6, 2]], pad_id=0, full=2)
        array([[5, 2, 0, 0, 0, 0, 0, 0],
               [5, 6, 2, 0, 0, 0, 0, 0]], dtype=int32)
    """
    count = len(rows)
    if compiles_each_shape():
        count = max(count, min(full, 1 << (count - 1).bit_length()))
    length = padded(max(map(len, rows), default=1))
    length = length if max_length is None else min(length, max_length)
    ids = np.full((count, length), pad_id, dtype="int32")
    for position, row in enumerate(rows):
        ids[position, : len(row)] = row
    return ids
