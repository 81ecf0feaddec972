"""The one callback that turns a stock `fit` into a run."""

import math
import shutil
import time
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import checkpoint_step, list_checkpoints, save_checkpoint
from keras_transformer.training.config import RunConfig
from keras_transformer.training.logs import MetricsLog
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.run_state import RunState
from keras_transformer.training.signals import Interrupts
from keras_transformer.training.state import (
    RANDOM_PREFIX,
    model_state,
    restore_torch_random_state,
    torch_random_state,
)
from keras_transformer.training.validation import Interrupted, Validator

_WINDOW_PREFIX = "window/"


class RunCallback(keras.callbacks.Callback):
    """After each update: log, validate, save, and stop, each when it is due.

    An update is `training.accumulate` batches of `fit`; nothing happens between them.

    A validation comes before the checkpoint of the same step, so that a checkpoint knows of every validation up to
    its step; one that an interruption cut short is made up for when the run continues.

    Args:
        config: the run.
        files: where it is kept.
        state: where it stands; changed here.
        log: takes the metrics.
        reporter: shows them.
        validator: measures the weights.
        interrupts: the signals received.
        tokens_per_step: real target tokens in an average batch.
        schedule: the learning rate by batches seen, as the optimizer calls it.
        resumed: `resumable` of the checkpoint that training continues from; empty at the start.
    """

    def __init__(
        self,
        config: RunConfig,
        files: RunFiles,
        state: RunState,
        log: MetricsLog,
        reporter: Reporter,
        validator: Validator,
        interrupts: Interrupts,
        tokens_per_step: float,
        schedule: Any,
        resumed: Mapping[str, np.ndarray],
    ) -> None:
        super().__init__()
        self.config, self.training = config, config.training
        self.files, self.state, self.log, self.reporter = files, state, log, reporter
        self.validator, self.interrupts = validator, interrupts
        self._tokens_per_step, self._schedule = tokens_per_step, schedule
        self._window = resumed
        self._random_state: Mapping[str, np.ndarray] | None = resumed or torch_random_state()
        self._clock = _Clock(state)
        self._window_steps = 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Start the clock."""
        self._clock.start()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Continue the loss window where it was; `fit` has just cleared it."""
        for index, variable in enumerate(self.model.metrics_variables):
            if f"{_WINDOW_PREFIX}{index}" in self._window:
                variable.assign(self._window[f"{_WINDOW_PREFIX}{index}"])

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Before the first update: put back PyTorch's random state, from which its data loader has drawn a seed."""
        if self._random_state is not None:
            restore_torch_random_state(self._random_state)
            self._random_state = None

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Everything that is due after an update."""
        state, training = self.state, self.training
        if (batch + 1) % training.accumulate:
            return
        state.step += 1
        self._window_steps += 1
        loss = float((logs or {})["loss"])
        if not math.isfinite(loss):
            raise InputError(self._not_finite(loss))
        self.reporter.advance(state.step, loss)
        if state.step % training.log_every == 0:
            self._log_window(loss)
        self._clock.update()
        reason = "signal" if self.interrupts.received else state.stop_reason(training)
        if reason != "signal" and (reason or state.step % training.validate_every == 0):
            reason = self.validate() or reason
        if reason or state.step % training.checkpoint_every == 0:
            self.save(final=reason not in (None, "signal"))
        if reason:
            self.model.stop_training = True

    def validate(self) -> str | None:
        """Measure the weights, keep them if they are the best; the reason to stop, if there now is one."""
        state = self.state
        if not self.validator or state.validated_step == state.step:
            return None
        with self._clock.paused():
            try:
                self.validator.load(self.model)
                measured = self.validator.measure()
            except Interrupted:
                return "signal"
            best = state.note_validation(measured.scores["bleu"], measured.scores["perplexity"])
            if best:
                score = {"which": "step", "step": state.step, **measured.scores}
                self.validator.save(self.files, "best", score)
            self._clock.update()
            self.log.write("validation", state.step, {**measured.scores, "seconds": round(state.seconds, 1)})
            self.reporter.validation(f"validation at step {state.step}", measured.scores, measured.samples, best)
        return state.stop_reason(self.training)

    def save(self, final: bool = False) -> None:
        """Write a checkpoint; those of unscheduled steps go when a newer one is there."""
        model = self.model
        window = {f"{_WINDOW_PREFIX}{index}": np.array(value) for index, value in enumerate(_metric_values(model))}
        with self._clock.paused():
            step, kept = self.state.step, self.training.keep_checkpoints
            extra = unscheduled(self.files, self.training.checkpoint_every, before=step)
            scheduled = step % self.training.checkpoint_every == 0 or final
            save_checkpoint(
                self.files.checkpoints,
                step,
                {**model_state(model), **window},
                {"state": self.state.to_dict()},
                keep=kept + len(extra) + (not scheduled),
            )
            for path in extra:
                shutil.rmtree(path, ignore_errors=True)

    def _log_window(self, loss: float) -> None:
        """Write the figures of the window that ends here, and open the next one."""
        state = self.state
        seconds = max(self._clock.lap(), 1e-9)
        rate = float(keras.ops.convert_to_numpy(self._schedule((state.step - 1) * self.training.accumulate)))
        figures = {
            "loss": loss,
            "learning_rate": rate,
            "tokens_per_second": self._tokens_per_step * self._window_steps / seconds,
        }
        self.log.write("train", state.step, {**figures, "seconds": round(state.seconds, 1)})
        left = (self.training.max_steps - state.step) * seconds / self._window_steps
        if self.training.max_minutes is not None:
            left = min(left, max(0.0, 60 * self.training.max_minutes - state.seconds))
        self.reporter.window(state.step, **figures, seconds_left=left)
        self._window_steps = 0
        self.model.reset_metrics()

    def _not_finite(self, loss: float) -> str:
        steps = [checkpoint_step(path) for path in list_checkpoints(self.files.checkpoints)]
        kept = f"the checkpoint of step {steps[-1]} is kept" if steps else "no checkpoint was written yet"
        return (
            f"The loss is {loss} at step {self.state.step}, so training stopped ({kept}); lower "
            "training.peak_learning_rate or raise training.warmup_steps and start a new run."
        )


def resumable(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What of a checkpoint's arrays is put back after `fit` has begun: the loss window, PyTorch's random state."""
    return {name: array for name, array in arrays.items() if name.startswith((_WINDOW_PREFIX, RANDOM_PREFIX))}


