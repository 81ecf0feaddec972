"""Fresh processes, timed from their start."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.isa import GIVEN, make_isa_environment
from benchmarks.marks import BEGAN
from benchmarks.workers import ROOT

MODULES = "BENCHMARKS_MODULES"
"""The variable with the file that `counting/sitecustomize.py` writes to."""
FIGURES = ("seconds", "processor_seconds", "modules")


class StartError(RuntimeError):
    """A process failed or took too long; the message says which."""


@dataclass(frozen=True)
class Case:
    """A process to start.

    Args:
        name: as shown.
        arguments: of Python.
        backend: of Keras; None where it makes no difference.
        own: whether it imports this package.
        text: its standard input.
        marks: whether it tells its own times, rather than being timed from start to end.
        apart: whether each of those counts from the one before, rather than from the start of the process.
    """

    name: str
    arguments: tuple[str, ...]
    backend: str | None = None
    own: bool = True
    text: str = ""
    marks: bool = False
    apart: bool = False


def start(case: Case, isa: str, patience: float) -> list[dict[str, Any]]:
    """Start a process and wait for its end.

    Args:
        case: what to start.
        isa: a key of `ISAS`.
        patience: seconds after which it is ended.

    Returns:
        "name", "seconds", "processor_seconds" and "modules" of each mark, or of the whole process.

    Raises:
        StartError: it failed, or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder, "modules")
        environment = make_environment(case, isa) | {MODULES: str(counted), BEGAN: str(time.monotonic())}
        before, began = processor_seconds(), time.perf_counter()
        try:
            ended = subprocess.run(
                [sys.executable, *case.arguments],
                input=case.text,
                capture_output=True,
                text=True,
                cwd=folder,
                env=environment,
                timeout=patience,
            )
        except subprocess.TimeoutExpired:
            raise StartError(f"{case.name} did not end in {patience:,.0f} s and was ended") from None
        seconds, processor = time.perf_counter() - began, processor_seconds() - before
        if ended.returncode:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise StartError(f"{case.name} ended with {ended.returncode} ({last[:200]})")
        if case.marks:
            return read_marks(ended.stdout, case.apart)
        figures = (seconds, processor, int(counted.read_text(encoding="utf-8")))
        return [{"name": case.name, **dict(zip(FIGURES, figures, strict=True))}]


def make_environment(case: Case, isa: str) -> dict[str, str]:
    """Variables of a process."""
    clean = {key: value for key, value in GIVEN.items() if not key.startswith("MALLOC_")}
    clean |= make_isa_environment(isa, case.own)
    clean["PYTHONPATH"] = os.pathsep.join([str(ROOT / "benchmarks" / "counting"), str(ROOT)])
    return clean | ({"KERAS_BACKEND": case.backend} if case.backend else {})


def processor_seconds() -> float:
    """Processor time of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def read_marks(output: str, apart: bool) -> list[dict[str, Any]]:
    """The marks in a process's output; times of each `apart` from the one before, or from the start."""
    marks = [json.loads(line) for line in output.splitlines() if line.startswith('{"name"')]
    if not apart:
        return marks
    shares = []
    for mark, last in zip(marks, [None, *marks[:-1]], strict=True):
        spent = {key: mark[key] - (last[key] if last else 0.0) for key in FIGURES[:2]}
        shares.append({**mark, **spent})
    return shares
