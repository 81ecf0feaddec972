"""The worker's side: commands come as lines of JSON on standard input, answers go as lines on standard output.

A worker builds and warms up on "start", then trains (or translates) on "round" and waits idle in between, so that
rounds of several workers can take turns on the same cores. NumPy only.
"""

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.batches import Batch
from benchmarks.isa import AVX2, ONEDNN

COUNTS = ("source_tokens", "target_tokens", "source2", "target2", "cross")
TOLD = (ONEDNN, "XLA_FLAGS", *AVX2)
"""Variables that a worker tells, so that it is known what was measured."""


def serve(start: Callable[[dict[str, Any]], Any]) -> None:
    """Answer commands until the input ends.

    Args:
        start: settings -> an object with `round(**arguments) -> dict` and `about`, a dictionary.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # what libraries print goes to the log
    running: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        command = request.pop("cmd")
        try:
            if command == "start":
                began = time.perf_counter()
                running = start(request)
                told = {name: value for name, value in os.environ.items() if name in TOLD or name.startswith("MALLOC_")}
                answer = {"seconds": time.perf_counter() - began, "environment": told, **running.about}
            else:
                answer = count_faults(running.round, **request)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answer["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        answers.write(json.dumps(answer) + "\n")


def minor_faults() -> int:
    """Pages that the system has mapped for this process so far without reading them from a disk."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def count_faults(work: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """A round's answer with "faults", the minor page faults meanwhile; an answer that has them keeps its own."""
    before = minor_faults()
    answer = work(**arguments)
    return {"faults": minor_faults() - before, **answer}


def tallies(counts: Iterable[np.ndarray], seconds: float, loss: float) -> dict[str, Any]:
    """A round's answer, from the counts of its batches and the mean loss of its last step."""
    counts = list(counts)
    sums = np.sum(counts, axis=0)
    answer: dict[str, Any] = dict(zip(COUNTS, map(int, sums), strict=True))
    return answer | {"tokens": answer["target_tokens"], "steps": len(counts), "seconds": seconds, "loss": loss}


class Steps:
    """Rounds of a training loop that takes one batch at a time.

    Args:
        batches: all batches, trained on in turn.
        step: one update; returns the loss per token, as a number or as something that `float` makes one.
        warm: places of the batches to warm up with, counted round.
        about: what to tell of the worker.
    """

    def __init__(
        self, batches: Sequence[Batch], step: Callable[[Batch], Any], warm: Iterable[int], about: dict[str, Any]
    ) -> None:
        self.batches, self.step, self.place = batches, step, 0
        for place in warm:
            float(step(batches[place % len(batches)]))
        self.about = about

    def round(self, seconds: float) -> dict[str, Any]:
        """Train for as long, and a step at least."""
        counts, began, passed, loss = [], time.perf_counter(), 0.0, float("nan")
        while not counts or passed < seconds:
            batch = self.batches[self.place % len(self.batches)]
            loss = self.step(batch)
            self.place += 1
            counts.append(batch.counts)
            passed = time.perf_counter() - began
        loss = float(loss)  # waits for the last step
        return tallies(counts, time.perf_counter() - began, loss)


def shapes_once(shapes: np.ndarray) -> list[int]:
    """Places of the first batch of each shape."""
    return sorted(np.unique(shapes, axis=0, return_index=True)[1].tolist())


def versions(*names: str) -> dict[str, str]:
    """Versions of installed packages."""
    from importlib.metadata import version

    return {name: version(name) for name in names}
