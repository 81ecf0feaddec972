"""`python -m benchmarks memory`: peak memory and time of a training step, one way against another.

Each way is a list of settings laid over the preset, measured in a process of its own.
"""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.allocators import ALLOCATORS, TOLD, tell_allocators
from benchmarks.isa import make_isa_environment
from benchmarks.sizes import WARM
from benchmarks.table import print_table, print_top, show_faults, write_json
from benchmarks.turns import say
from benchmarks.workers import Worker, WorkerError


def run(options: Namespace) -> None:
    """Measure and print."""
    ways = [("plain", [])] + [(text, text.split()) for text in options.way or ()]
    results = [
        measure(options, allocator, backend, precision, name, overrides)
        for allocator in options.allocators
        for backend in options.backends
        for precision in options.precisions
        for name, overrides in ways
    ]
    report = {
        "command": "memory",
        "size": options.size,
        "tokens": options.tokens,
        "vocab_size": options.vocab_size,
        "isa": options.isa,
        "allocator": tell_allocators(options.allocators),
        "machine": machine.describe(),
        "results": results,
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def measure(
    options: Namespace, allocator: str, backend: str, precision: str, name: str, overrides: list[str]
) -> dict[str, Any]:
    """One way, in a fresh process."""
    result: dict[str, Any] = {"name": name, "allocator": allocator, "backend": backend, "precision": precision}
    isa = make_isa_environment(options.isa, own=True)
    environment = {"KERAS_BACKEND": backend, **ALLOCATORS[allocator], **isa}
    label = f"memory {allocator} {backend} {precision} {name}".replace("/", "_")
    worker = Worker(label, Path(sys.executable), "benchmarks.ours", options.work.resolve(), environment)
    limit = options.limit * 2**30 if options.limit else machine.describe()["memory_bytes"] * 0.9
    settings = {"preset": options.size, "tokens": options.tokens, "vocab_size": options.vocab_size}
    try:
        about = worker.ask(
            "start",
            options.patience,
            what="step",
            precision=precision,
            length=options.length,
            options=overrides,
            **settings,
        )
        say(f"{label}: {about['shape']}")
        answer = worker.ask("round", options.patience, memory_limit=limit, warm=WARM[options.size], steps=options.steps)
    except WorkerError as error:
        say(str(error))
        return {**result, "error": str(error)}
    finally:
        worker.stop()
    keys = ("shape", "parameters", "versions", "environment")
    answer["faults_per_step"] = answer["faults"] / answer["steps"]
    return {**result, **answer, **{key: about[key] for key in keys}, "start_bytes": about["peak_bytes"]}


def show(report: dict[str, Any]) -> None:
    print_top(report)
    lines = []
    for each in report["results"]:
        first = [each["name"], TOLD[each["allocator"]], each["backend"], each["precision"]]
        if "error" in each:
            lines.append([*first, each["error"], "", "", "", ""])
            continue
        memory = [f"{each[key] / 2**30:.1f} GiB" for key in ("peak_bytes", "start_bytes")]
        rest = [f"{each['seconds']:.1f} s", show_faults(each["faults_per_step"]), f"{each['loss']:.2f}"]
        lines.append([*first, *memory, *rest])
    header = ["way", "allocator", "backend", "precision", "peak memory", "before the first step"]
    header += ["time a step", "faults / step", "loss"]
    tokens = f"{report['tokens']:,} + {report['tokens']:,} tokens, {report['vocab_size']:,} symbols"
    print_table(f"a training step of {report['size']}, {tokens}, instructions: {report['isa']}", header, lines)
