"""What a named data set is: three splits of parallel text."""

from dataclasses import dataclass, field

from keras_transformer.text.corpus import ParallelCorpus


@dataclass(frozen=True)
class ParallelDataset:
    """A named parallel corpus with its splits.

    Args:
        name: the name it is loaded by, such as `"multi30k"`.
        source_language: code of the language translated from, such as `"en"`.
        target_language: code of the language translated into, such as `"de"`.
        train: pairs to train on.
        valid: pairs to validate on.
        test: named test splits; the first one is the main one.

    Example:
        >>> from keras_transformer.text.corpus import ParallelCorpus
        >>> pair = ParallelCorpus.from_pairs([("a dog", "ein Hund")])
        >>> data = ParallelDataset("toy", "en", "de", train=pair, valid=pair, test={"test": pair})
        >>> print(data)
        toy en-de: train 1, valid 1, test 1
    """

    name: str
    source_language: str
    target_language: str
    train: ParallelCorpus
    valid: ParallelCorpus
    test: dict[str, ParallelCorpus] = field(default_factory=dict)

    def __str__(self) -> str:
        splits = {"train": self.train, "valid": self.valid, **self.test}
        sizes = ", ".join(f"{split} {len(corpus):,}" for split, corpus in splits.items())
        return f"{self.name} {self.source_language}-{self.target_language}: {sizes}"
