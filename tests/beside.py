"""Parts of the suite in processes beside the one that was started: other backends, and a share of this one.

Keras fixes its backend when it is first imported, so one process cannot test two. Most tests keep one core busy, and
two cores are the least there is: parts run in two lanes, one after the other in each.
"""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BACKEND = os.environ.setdefault("KERAS_BACKEND", "tensorflow")
DOCTESTS = ("layers", "models", "training", "decoding")  # what runs on a backend; the others run once
# JAX compiles every operation for every shape; small models run no slower for it, and tests take half the time.
QUICK_COMPILATION = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"


@dataclass(frozen=True)
class Part:
    """What one process tests.

    Attributes:
        name: for people.
        backend: the Keras backend.
        paths: folders, from the root.
    """

    name: str
    backend: str
    paths: tuple[str, ...]

    @property
    def possible(self) -> bool:
        """Whether the backend is installed."""
        return importlib.util.find_spec(self.backend) is not None


EVERYTHING = ("tests", *(f"keras_transformer/{room}" for room in DOCTESTS))
SHARE = ROOT / "tests" / "diagnostics"
"""What the first process leaves to the part "diagnostics" when it waits for that."""

LANES = (
    (Part("jax", "jax", EVERYTHING),),
    (Part("torch", "torch", EVERYTHING), Part("diagnostics", "tensorflow", ("tests/diagnostics",))),
)
PARTS = tuple(part for lane in LANES for part in lane)


class Beside:
    """The processes and what became of them.

    Args:
        logs: an empty folder, for the output of each.
        names: of the parts to start.
    """

    def __init__(self, logs: Path, names: set[str]) -> None:
        self._logs, self._processes = logs, list[subprocess.Popen[bytes]]()
        self._lanes = [ThreadPoolExecutor(1) for _ in LANES]
        self._ends: dict[str, Future[int]] = {}
        for pool, lane in zip(self._lanes, LANES, strict=True):
            self._ends |= {
                part.name: pool.submit(self._run, part) for part in lane if part.possible and part.name in names
            }

    def end(self, part: Part, seconds: float) -> tuple[int, str]:
        """Exit status and output, waited for.

        Raises:
            TimeoutError: no end in so many seconds.
        """
        status = self._ends[part.name].result(seconds)
        return status, self._log(part).read_text(encoding="utf-8", errors="replace").strip()

    def stop(self) -> None:
        """Whatever still runs or waits is ended."""
        for pool in self._lanes:
            pool.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
            process.wait()

    def _log(self, part: Part) -> Path:
        return self._logs / f"{part.name}.log"

    def _run(self, part: Part) -> int:
        command = [sys.executable, "-m", "pytest", "-q", "-r", "fE", "--tb=short", "-p", "no:cacheprovider"]
        # Several runs share the machine: threads that wait in a busy loop would take time from the others.
        environment = {"OMP_NUM_THREADS": "1"} | os.environ | {"KERAS_BACKEND": part.backend}
        if part.backend == "jax":
            environment.setdefault("XLA_FLAGS", QUICK_COMPILATION)
        with self._log(part).open("wb") as output:
            process = subprocess.Popen(
                [*command, *part.paths],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._processes.append(process)
        return process.wait()
