"""One translation that the search found, with its scores."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One translation of one line.

    Args:
        text: the detokenized translation, one line.
        score: log P(Y | X) / ((5 + |Y|) / 6) ** alpha, what the n-best list is sorted by.
        log_probability: log P(Y | X) in nats, the end-of-sentence token included.
        ids: token ids, without the end-of-sentence token.
        pieces: the sub-word of each id.

    Example:
        >>> Hypothesis("Ein Hund.", -0.5, -0.6, (7, 9), ("▁Ein", "▁Hund.")).text
        'Ein Hund.'
    """

    text: str
    score: float
    log_probability: float
    ids: tuple[int, ...]
    pieces: tuple[str, ...]


EMPTY = Hypothesis("", 0.0, 0.0, (), ())
"""The translation of an empty line: certain, and empty."""
