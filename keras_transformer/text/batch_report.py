"""What a corpus became: pairs left out, shapes, and how full the batches are."""

from dataclasses import dataclass

from keras_transformer.text.buckets import Bucket


@dataclass(frozen=True)
class BatchReport:
    """The account of one epoch of batches.

    Args:
        pairs: pairs batched, each once an epoch.
        too_long: pairs left out because a side is longer than the limit.
        max_length: that limit, in tokens with the end token.
        buckets: the static shapes, small to large.
        steps_per_epoch: batches in an epoch.
        source_tokens: source tokens of an epoch, end tokens included.
        target_tokens: target tokens of an epoch, end tokens included.
        padded_tokens: the area of all batches of an epoch, source and target together, empty rows included.

    Example:
        >>> print(BatchReport(3, 1, 256, (Bucket(4, 4, 3),), 1, 10, 11, 24))
        3 pairs in 1 batches of one shape, 87.5 % filled (10 source and 11 target tokens an epoch);
        1 pairs left out, longer than 256 tokens
    """

    pairs: int
    too_long: int
    max_length: int
    buckets: tuple[Bucket, ...]
    steps_per_epoch: int
    source_tokens: int
    target_tokens: int
    padded_tokens: int

    @property
    def fill(self) -> float:
        """Real tokens as a share of the padded area."""
        return (self.source_tokens + self.target_tokens) / self.padded_tokens

    def __str__(self) -> str:
        summary = (
            f"{self.pairs:,} pairs in {self.steps_per_epoch:,} batches of {_shapes(len(self.buckets))}, "
            f"{100 * self.fill:.1f} % filled ({self.source_tokens:,} source and {self.target_tokens:,} target "
            "tokens an epoch)"
        )
        if not self.too_long:
            return summary
        return f"{summary}; {self.too_long:,} pairs left out, longer than {self.max_length:,} tokens"


def _shapes(count: int) -> str:
    return "one shape" if count == 1 else f"{count} shapes"
