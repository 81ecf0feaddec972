"""Batches as matrices: a pair in each row, or several one after the other."""

from typing import NamedTuple

import numpy as np

from keras_transformer.text.buckets import Bucket
from keras_transformer.text.encoded import EncodedTexts, HasEncode

Batch = tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]


class Texts(NamedTuple):
    """Both sides of a corpus as ids.

    Attributes:
        source: the sources.
        target: the targets.
        tokenizer: has the special ids of the target.
    """

    source: EncodedTexts
    target: EncodedTexts
    tokenizer: HasEncode


def padded_batch(texts: Texts, indices: np.ndarray, shape: Bucket) -> Batch:
    """A pair in each row.

    Args:
        texts: the corpus.
        indices: (n,) int, which pairs, at most the rows of the shape; the other rows are padding.
        shape: the batch's.

    Returns:
        `((source, target_in), target_out, weights)`.
    """
    source = texts.source.matrix(indices, shape.rows, shape.source_edge)
    target_out = texts.target.matrix(indices, shape.rows, shape.target_edge)
    target_in = np.full_like(target_out, texts.tokenizer.pad_id)
    target_in[: len(indices), 0] = texts.tokenizer.bos_id
    target_in[:, 1:] = target_out[:, :-1]
    target_in[target_in == texts.tokenizer.eos_id] = texts.tokenizer.pad_id
    real = np.arange(shape.target_edge) < texts.target.lengths[indices, None]
    weights = np.zeros(target_out.shape, np.float32)
    weights[: len(indices)] = real / np.float32(real.sum())
    return (source, target_in), target_out, weights


def packed_batch(texts: Texts, indices: np.ndarray, rows: np.ndarray, shape: Bucket) -> Batch:
    """Several pairs in each row, numbered from 1.

    Args:
        texts: the corpus.
        indices: (n,) int, which pairs.
        rows: (n,) int, the row of each, rising.
        shape: the batch's.

    Returns:
        `((source, target_in, source_segments, target_segments), target_out, weights)`.
    """
    numbers = np.arange(len(rows)) - np.searchsorted(rows, rows) + 1  # within its row
    source, source_segments = _pack(texts.source, indices, rows, numbers, (shape.rows, shape.source_edge))
    target_out, target_segments = _pack(texts.target, indices, rows, numbers, (shape.rows, shape.target_edge))
    first = np.diff(target_segments, prepend=0) > 0
    real = target_segments > 0
    before = np.roll(target_out, 1, axis=1)
    target_in = np.where(first, texts.tokenizer.bos_id, before) * real + texts.tokenizer.pad_id * ~real
    weights = real / np.float32(real.sum())
    inputs = (source, target_in.astype(np.int32), source_segments, target_segments)
    return inputs, target_out, weights.astype(np.float32)


def _pack(
    texts: EncodedTexts, indices: np.ndarray, rows: np.ndarray, numbers: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Texts one after the other in their rows, and which of the row each token belongs to."""
    lengths = texts.lengths[indices]
    before = lengths.cumsum() - lengths
    columns = before - before[np.searchsorted(rows, rows)]  # each row starts anew
    places = np.repeat(rows * shape[1] + columns - before, lengths) + np.arange(lengths.sum())
    ids, segments = np.full(shape, texts.pad_id, np.int32), np.zeros(shape, np.int32)
    ids.ravel()[places] = texts.joined(indices)
    segments.ravel()[places] = np.repeat(numbers, lengths)
    return ids, segments
