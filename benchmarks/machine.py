"""The machine that figures were measured on, and how fast it multiplies matrices."""

import os
import platform
from pathlib import Path
from typing import Any

from benchmarks.environments import EnvironmentMissingError, interpreter
from benchmarks.workers import ALLOCATORS, Worker, WorkerError

FLAGS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16", "amx_tile")
PRODUCT = 4096


def describe() -> dict[str, Any]:
    """Processor, cores, flags, memory."""
    fields: dict[str, str] = {}
    path = Path("/proc/cpuinfo")
    if path.is_file():
        pairs = (line.partition(":")[::2] for line in path.read_text().splitlines() if ":" in line)
        fields = {key.strip(): value.strip() for key, value in pairs}
    flags = set(fields.get("flags", "").split())
    return {
        "processor": fields.get("model name", platform.processor() or platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "flags": [flag for flag in FLAGS if flag in flags],
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }


def product_rates(frameworks: list[str], work: Path, n: int = PRODUCT, seconds: float = 4.0) -> dict[str, Any]:
    """Operations per second of an n x n product, float32 and bfloat16, by framework; the best is "best"."""
    rates: dict[str, Any] = {}
    for framework in frameworks:
        try:
            python = interpreter("torch" if framework == "torch" else "kerashub", work)
        except EnvironmentMissingError:
            continue
        worker = Worker(f"matmul {framework}", python, "benchmarks.peers.matmul", work, ALLOCATORS["default"])
        try:
            worker.ask("start", framework=framework, n=n)
            rates[framework] = worker.ask("round", seconds=seconds)["rates"]
        except WorkerError:
            continue
        finally:
            worker.stop()
    kinds = ("float32", "bfloat16")
    rates["best"] = {kind: max((each[kind] for each in rates.values()), default=0.0) for kind in kinds}
    return rates
