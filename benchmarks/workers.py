"""The harness's side: a worker is a program that waits for commands, in the interpreter of its own environment."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.isa import GIVEN

ROOT = Path(__file__).resolve().parent.parent
GLANCE = 0.2
"""Seconds between two looks at a worker's memory."""


class WorkerError(RuntimeError):
    """A worker failed; the message says which and why."""


class Worker:
    """A subprocess that answers commands.

    Args:
        name: of the log.
        python: its interpreter.
        module: run with -m.
        work: the work folder; the log goes to logs/ in it.
        environment: laid over the user's.
    """

    def __init__(self, name: str, python: Path, module: str, work: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = work / "logs" / (name.replace(" ", "_") + ".log")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        clean = {key: value for key, value in GIVEN.items() if not key.startswith("MALLOC_")}
        clean |= {
            "PYTHONPATH": str(ROOT),
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "TOKENIZERS_PARALLELISM": "false",
            **environment,
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(python), "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                env=clean,
                start_new_session=True,  # so that what it starts can be ended with it
            )
        self._received = b""

    def ask(self, command: str, patience: float, memory_limit: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send a command and wait for the answer.

        Args:
            command: "start" or "round".
            patience: seconds after which the worker is ended.
            memory_limit: bytes of resident memory above which the worker is ended.
            **arguments: of the command.

        Raises:
            WorkerError: it failed, or ended, or was ended.
        """
        assert self.process.stdin
        try:
            self.process.stdin.write((json.dumps({"cmd": command, **arguments}) + "\n").encode())
        except BrokenPipeError:
            raise WorkerError(f"{self.name} ended; see {self.log}") from None
        answer: dict[str, Any] = json.loads(self._read_line(command, patience, memory_limit))
        if "error" in answer:
            raise WorkerError(f"{self.name}: {answer['error'].splitlines()[0][:300]}; see {self.log}")
        return answer

    def _read_line(self, command: str, patience: float, memory_limit: float | None) -> bytes:
        """The next line of its answers; above a limit the worker is ended."""
        assert self.process.stdout
        ends = time.monotonic() + patience
        while b"\n" not in self._received:
            left = ends - time.monotonic()
            if left <= 0:
                self.kill()
                raise WorkerError(
                    f"{self.name} did not answer {command!r} in {patience:,.0f} s and was ended; see {self.log}"
                )
            if memory_limit and self.resident() > memory_limit:
                self.kill()
                raise WorkerError(f"{self.name} needs more than {memory_limit / 2**30:.1f} GiB; ended")
            if select.select([self.process.stdout], [], [], min(left, GLANCE))[0]:
                read = os.read(self.process.stdout.fileno(), 1 << 16)
                if not read:
                    raise WorkerError(f"{self.name} ended ({self._last_line()}); see {self.log}")
                self._received += read
        line, _, self._received = self._received.partition(b"\n")
        return line

    def resident(self) -> int:
        """Resident memory in bytes, 0 if it ended."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        """Processor time it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Close its input, which ends it; end it if it does not."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill()
        if self.process.stdout:
            self.process.stdout.close()

    def kill(self) -> None:
        """End it and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _last_line(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "no message"


def idle_share(worker: Worker, seconds: float = 0.5) -> float:
    """Share of a core that a worker uses while it waits."""
    before, began = worker.processor_seconds(), time.perf_counter()
    time.sleep(seconds)
    return (worker.processor_seconds() - before) / (time.perf_counter() - began)