def unscheduled(files: RunFiles, every: int, before: int) -> list[Any]:
    """Checkpoints that an interruption left at a step where none was due.

    They must not count among the last n, or an interrupted run would average other members than an uninterrupted one.
    """
    return [
        path
        for path in list_checkpoints(files.checkpoints)
        if checkpoint_step(path) % every and checkpoint_step(path) < before
    ]


def _metric_values(model: keras.Model) -> list[Any]:
    return [keras.ops.convert_to_numpy(variable) for variable in model.metrics_variables]


class _Clock:
    """Counts training time into `RunState.seconds`, and windows of it without what happens in between."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._last = self._lap = time.monotonic()
        self._left_out = 0.0

    def start(self) -> None:
        self._last = self._lap = time.monotonic()
        self._left_out = 0.0

    def update(self) -> None:
        now = time.monotonic()
        self._state.seconds += now - self._last
        self._last = now

    def lap(self) -> float:
        """Seconds since the last lap, pauses left out."""
        now = time.monotonic()
        seconds = now - self._lap - self._left_out
        self._lap, self._left_out = now, 0.0
        return seconds

    def paused(self) -> "_Pause":
        return _Pause(self)


class _Pause:
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *exception: object) -> None:
        self._clock._left_out += time.monotonic() - self._began
        self._clock.update()
