"""What decoding asks of a model and of a tokenizer: duck types, so that it imports neither."""

from collections.abc import Sequence
from typing import Any, Protocol


class SpecialIds(Protocol):
    """Where a model keeps the ids of its special tokens."""

    @property
    def pad_id(self) -> int:
        """Id that fills the end of a row."""

    @property
    def bos_id(self) -> int:
        """Id that starts every decoder input."""

    @property
    def eos_id(self) -> int:
        """Id that ends every source and every target."""


class StepModel(Protocol):
    """An encoder-decoder that can predict one position at a time.

    `keras_transformer.Transformer` is one. B sentences, K beams, S source positions, V vocabulary entries. Two more
    attributes are read where they are there: `max_length`, the most positions it can read, and `cache_limit`, the most
    positions its cache needs, however long the hypothesis; None is no limit.
    """

    @property
    def config(self) -> SpecialIds:
        """Where the ids of the special tokens are."""

    def encode(self, source: Any, training: bool | None = False) -> Any:
        """Read the sources (B, S), once: memory (B, S, d_model)."""

    def init_cache(self, memory: Any, source: Any, beam_size: int, length: Any) -> dict[str, Any]:
        """Room for `length` positions: an int, or a scalar tensor in a graph with dynamic shapes.

        Entry "self" holds tensors (B, K, ..., length, size), the only ones that the search reorders and lengthens;
        "slots" tensors that grow too; "shared" is the same for all sentences; the others are per sentence.
        """

    def decode_step(self, ids: Any, index: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Read `ids` (B, K) at position `index`: logits (B, K, V) of the next position, and the new cache."""


def source_side(tokenizer: Any) -> Any:
    """What encodes sources: a tokenizer's `source` where it has one (`TokenizerPair`), else the tokenizer itself."""
    return getattr(tokenizer, "source", tokenizer)


class TokenizerLike(Protocol):
    """Text to ids and back. `keras_transformer.Tokenizer` is one."""

    @property
    def vocab_size(self) -> int:
        """Number of pieces, special ones included."""

    @property
    def pad_id(self) -> int:
        """Id that fills the end of a row."""

    @property
    def bos_id(self) -> int:
        """Id that starts every decoder input."""

    @property
    def eos_id(self) -> int:
        """Id that ends every source and every target."""

    def encode(self, texts: list[str]) -> list[list[int]]:
        """Ids of each text, without special ids."""

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """Text of each id sequence."""

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The sub-words of one id sequence."""
