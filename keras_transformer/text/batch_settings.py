"""Checks of what `TokenBatches` is given."""

from collections.abc import Sequence
from itertools import pairwise

from keras_transformer.errors import InputError
from keras_transformer.text.buckets import Bucket
from keras_transformer.text.corpus import ParallelCorpus


def check_settings(seed: int | None, **positive: int) -> None:
    """Refuse settings that make no sense.

    Args:
        seed: None or an integer from 0.
        **positive: settings that must be integers from 1, by name.

    Raises:
        InputError: names the setting.

    Example:
        >>> check_settings(3, tokens_per_batch=4096)
    """
    for name, value in positive.items():
        if value < 1:
            raise InputError(f"{name} is {value}, expected 1 or more.")
    if seed is not None and seed < 0:
        raise InputError(f"seed is {seed}, expected 0 or more, or None for no shuffling.")


def sides(corpus: ParallelCorpus | Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The source and the target texts of a corpus.

    Args:
        corpus: a `ParallelCorpus` or pairs of texts.

    Returns:
        Two lists of the same length.

    Raises:
        InputError: there is no pair.

    Example:
        >>> sides([("a", "b"), ("c", "d")])
        (['a', 'c'], ['b', 'd'])
    """
    if not len(corpus):
        raise InputError("The corpus to batch has no pairs; expected at least one.")
    if isinstance(corpus, ParallelCorpus):
        return corpus.sources, corpus.targets
    return [pair[0] for pair in corpus], [pair[1] for pair in corpus]


def sorted_chain(buckets: Sequence[Bucket], row_multiple: int, packed: bool = False) -> list[Bucket]:
    """Given buckets, small to large.

    Args:
        buckets: the buckets, in any order.
        row_multiple: what their rows must be a multiple of.
        packed: for packed batches, which have one shape.

    Returns:
        The buckets, each holding what fits the one before.

    Raises:
        InputError: of two buckets neither holds what fits the other, the rows are not such a multiple, or packed
            batches are given several.

    Example:
        >>> [str(bucket) for bucket in sorted_chain([Bucket(8, 9, 2), Bucket(4, 4, 4)], row_multiple=2)]
        ['4 x (4, 4)', '2 x (8, 9)']
    """
    chain = sorted(buckets)
    if packed and len(chain) > 1:
        raise InputError(f"Packed batches have one shape, but {len(chain)} buckets are given; give one.")
    for smaller, larger in pairwise(chain):
        if smaller.target_edge > larger.target_edge:
            raise InputError(f"Of the buckets {smaller} and {larger} neither holds the other; give a chain of buckets.")
    for bucket in chain:
        if bucket.rows < 1 or bucket.rows % row_multiple:
            raise InputError(f"The bucket {bucket} has {bucket.rows} rows, expected a multiple of {row_multiple}.")
    return chain
