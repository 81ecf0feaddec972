"""A vocabulary for each language."""

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from keras_transformer.text.files import write_atomically
from keras_transformer.text.tokenizer import Tokenizer, source_path

__all__ = ["TokenizerPair"]


class TokenizerPair(Tokenizer):
    """Two vocabularies, for languages that share too few characters to share one.

    Whatever takes a `Tokenizer` takes a pair: it *is* the target's tokenizer, and `source` encodes the sources. The
    model has to be one with `tie_embeddings` "decoder" or "none", and `source_vocab_size`.

    Args:
        source: encodes sources.
        target: encodes and decodes targets.

    Example:
        >>> pair = TokenizerPair.train_apart([("a dog runs", "犬が走る"), ("a dog", "犬")], vocab_size=270)
        >>> pair.source.decode(pair.source.encode(["a dog"])), pair.decode(pair.encode(["犬"]))
        (['a dog'], ['犬'])

    Reference:
        Vaswani et al. 2017, section 5.1, shares one vocabulary; section 3.4 shares its embeddings.
    """

    def __init__(self, source: Tokenizer, target: Tokenizer) -> None:
        super().__init__(target.proto)
        self._source = source

    @classmethod
    def train_apart(cls, pairs: Any, vocab_size: int, source_vocab_size: int | None = None) -> Self:
        """Learn a vocabulary from each side.

        Args:
            pairs: a `ParallelCorpus`, or any sequence of pairs of strings.
            vocab_size: number of the target's pieces.
            source_vocab_size: number of the source's pieces; `vocab_size` if None.

        Returns:
            The pair.

        Raises:
            InputError: a side does not allow a vocabulary of this size.
        """
        sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
        return cls(Tokenizer.train([sources], source_vocab_size or vocab_size), Tokenizer.train([targets], vocab_size))

    @property
    def source(self) -> Tokenizer:
        """The source's tokenizer."""
        return self._source

    def save(self, path: str | Path) -> None:
        """Write the target's model file, and the source's beside it under the same name after `source-`.

        Args:
            path: the file of the target; `Tokenizer.load` of it finds both.

        Raises:
            InputError: the folder cannot be written to.
        """
        write_atomically(source_path(path), self._source.proto)
        write_atomically(path, self.proto)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of both model files."""
        return hashlib.sha256(self._source.proto + self.proto).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenizerPair) and (self._source, self.proto) == (other._source, other.proto)

    def __hash__(self) -> int:
        return hash((self._source, self.proto))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self._source, Tokenizer(self.proto))

    def __repr__(self) -> str:
        return f"TokenizerPair(source={self._source!r}, vocab_size={self.vocab_size})"
