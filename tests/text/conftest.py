"""Parallel text made here, so that no test waits for a download."""

import numpy as np
import pytest

from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.tokenizer import Tokenizer

SENTENCE = """
    a ein the der dog Hund cat Katze runs läuft sleeps schläft black schwarz street Straße over über
    of von morning Morgen two zwei children Kinder playing spielen in the im grass Gras
"""
WORDS = SENTENCE.split()


def make_pairs(count: int, seed: int = 0, longest: int = 30) -> list[tuple[str, str]]:
    """Pairs of random words whose two lengths go together, as in a translation."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        length = int(np.clip(random.gamma(4.0, 3.0), 1, longest))
        other = max(1, length + int(random.integers(-2, 4)))
        pairs.append((" ".join(random.choice(WORDS, length)), " ".join(random.choice(WORDS, other))))
    return pairs


@pytest.fixture(scope="session")
def corpus() -> ParallelCorpus:
    return ParallelCorpus.from_pairs(make_pairs(2_000), name="random words")


@pytest.fixture(scope="session")
def tokenizer(corpus: ParallelCorpus) -> Tokenizer:
    return Tokenizer.train(corpus, vocab_size=400)
