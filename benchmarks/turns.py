"""Rounds in turns: everybody warm and waiting, one works at a time."""

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.allocators import ALLOCATORS, TOLD
from benchmarks.environments import EnvironmentMissingError
from benchmarks.workers import Worker, WorkerError, idle_share


@dataclass
class Entrant:
    """One row of a table: who is measured, and how.

    Args:
        name: as shown.
        python: gives the interpreter; may raise `EnvironmentMissingError`.
        module: of the worker.
        settings: for "start".
        environment: variables of the worker.
        allocator: a key of `ALLOCATORS`.
        own: one of ours, which ratios are taken of.
    """

    name: str
    python: Callable[[], Path]
    module: str
    settings: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    allocator: str = "default"
    own: bool = False
    about: dict[str, Any] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    idle: float = 0.0
    worker: Worker | None = None

    @property
    def faults_per_step(self) -> list[float]:
        """Minor page faults for each step, by round."""
        return [each["faults"] / each["steps"] for each in self.rounds]


def say(text: str) -> None:
    """Progress, apart from the results."""
    print(text, file=sys.stderr, flush=True)


def take_turns(
    entrants: Sequence[Entrant], work: Path, rounds: int, patience: float, **arguments: Any
) -> list[Entrant]:
    """Start everybody, then let each work for a round while the others wait, `rounds` times.

    Args:
        entrants: whom to measure.
        work: the work folder.
        rounds: how many turns each has.
        patience: seconds that each has to start, and a round beyond its own "seconds".
        **arguments: of a round.

    Returns:
        Those that were measured.
    """
    ready: list[Entrant] = []
    try:
        for entrant in entrants:
            if _start(entrant, work, patience):
                ready.append(entrant)
        for entrant in ready:
            assert entrant.worker
            entrant.idle = idle_share(entrant.worker)
        for number in range(rounds):
            # The order turns round, so that no one always comes after the same one.
            for entrant in ready if number % 2 == 0 else ready[::-1]:
                _round(entrant, patience, arguments)
    finally:
        for entrant in entrants:
            if entrant.worker:
                entrant.worker.stop()
    return [entrant for entrant in ready if entrant.rounds]


def _start(entrant: Entrant, work: Path, patience: float) -> bool:
    try:
        python = entrant.python()
        environment = {**ALLOCATORS[entrant.allocator], **entrant.environment}
        label = f"{entrant.name} {entrant.allocator}"
        entrant.worker = Worker(label, python, entrant.module, work, environment)
        entrant.about = entrant.worker.ask("start", patience, **entrant.settings)
    except (EnvironmentMissingError, WorkerError) as error:
        say(f"left out: {error}")
        return False
    say(f"{entrant.name}, allocator {TOLD[entrant.allocator]}: warm after {entrant.about['seconds']:.0f} s")
    return True


def _round(entrant: Entrant, patience: float, arguments: dict[str, Any]) -> None:
    assert entrant.worker
    try:
        patience += arguments.get("seconds", 0.0)
        entrant.rounds.append(entrant.worker.ask("round", patience, **arguments))
    except WorkerError as error:
        say(f"a round is missing: {error}")


@dataclass(frozen=True)
class Spread:
    """Median, least and most of several rates."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values))

    @property
    def half_width(self) -> float:
        """Half the range, relative to the median."""
        return (self.most - self.least) / 2 / self.median if self.median else 0.0
