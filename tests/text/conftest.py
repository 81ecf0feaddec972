"""Parallel text made here, so that no test waits for a download; and a Python without Keras."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import keras_transformer
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.tokenizer import Tokenizer

# The first examples of a property load what it needs; how long that takes is not what is tested.
settings.register_profile("text", deadline=None)
settings.load_profile("text")

SENTENCE = """
    a ein the der dog Hund cat Katze runs läuft sleeps schläft black schwarz street Straße over über
    of von morning Morgen two zwei children Kinder playing spielen in the im grass Gras
"""
WORDS = SENTENCE.split()
# The package without what its __init__ imports, and no way to TensorFlow or Keras.
BARE = """
import sys, types
package = types.ModuleType("keras_transformer")
package.__path__ = [sys.argv[1]]
sys.modules["keras_transformer"] = package
sys.modules.update(dict.fromkeys(("tensorflow", "keras", "keras_hub"), None))
sys.path.insert(0, sys.argv[2])
"""


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


@pytest.fixture(scope="session")
def run_bare() -> Callable[..., str]:
    """Runs a script in a process that cannot import TensorFlow or Keras, and gives what it prints."""

    def run(script: str, *arguments: object) -> str:
        folders = Path(str(keras_transformer.__file__)).parent, Path(__file__).parent
        command = [sys.executable, "-c", BARE + script, *map(str, (*folders, *arguments))]
        environment = {**os.environ, "PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
