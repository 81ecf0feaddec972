"""The machine that figures were measured on, and how fast it multiplies matrices."""

import os
import platform
from pathlib import Path
from typing import Any

from benchmarks.environments import EnvironmentMissingError, interpreter
from benchmarks.isa import GIVEN, ONEDNN, make_isa_environment
from benchmarks.limits import PATIENCE
from benchmarks.turns import say
from benchmarks.workers import Worker, WorkerError

FLAGS = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_tile")
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


def product_rates(
    frameworks: list[str],
    precisions: list[str],
    work: Path,
    *,
    largest: int = PRODUCT,
    seconds: float = 4.0,
    isa: str = "native",
    patience: float = PATIENCE,
) -> dict[str, Any]:
    """How fast the machine multiplies square matrices.

    Args:
        frameworks: to multiply in.
        precisions: "float32", "mixed_bfloat16"; no other is measured.
        work: the work folder.
        largest: n of the largest n x n product.
        seconds: for each framework and precision.
        isa: a key of `ISAS`.
        patience: seconds that a framework has beyond that.

    Returns:
        By framework and kind ("float32", "bfloat16") the best "rate" in operations per second and its "size"; by kind
        the best rate of all under "best".
    """
    kinds = [precision.removeprefix("mixed_") for precision in precisions]
    # What could be reached at most: TensorFlow's own default leaves its faster products out on some machines.
    variables = {**make_isa_environment(isa, own=True), ONEDNN: GIVEN.get(ONEDNN, "1")}
    rates: dict[str, Any] = {}
    for framework in frameworks:
        try:
            python = interpreter("torch" if framework == "torch" else "kerashub", work)
            worker = Worker(f"matmul {framework}", python, "benchmarks.peers.matmul", work, variables)
            rates[framework] = ask_products(worker, framework, kinds, largest, seconds, patience)
        except (EnvironmentMissingError, WorkerError) as error:
            say(f"left out: {error}")
    rates["best"] = {kind: max((each[kind]["rate"] for each in rates.values()), default=0.0) for kind in kinds}
    return rates


def ask_products(
    worker: Worker, framework: str, kinds: list[str], largest: int, seconds: float, patience: float
) -> dict[str, Any]:
    """The rates of one framework; the worker is stopped."""
    try:
        worker.ask("start", patience, framework=framework, largest=largest)
        answer = worker.ask("round", seconds * len(kinds) + patience, precisions=kinds, seconds=seconds)
    finally:
        worker.stop()
    rates: dict[str, Any] = answer["rates"]
    return rates
