"""The two models that are measured, and the recipe that every trainer follows. Standard library only."""

import math
from dataclasses import asdict, dataclass
from typing import Any

VOCAB_SIZE = 8000
LABEL_SMOOTHING = 0.1
PAD, BOS, EOS = 0, 1, 2
PEAK_RATE, WARM_UP_STEPS = 5e-4, 100
BETAS, EPSILON = (0.9, 0.98), 1e-9

WARM = {"tiny": 5, "base": 2}
"""Training steps before anything is measured: the first compile and allocate."""


@dataclass(frozen=True)
class Size:
    """A Transformer in the paper's letters; attention and activation dropout are 0."""

    layers: int
    d_model: int
    heads: int
    d_ff: int
    dropout: float
    vocab_size: int = VOCAB_SIZE

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


SIZES = {
    "tiny": Size(layers=4, d_model=128, heads=4, d_ff=256, dropout=0.3),
    "base": Size(layers=6, d_model=512, heads=8, d_ff=2048, dropout=0.1),
}


def learning_rate(step: int) -> float:
    """The rate of the update that follows `step` finished ones: linear warm-up, then the inverse square root."""
    return PEAK_RATE * min((step + 1) / WARM_UP_STEPS, math.sqrt(WARM_UP_STEPS / (step + 1)))
