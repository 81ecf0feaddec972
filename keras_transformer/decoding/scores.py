"""What a scorer returns."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairScore:
    """How probable the model finds one translation.

    Args:
        log_probability: log P(Y | X) in nats, the end-of-sentence token included.
        tokens: |Y|, target tokens with the end-of-sentence token.
        token_log_probabilities: of each target token, if asked for.

    Example:
        >>> PairScore(-6.0, 3).perplexity == math.exp(2)
        True
    """

    log_probability: float
    tokens: int
    token_log_probabilities: tuple[float, ...] | None = None

    @property
    def perplexity(self) -> float:
        """exp(-log P / |Y|)."""
        return _perplexity(self.log_probability, self.tokens)


@dataclass(frozen=True, slots=True)
class CorpusScore:
    """How probable the model finds a corpus, token by token.

    Args:
        log_probability: sum of log P(Y | X) over the pairs, in nats.
        tokens: target tokens, each pair's end-of-sentence token included.
        correct: target tokens that were the model's first choice, given the true tokens before them.

    Example:
        >>> score = CorpusScore(-6.0, 3, 2)
        >>> score.cross_entropy, round(score.accuracy, 3)
        (2.0, 0.667)
    """

    log_probability: float
    tokens: int
    correct: int

    @property
    def cross_entropy(self) -> float:
        """Nats per target token."""
        return -self.log_probability / self.tokens if self.tokens else 0.0

    @property
    def perplexity(self) -> float:
        """exp(cross_entropy)."""
        return _perplexity(self.log_probability, self.tokens)

    @property
    def accuracy(self) -> float:
        """Share of the target tokens that were the model's first choice."""
        return self.correct / self.tokens if self.tokens else 0.0


def _perplexity(log_probability: float, tokens: int) -> float:
    if not tokens:
        return 1.0
    try:
        return math.exp(-log_probability / tokens)
    except OverflowError:
        return math.inf
