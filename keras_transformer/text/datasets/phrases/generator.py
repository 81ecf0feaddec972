"""Deterministic splits of English-German pairs from the grammar."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from keras_transformer.text.datasets.phrases.english import english_sentence
from keras_transformer.text.datasets.phrases.german import german_sentence
from keras_transformer.text.datasets.phrases.lexicon import load_lexicon
from keras_transformer.text.datasets.phrases.sentences import SentenceChooser
from keras_transformer.text.datasets.phrases.tree import Sentence

__all__ = ["LONGEST", "SHORTEST", "Splits", "generate", "long_sentences", "sentences"]

SHORTEST, LONGEST = 3, 14  # words of a training sentence, on either side
LONGEST_LONG = 24  # words of a sentence of the "long" split

Pair = tuple[str, str]

_NAMES = tuple(name.text for name in load_lexicon().names)


class Splits(NamedTuple):
    """Pairs of English and German sentences.

    Args:
        train: Pairs to train on.
        valid: Pairs to validate on.
        test: Held-out pairs of the same kind.
        long: Held-out pairs whose sentences are longer, on both sides, than any sentence of the others.
    """

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]
    long: list[Pair]


def _spell(sentence: Sentence) -> Pair:
    return english_sentence(sentence), german_sentence(sentence)


def _names_twice(english: str) -> bool:
    return any(english.count(name) > 1 for name in _NAMES)


def _lengths(pair: Pair) -> tuple[int, int]:
    return pair[0].count(" ") + 1, pair[1].count(" ") + 1


def _distinct(pairs: Iterator[Pair]) -> Iterator[Pair]:
    """Drop every pair one of whose two sentences was there before."""
    seen_english: set[str] = set()
    seen_german: set[str] = set()
    for pair in pairs:
        if pair[0] in seen_english or pair[1] in seen_german:
            continue
        seen_english.add(pair[0])
        seen_german.add(pair[1])
        yield pair


def sentences(seed: int) -> Iterator[Pair]:
    """Yield an endless stream of pairs of 3 to 14 words a side, with repetitions.

    Args:
        seed: The stream depends on it alone.

    Yields:
        English and German sentence.

    Example:
        >>> english, german = next(sentences(seed=1))
    """
    chooser = SentenceChooser(random.Random(f"phrases {seed}"))
    while True:
        pair = _spell(chooser.sentence())
        shorter, longer = sorted(_lengths(pair))
        if shorter >= SHORTEST and longer <= LONGEST and not _names_twice(pair[0]):
            yield pair


def long_sentences(seed: int) -> Iterator[Pair]:
    """Yield an endless stream of pairs of 15 to 24 words a side: the same clauses, more of them joined.

    Args:
        seed: The stream depends on it alone.

    Yields:
        English and German sentence.
    """
    chooser = SentenceChooser(random.Random(f"long phrases {seed}"))
    while True:
        pair = _spell(chooser.long_sentence())
        shorter, longer = sorted(_lengths(pair))
        if shorter > LONGEST and longer <= LONGEST_LONG and not _names_twice(pair[0]):
            yield pair


def generate(pairs: int, seed: int = 1, *, valid: int = 500, test: int = 500, long: int = 300) -> Splits:
    """Generate all splits.

    No English and no German sentence occurs twice, in one split or in two. The held-out splits come first from the
    random stream, so they do not depend on the number of training pairs.

    Args:
        pairs: Number of training pairs.
        seed: The result depends on it and the sizes alone.
        valid: Number of pairs to validate on.
        test: Number of held-out pairs.
        long: Number of held-out long pairs.

    Returns:
        The splits.

    Example:
        >>> splits = generate(100, seed=1, valid=10, test=10, long=5)
        >>> [len(split) for split in splits]
        [100, 10, 10, 5]
        >>> splits == generate(100, seed=1, valid=10, test=10, long=5)
        True
    """
    stream = _distinct(sentences(seed))
    long_stream = _distinct(long_sentences(seed))
    held_out = [next(stream) for _ in range(valid + test)]
    train = [next(stream) for _ in range(pairs)]
    return Splits(train, held_out[:valid], held_out[valid:], [next(long_stream) for _ in range(long)])
