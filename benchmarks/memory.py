"""`python -m benchmarks memory`: peak memory and time of a training step, one way against another.

Each way is a list of settings laid over the preset, measured in a process of its own.
"""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.table import print_table, print_top, write_json
from benchmarks.turns import say
from benchmarks.workers import ALLOCATORS, Worker, WorkerError


def run(options: Namespace) -> None:
    """Measure and print."""
    ways = [("plain", [])] + [(text, text.split()) for text in options.way or ()]
    results = [
        measure(options, backend, precision, name, overrides)
        for backend in options.backends
        for precision in options.precisions
        for name, overrides in ways
    ]
    report = {
        "command": "memory",
        "size": options.size,
        "tokens": options.tokens,
        "vocab_size": options.vocab_size,
        "machine": machine.describe(),
        "results": results,
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def measure(options: Namespace, backend: str, precision: str, name: str, overrides: list[str]) -> dict[str, Any]:
    """One way, in a fresh process."""
    result: dict[str, Any] = {"name": name, "backend": backend, "precision": precision}
    environment = {"KERAS_BACKEND": backend, **ALLOCATORS[options.allocators[0]]}
    label = f"memory {backend} {precision} {name}".replace("/", "_")
    worker = Worker(label, Path(sys.executable), "benchmarks.ours", options.work.resolve(), environment)
    limit = options.limit * 2**30 if options.limit else machine.describe()["memory_bytes"] * 0.9
    settings = {"preset": options.size, "tokens": options.tokens, "vocab_size": options.vocab_size}
    try:
        about = worker.ask(
            "start", what="step", precision=precision, length=options.length, options=overrides, **settings
        )
        say(f"{label}: {about['shape']}")
        answer = worker.ask("round", memory_limit=limit, steps=options.steps)
    except WorkerError as error:
        say(str(error))
        return {**result, "error": str(error)}
    finally:
        worker.stop()
    keys = ("shape", "parameters", "versions")
    return {**result, **answer, **{key: about[key] for key in keys}, "start_bytes": about["peak_bytes"]}


def show(report: dict[str, Any]) -> None:
    print_top(report)
    lines = []
    for each in report["results"]:
        first = [each["name"], each["backend"], each["precision"]]
        if "error" in each:
            lines.append([*first, each["error"], "", "", ""])
            continue
        memory = [f"{each[key] / 2**30:.1f} GiB" for key in ("peak_bytes", "start_bytes")]
        lines.append([*first, *memory, f"{each['seconds']:.1f} s", f"{each['loss']:.2f}"])
    header = ["way", "backend", "precision", "peak memory", "before the first step", "time a step", "loss"]
    tokens = f"{report['tokens']:,} + {report['tokens']:,} tokens, {report['vocab_size']:,} symbols"
    print_table(f"a training step of {report['size']}, {tokens}", header, lines)
