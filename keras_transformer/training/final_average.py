"""The average of a run's last checkpoints: chosen, measured, kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import checkpoint_step, list_checkpoints, load_checkpoint
from keras_transformer.training.files import read_json, write_atomically, write_json
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.run_state import is_better
from keras_transformer.training.validation import Validator


@dataclass(frozen=True)
class AverageResult:
    """What averaging did.

    Args:
        steps: steps of the checkpoints averaged.
        bleu_before: validation BLEU of the last step, in percent; None without validation pairs.
        bleu_after: validation BLEU of the average.
        chosen: whether the average is now the model in best/.

    Example:
        >>> print(AverageResult((100, 200), 30.0, 31.25, True))
        Average of 2 checkpoints (steps 100 to 200): BLEU 30.00 at the last step, 31.25 averaged; it is the best now.
    """

    steps: tuple[int, ...]
    bleu_before: float | None
    bleu_after: float | None
    chosen: bool

    def __str__(self) -> str:
        text = f"Average of {len(self.steps)} checkpoints (steps {self.steps[0]} to {self.steps[-1]})"
        if self.bleu_before is None or self.bleu_after is None:
            return f"{text}, not measured: there are no validation pairs."
        verdict = "it is the best now" if self.chosen else "the best model stays as it was"
        return f"{text}: BLEU {self.bleu_before:.2f} at the last step, {self.bleu_after:.2f} averaged; {verdict}."


def average_members(files: RunFiles, every: int, wanted: int, last_step: int, reporter: Reporter) -> list[Path]:
    """Choose the checkpoints to average; damaged ones are named and left out.

    Args:
        files: the run.
        every: `training.checkpoint_every`: checkpoints of other steps come from interruptions and do not count.
        wanted: how many.
        last_step: the newest step, which counts even so.
        reporter: takes warnings.

    Returns:
        Checkpoint directories, oldest first.
    """
    members: list[Path] = []
    for path in reversed(list_checkpoints(files.checkpoints)):
        step = checkpoint_step(path)
        if len(members) == wanted or step > last_step or (step % every and step != last_step):
            continue
        try:
            load_checkpoint(path)
        except InputError as error:
            reporter.warn(f"not averaged: {error}")
        else:
            members.append(path)
    return members[::-1]


def keep_average(
    files: RunFiles, validator: Validator, members: Sequence[Path], before: float | None, reporter: Reporter
) -> AverageResult:
    """Measure the average, keep it, and make it the best model if it is better.

    Args:
        files: the run.
        validator: has the average loaded.
        members: the checkpoints averaged.
        before: validation BLEU of the last step.
        reporter: shows the measurement.

    Returns:
        The result.
    """
    steps = tuple(checkpoint_step(path) for path in members)
    score = {"which": "average", "step": steps[-1], "steps": steps}
    if not validator:
        validator.save(files, "average", score)
        validator.save(files, "best", score)
        return AverageResult(steps, None, None, True)
    measured = validator.measure()
    score |= measured.scores
    validator.save(files, "average", score)
    best = read_json(files.score("best"))
    chosen = best is None or is_better(
        measured.scores["bleu"], measured.scores["perplexity"], best["bleu"], best["perplexity"]
    )
    if chosen:
        model = files.model("average").read_bytes()
        write_atomically(files.model("best"), lambda path: path.write_bytes(model))
        write_json(files.score("best"), score)
    reporter.validation(f"average of steps {steps[0]} to {steps[-1]}", measured.scores, measured.samples, chosen)
    # After a restart the average may be in best/ already, and then it is not better than itself.
    chosen = chosen or read_json(files.score("best")) == read_json(files.score("average"))
    return AverageResult(steps, before, measured.scores["bleu"], chosen)
