"""`python -m benchmarks startup`: how long a user waits before the first useful work, in fresh processes."""

import statistics
import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import decode, machine
from benchmarks.allocators import TOLD
from benchmarks.starts import FIGURES, Case, StartError, start
from benchmarks.table import print_table, print_top, write_json
from benchmarks.turns import say

# What the installed command does; it looks at its name before it imports anything.
COMMAND = "import sys; sys.argv[0] = 'keras-transformer'; from keras_transformer.cli.main import main; main()"
LINE = "A man is walking with his dog."


def cases(options: Namespace, model: Path | None) -> Iterator[Case]:
    """What is started; `model` is the exported SavedModel, if there is one."""
    yield Case("Python alone", ("-c", "pass"))
    yield Case("keras-transformer --help", ("-c", COMMAND, "--help"))
    for backend in options.backends:
        yield Case("import keras_transformer", ("-c", "import keras_transformer"), backend)
        touch = "import keras_transformer; keras_transformer.Transformer"
        yield Case("import keras_transformer, then its Transformer", ("-c", touch), backend)
        yield Case("train", ("-m", "benchmarks.first_steps", "run"), backend, marks=True)
        if options.run:
            arguments = ("-c", COMMAND, "translate", str(options.run.resolve()))
            yield Case("keras-transformer translate, a line", arguments, backend, text=f"{LINE}\n")
    if model:
        arguments = ("-m", "benchmarks.first_translation", str(model), LINE)
        yield Case("SavedModel", arguments, own=False, marks=True, apart=True)


def run(options: Namespace) -> None:
    """Measure and print."""
    if options.run and not (options.run / "config.yaml").is_file():
        sys.exit(f"{options.run} is no trained run; give one made by `keras-transformer train --out FOLDER`, or none.")
    work = options.work.resolve()
    model = export(options, work) if options.run else None
    report = {
        "command": "startup",
        "rounds": options.rounds,
        "isa": options.isa,
        "allocator": TOLD["default"],
        "machine": machine.describe(),
        "versions": {name: version(name) for name in ("keras", "tensorflow", *options.backends)},
        "results": measure(list(cases(options, model)), options),
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def export(options: Namespace, work: Path) -> Path | None:
    """The SavedModel of the run, exported if it is not there; None if it cannot be."""
    folder = decode.find_exports(work, options.run)
    settings = {"run": str(options.run.resolve()), "weights": str(folder)}
    once = Namespace(isa=options.isa, patience=options.patience, reuse=True)
    return folder / "saved_model" / "1" if decode.export(["saved_model"], once, work, settings) else None


def measure(everything: list[Case], options: Namespace) -> list[dict[str, Any]]:
    """Every case in turn, `rounds` times; what fails is left out."""
    passed: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    failed: set[Case] = set()
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        for case in everything:
            if case in failed:
                continue
            try:
                figures = start(case, options.isa, options.patience)
            except StartError as error:
                say(f"left out: {error}")
                failed.add(case)
                continue
            for each in figures:
                passed.setdefault((each["name"], case.backend), []).append(each)
    return [_result(name, backend, rounds) for (name, backend), rounds in passed.items()]


def _result(name: str, backend: str | None, rounds: list[dict[str, Any]]) -> dict[str, Any]:
    medians = {key: statistics.median(each[key] for each in rounds) for key in FIGURES}
    return {"name": name, "backend": backend, **medians, "rounds": [each["seconds"] for each in rounds]}


def show(report: dict[str, Any]) -> None:
    """A table for people."""
    print_top(report)
    print(", ".join(f"{name} {number}" for name, number in report["versions"].items()))
    lines = [
        [
            each["name"],
            each["backend"] or "",
            f"{each['seconds']:.2f} s",
            f"{each['processor_seconds']:.2f} s",
            f"{each['modules']:,}",
        ]
        for each in report["results"]
    ]
    title = f"fresh processes, median of {report['rounds']}, allocator {report['allocator']}"
    header = ["", "backend", "wall", "processor", "modules"]
    print_table(f"{title}, instructions: {report['isa']}", header, lines)
