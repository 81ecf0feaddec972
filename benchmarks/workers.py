"""The harness's side: a worker is a program that waits for commands, in the interpreter of its own environment."""

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Keeping freed memory spares mapping and clearing fresh pages at every step. Each number is a size in bytes.
ALLOCATORS: dict[str, dict[str, str]] = {
    "default": {},
    "tuned": {
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(1 << 36),
        "MALLOC_TOP_PAD_": str(1 << 26),
    },
}


class WorkerError(RuntimeError):
    """A worker failed; the message says which and why."""


class Worker:
    """A subprocess that answers commands.

    Args:
        name: of the log.
        python: its interpreter.
        module: run with -m.
        work: the work folder; the log goes to logs/ in it.
        environment: laid over this process's.
    """

    def __init__(self, name: str, python: Path, module: str, work: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = work / "logs" / (name.replace(" ", "_") + ".log")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MALLOC_")}
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
                text=True,
                env=clean,
            )

    def ask(self, command: str, memory_limit: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send a command and wait for the answer.

        Args:
            command: "start" or "round".
            memory_limit: bytes of resident memory above which the worker is ended.
            **arguments: of the command.

        Raises:
            WorkerError: it failed, or ended.
        """
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.write(json.dumps({"cmd": command, **arguments}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerError(f"{self.name} ended; see {self.log}") from None
        if memory_limit:
            self._watch(memory_limit)
        line = self.process.stdout.readline()
        if not line:
            raise WorkerError(f"{self.name} ended ({self._last_line()}); see {self.log}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(f"{self.name}: {answer['error'].splitlines()[0][:300]}; see {self.log}")
        return answer

    def _watch(self, limit: float) -> None:
        """Wait until there is an answer, or end the worker above the limit."""
        import select

        while not select.select([self.process.stdout], [], [], 0.2)[0]:
            if self.resident() > limit:
                self.process.kill()
                raise WorkerError(f"{self.name} needs more than {limit / 2**30:.1f} GiB; ended")

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
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def _last_line(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "no message"


def idle_share(worker: Worker, seconds: float = 0.5) -> float:
    """Share of a core that a worker uses while it waits."""
    before, began = worker.processor_seconds(), time.perf_counter()
    time.sleep(seconds)
    return (worker.processor_seconds() - before) / (time.perf_counter() - began)
