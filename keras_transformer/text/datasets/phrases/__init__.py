"""The embedded default: English-German phrases from a synchronous grammar, generated on the spot."""

from __future__ import annotations

from keras_transformer.errors import InputError
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.datasets.dataset import ParallelDataset
from keras_transformer.text.datasets.phrases.generator import generate

__all__ = ["load_phrases"]

MOST_PAIRS = 1_000_000


def load_phrases(source: str = "en", target: str = "de", *, pairs: int = 50_000, seed: int = 1) -> ParallelDataset:
    """Generate the phrases corpus.

    Every sentence is made by the package from a lexicon and a grammar of both languages, so nothing is downloaded.
    The same arguments give the same corpus in every process. No sentence occurs in two splits, on either side.

    Args:
        source: Code of the language translated from: "en" or "de".
        target: Code of the other one.
        pairs: Number of training pairs, 1 to 1,000,000.
        seed: Selects another corpus of the same kind.

    Returns:
        The data set: train, valid (500 pairs), and two test splits, "test" (500 pairs) and "long" (300 pairs longer
        than any training pair).

    Raises:
        InputError: The languages are not English and German, or ``pairs`` is out of range.

    Example:
        >>> data = load_phrases(pairs=200)
        >>> len(data.train), len(data.valid), len(data.test["test"]), len(data.test["long"])
        (200, 500, 500, 300)
    """
    if {source, target} != {"en", "de"}:
        raise InputError(f'phrases has English ("en") and German ("de"), not source {source!r} and target {target!r}.')
    if isinstance(pairs, bool) or not isinstance(pairs, int) or not 1 <= pairs <= MOST_PAIRS:
        raise InputError(f"phrases: pairs is {pairs!r}, expected a whole number from 1 to {MOST_PAIRS:,}.")
    splits = generate(pairs, seed)

    def corpus(name: str, rows: list[tuple[str, str]]) -> ParallelCorpus:
        ordered = rows if source == "en" else [(german, english) for english, german in rows]
        return ParallelCorpus.from_pairs(ordered, name=f"phrases {name}")

    return ParallelDataset(
        name="phrases",
        source_language=source,
        target_language=target,
        train=corpus("train", splits.train),
        valid=corpus("valid", splits.valid),
        test={"test": corpus("test", splits.test), "long": corpus("long", splits.long)},
    )
