"""The end of a run: average, compare, keep the better, say so."""

import json
import signal
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import keras

from keras_transformer.training.averaging import average_checkpoints
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json, write_json
from keras_transformer.training.final_average import AverageResult, average_members, keep_average
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.state import restore_model_state
from keras_transformer.training.validation import Validator

_REASONS = {
    "max_steps": "training.max_steps is reached",
    "patience": "training.patience ran out",
    "max_minutes": "training.max_minutes are over",
}


@dataclass(frozen=True)
class TrainResult:
    """How a run ended.

    Args:
        directory: the run.
        step: updates made.
        reason: what ended it: "max_steps", "patience", "max_minutes" or "signal".
        seconds: spent in training, over all starts.
        score: validation scores of the model in best/, and `which` model that is; None without validation pairs.
        average: what averaging the last checkpoints did; None when nothing was averaged.
        interrupted: the signal that stopped it, or None when it is finished.

    Example:
        >>> print(TrainResult(Path("runs/a"), 7, "signal", 3.0, interrupted=15))
        Stopped by SIGTERM at step 7; the same command continues.
    """

    directory: Path
    step: int
    reason: str
    seconds: float
    score: dict[str, Any] | None = None
    average: AverageResult | None = None
    interrupted: int | None = None

    @property
    def exit_code(self) -> int:
        """What a command should exit with: 0, or 128 and the signal's number, as shells report it."""
        return 128 + self.interrupted if self.interrupted else 0

    def __str__(self) -> str:
        if self.interrupted:
            name = signal.Signals(self.interrupted).name
            return f"Stopped by {name} at step {self.step}; the same command continues."
        lines = [f"Finished at step {self.step} after {self.seconds / 60:.1f} minutes: {_REASONS[self.reason]}."]
        if self.average:
            lines.append(str(self.average))
        if self.score and self.score.get("bleu") is not None:
            chosen = "the average" if self.score["which"] == "average" else f"step {self.score['step']}"
            lines.append(
                f"Best: {chosen}, BLEU {self.score['bleu']:.2f}, chrF {self.score['chrf']:.2f} on validation "
                f"({self.score['bleu_signature']}, beam {self.score['beam_size']})."
            )
        lines.append(f"Model: {self.directory / 'best' / 'model.keras'}")
        return "\n".join(lines)


def read_result(files: RunFiles, config: RunConfig) -> TrainResult | None:
    """The result of a run that finished with this configuration, or None."""
    values = read_json(files.result)
    if values is None or values.pop("config") != config.model_dump(mode="json"):
        return None
    average = values.pop("average")
    if average is not None:
        average = AverageResult(**{**average, "steps": tuple(average["steps"])})
    return TrainResult(files.directory, **values, average=average)


def finish(
    config: RunConfig,
    files: RunFiles,
    validator: Validator,
    model: keras.Model,
    reporter: Reporter,
    ended: Mapping[str, Any],
) -> TrainResult:
    """Average the last checkpoints, measure, and leave the better model in best/.

    Everything written here is a function of what training left behind, so an interruption does no harm.

    Args:
        config: the run.
        files: where it is kept.
        validator: measures weights.
        model: the trained model; its weights are replaced by the average.
        reporter: shows what happens.
        ended: `step`, `reason`, `seconds`.

    Returns:
        The result, which is also written to result.json.
    """
    validator.load(model)
    training = config.training
    members = average_members(files, training.checkpoint_every, training.average_last, ended["step"], reporter)
    average = None
    if len(members) > 1:
        restore_model_state(model, average_checkpoints(members), optimizer=False)
        validator.load(model)
        average = keep_average(files, validator, members, _last_bleu(files), reporter)
    elif not validator:
        validator.save(files, "best", {"which": "step", "step": ended["step"]})
    result = TrainResult(files.directory, **ended, score=read_json(files.score("best")), average=average)
    values = {key: value for key, value in asdict(result).items() if key not in ("directory", "interrupted")}
    write_json(files.result, {**values, "config": config.model_dump(mode="json")})
    return result


def _last_bleu(files: RunFiles) -> float | None:
    """BLEU of the newest validation, that of the last step."""
    lines = [json.loads(line) for line in files.metrics.read_text(encoding="utf-8").splitlines()]
    return next((line["bleu"] for line in reversed(lines) if line["kind"] == "validation"), None)
