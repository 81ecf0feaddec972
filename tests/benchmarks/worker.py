"""A worker for the tests: it does what is asked, for example nothing, for a long time."""

import mmap
import subprocess
import time
from pathlib import Path
from typing import Any

from benchmarks.protocol import serve


def touch_pages(pages: int) -> None:
    """Write to so many pages that the system has not mapped yet."""
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1


class Rounds:
    def __init__(self) -> None:
        self.about: dict[str, Any] = {}

    def round(
        self, pages: int = 0, steps: int = 1, sleep: float = 0.0, child: str = "", seconds: float = 0.0
    ) -> dict[str, Any]:
        if child:
            Path(child).write_text(str(subprocess.Popen(["sleep", "60"]).pid), encoding="utf-8")
        if pages:
            touch_pages(pages)
        time.sleep(sleep)
        return {"steps": steps, "seconds": seconds}


def start(settings: dict[str, Any]) -> Rounds:
    time.sleep(settings.get("sleep", 0.0))
    return Rounds()


if __name__ == "__main__":
    serve(start)
