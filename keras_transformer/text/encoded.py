"""Texts as ids, held compactly: one flat array instead of millions of lists."""

from collections.abc import Sequence
from itertools import chain
from typing import Protocol

import numpy as np

_CHUNK = 50_000  # texts encoded at a time, to bound the memory of Python lists


class HasEncode(Protocol):
    """What is asked of a tokenizer."""

    pad_id: int
    bos_id: int
    eos_id: int

    @property
    def vocab_size(self) -> int:
        """Number of pieces."""
        ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, without special ones."""
        ...


class EncodedTexts:
    """Texts encoded once, each followed by the end id.

    Args:
        tokenizer: has `encode(list of str)`, `eos_id` and `pad_id`.
        texts: the texts.

    Example:
        >>> from keras_transformer.text.tokenizer import Tokenizer
        >>> tokenizer = Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280)
        >>> encoded = EncodedTexts(tokenizer, ["a", ""])
        >>> encoded.lengths.tolist()
        [2, 1]
        >>> encoded.matrix(np.array([1, 0]), rows=3, width=3)[:, -1].tolist()
        [0, 0, 0]
    """

    def __init__(self, tokenizer: HasEncode, texts: Sequence[str]) -> None:
        self.pad_id = tokenizer.pad_id
        ids: list[np.ndarray] = []
        lengths: list[np.ndarray] = []
        for first in range(0, len(texts), _CHUNK):
            sequences = tokenizer.encode(list(texts[first : first + _CHUNK]))
            for sequence in sequences:
                sequence.append(tokenizer.eos_id)
            lengths.append(np.fromiter(map(len, sequences), np.int64, len(sequences)))
            ids.append(np.fromiter(chain.from_iterable(sequences), np.int32, int(lengths[-1].sum())))
        self.lengths = np.concatenate(lengths)
        self._ids = np.concatenate(ids)
        self._starts = np.concatenate([[0], self.lengths.cumsum()[:-1]])

    def joined(self, indices: np.ndarray) -> np.ndarray:
        """Some of the texts one after the other, each with its end id.

        Args:
            indices: (n,) int, which texts.

        Returns:
            (sum of their lengths,) int32.
        """
        lengths = self.lengths[indices]
        first = self._starts[indices] - (lengths.cumsum() - lengths)
        return self._ids[np.repeat(first, lengths) + np.arange(lengths.sum())]

    def matrix(self, indices: np.ndarray, rows: int, width: int) -> np.ndarray:
        """Some of the texts as a padded matrix.

        Args:
            indices: (n,) int, which texts, at most `rows`.
            rows: rows of the matrix; those after the texts are padding.
            width: columns, at least the longest of the texts.

        Returns:
            (rows, width) int32.
        """
        columns = np.arange(width)
        real = columns < self.lengths[indices, None]
        places = np.minimum(self._starts[indices, None] + columns, len(self._ids) - 1)
        matrix = np.full((rows, width), self.pad_id, np.int32)
        matrix[: len(indices)] = np.where(real, self._ids[places], self.pad_id)
        return matrix
