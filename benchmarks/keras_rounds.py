"""Rounds of a stock Keras `fit`: for our model and for KerasHub's."""

import gc
import time
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from benchmarks.protocol import tallies, versions


class StopAfter(keras.callbacks.Callback):
    """Ends `fit` after some seconds, or after some steps."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self.seconds, self.steps, self.loss = seconds, 0, float("nan")

    def on_train_begin(self, logs: Any = None) -> None:
        self.began = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps = batch + 1  # with steps_per_execution > 1 this is called once for several
        if self.seconds is not None and time.perf_counter() - self.began >= self.seconds:
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.loss = float((logs or {}).get("loss", "nan"))


class KerasRounds:
    """Training by `fit`, a call a round.

    Args:
        model: compiled.
        dataset: step -> the batches from there on, without end.
        counts: step -> what `Pairs.counts` says of its batch.
        warm: steps to warm up with: a dataset of them and their number, or None.
        about: what to tell of the worker.
    """

    def __init__(
        self,
        model: Any,
        dataset: Callable[[int], Any],
        counts: Callable[[int], np.ndarray],
        warm: tuple[Any, int] | None,
        about: dict[str, Any],
    ) -> None:
        self.model, self.dataset, self.counts, self.step = model, dataset, counts, 0
        backend = keras.backend.backend()
        names = {"tensorflow", "keras", backend}
        if warm:
            self.model.fit(warm[0], steps_per_epoch=warm[1], epochs=1, shuffle=False, verbose=0)
        self.about = {"versions": versions(*sorted(names)), "parameters": model.count_params(), **about}

    def round(self, seconds: float | None = None, steps: int = 1_000_000) -> dict[str, Any]:
        """Train for some seconds, or for some steps."""
        stop = StopAfter(seconds)
        began = time.perf_counter()
        self.model.fit(
            self.dataset(self.step), steps_per_epoch=steps, epochs=1, shuffle=False, verbose=0, callbacks=[stop]
        )
        passed = time.perf_counter() - began
        trained = range(self.step, self.step + stop.steps)
        self.step += stop.steps
        gc.collect()  # ends the thread that reads ahead, so that nothing runs while others take their turn
        return tallies(map(self.counts, trained), passed, stop.loss)
