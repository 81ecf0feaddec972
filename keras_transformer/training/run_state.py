"""Where a run stands, beyond what the model and the optimizer hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from keras_transformer.training.settings import TrainingSettings


@dataclass
class RunState:
    """Kept in the metadata of every checkpoint, so that a run continues as if it had never stopped.

    Args:
        step: updates made.
        seconds: spent in training so far, validations and checkpoints included, over all starts.
        validated_step: step of the newest validation.
        best: highest validation BLEU so far, in percent; None before the first validation.
        best_perplexity: the perplexity that went with it; of equal BLEU, such as 0 in the beginning, it decides.
        best_step: the step both were reached at.
        stale: validations since then.

    Example:
        >>> state = RunState(step=10)
        >>> state.note_validation(31.5, 4.0), state.note_validation(30.0, 3.9)
        (True, False)
        >>> state.stale
        1
    """

    step: int = 0
    seconds: float = 0.0
    validated_step: int = 0
    best: float | None = None
    best_perplexity: float | None = None
    best_step: int | None = None
    stale: int = 0

    def note_validation(self, bleu: float, perplexity: float) -> bool:
        """Take in a validation of the weights at `step`; True if it is the best so far."""
        self.validated_step = self.step
        if not is_better(bleu, perplexity, self.best, self.best_perplexity):
            self.stale += 1
            return False
        self.best, self.best_perplexity, self.best_step, self.stale = bleu, perplexity, self.step, 0
        return True

    def note_average(self, score: Mapping[str, Any] | None) -> None:
        """Take in what best/ holds: an average kept there is to be beaten, although no step has its BLEU."""
        if score is None or score["which"] != "average" or "bleu" not in score:
            return
        if is_better(score["bleu"], score["perplexity"], self.best, self.best_perplexity):
            self.best, self.best_perplexity = score["bleu"], score["perplexity"]

    def stop_reason(self, training: TrainingSettings) -> str | None:
        """The setting that ends training here: "max_steps", "patience", "max_minutes", or None."""
        if self.step >= training.max_steps:
            return "max_steps"
        if training.patience is not None and self.stale >= training.patience:
            return "patience"
        if training.max_minutes is not None and self.seconds >= 60 * training.max_minutes:
            return "max_minutes"
        return None

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What `to_dict` gave."""
        return cls(**values)


def is_better(bleu: float, perplexity: float, than_bleu: float | None, than_perplexity: float | None) -> bool:
    """Whether a higher BLEU was reached, or an equal one with a lower perplexity."""
    if than_bleu is None or than_perplexity is None:
        return True
    return (bleu, -perplexity) > (than_bleu, -than_perplexity)
