"""`python -m benchmarks train`: real target tokens per second, ours and the peers' in turns."""

import statistics
import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import data, machine
from benchmarks.allocators import TOLD, tell_allocators, tell_way
from benchmarks.environments import interpreter
from benchmarks.flops import training_flops
from benchmarks.isa import make_isa_environment
from benchmarks.protocol import COUNTS
from benchmarks.sizes import SIZES, WARM
from benchmarks.table import print_table, print_top, show_faults, write_json
from benchmarks.turns import Entrant, Spread, say, take_turns

MODULES = {
    "torch": "benchmarks.peers.torch_loop",
    "hf": "benchmarks.peers.hf_marian",
    "joeynmt": "benchmarks.peers.joeynmt",
    "kerashub": "benchmarks.peers.kerashub",
    "opennmt-tf": "benchmarks.peers.opennmt_tf",
}
FLOAT32_ONLY = ("joeynmt", "opennmt-tf")
"""Whose mixed precision is for GPUs."""


def entrants(options: Namespace, work: Path, pairs: Path) -> Iterator[Entrant]:
    """Ours on each backend and the peers, in each precision and with each allocator asked for."""
    size = SIZES[options.size]
    settings = {
        "what": "train",
        "preset": options.size,
        "size": size.to_dict(),
        "pairs": str(pairs),
        "tokenizer": str(data.tokenizer_path(work, options.dataset)),
        "dataset": options.dataset,
        "tokens": options.tokens,
        "batches": options.batches,
        "warm": list(range(WARM[options.size])),
    }
    for allocator in options.allocators:
        for precision in options.precisions:
            common = {**settings, "precision": precision}
            short = "" if precision == "float32" else ", bfloat16"
            for backend in options.backends:
                yield Entrant(
                    f"ours, {backend}{short}",
                    lambda: Path(sys.executable),
                    "benchmarks.ours",
                    {**common, "options": options.options},
                    {"KERAS_BACKEND": backend, **make_isa_environment(options.isa, own=True)},
                    allocator,
                    own=True,
                )
            for peer in options.peers:
                if peer not in MODULES or (precision != "float32" and peer in FLOAT32_ONLY):
                    continue
                find = partial(interpreter, peer, work)
                for backend in ("tensorflow", "jax") if peer == "kerashub" else (None,):
                    name = f"{peer}, {backend}" if backend else peer
                    environment = {"KERAS_BACKEND": backend} if backend else {}
                    environment |= make_isa_environment(options.isa, own=False)
                    yield Entrant(f"{name}{short}", find, MODULES[peer], common, environment, allocator)


def run(options: Namespace) -> None:
    """Measure and print."""
    work = options.work.resolve()
    pairs = data.write(work, options.dataset, options.tokens)
    data.load_tokenizer(work, options.dataset)
    rates = measure_products(options, work)
    everyone = list(entrants(options, work, pairs))
    ours, peers = ([each for each in everyone if each.own is own] for own in (True, False))
    room = max(1, options.at_once - len(ours))
    groups = [peers[first : first + room] for first in range(0, len(peers), room)] or [[]]
    results = []
    for number, group in enumerate(groups):
        if number:
            ours = [each for each in entrants(options, work, pairs) if each.own]
        measured = take_turns([*ours, *group], work, options.rounds, options.patience, seconds=options.seconds)
        results.append([_result(each, options, rates) for each in measured])
    report = {
        "command": "train",
        "size": options.size,
        "tokens_per_batch": options.tokens,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "isa": options.isa,
        "allocator": tell_allocators(options.allocators),
        "machine": machine.describe(),
        "matrix_products": rates,
        "groups": results,
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def measure_products(options: Namespace, work: Path) -> dict[str, Any]:
    """How fast the machine multiplies matrices in the precisions asked for."""
    say("measuring matrix products")
    return machine.product_rates(
        options.products,
        options.precisions,
        work,
        largest=options.product_size,
        seconds=options.product_seconds,
        isa=options.isa,
        patience=options.patience,
    )


def _result(entrant: Entrant, options: Namespace, rates: dict[str, Any]) -> dict[str, Any]:
    rounds = entrant.rounds
    tokens, source = ([each[key] / each["seconds"] for each in rounds] for key in ("target_tokens", "source_tokens"))
    sums = {key: sum(each[key] for each in rounds) for key in COUNTS}
    seconds = sum(each["seconds"] for each in rounds)
    flops = training_flops(SIZES[options.size], *(sums[key] for key in COUNTS)) / seconds
    precision = entrant.settings["precision"]
    most = rates["best"]["float32" if precision == "float32" else "bfloat16"]
    spread = Spread.of(tokens)
    return {
        "name": entrant.name,
        "own": entrant.own,
        "precision": precision,
        "allocator": entrant.allocator,
        "tokens_per_second": spread.median,
        "spread": spread.half_width,
        "rates": tokens,
        "source_tokens_per_second": Spread.of(source).median,
        "flops_per_second": flops,
        "matmul_share": flops / most if most else None,
        "steps": sum(each["steps"] for each in rounds),
        "faults_per_step": statistics.median(entrant.faults_per_step),
        "round_faults_per_step": entrant.faults_per_step,
        "loss": rounds[-1]["loss"],
        "warm_up_seconds": entrant.about["seconds"],
        "peak_bytes": rounds[-1]["peak_bytes"],
        "idle": entrant.idle,
        **{key: entrant.about.get(key) for key in ("versions", "parameters", "layout", "xla", "environment")},
    }


def show(report: dict[str, Any]) -> None:
    """Tables for people: one for each allocator and group, then the ratio of the best to the best."""
    print_top(report)
    everyone = [each for group in report["groups"] for each in group]
    for group in report["groups"]:
        for allocator in dict.fromkeys(each["allocator"] for each in group):
            rows = [each for each in group if each["allocator"] == allocator]
            mine = [each for each in rows if each["own"]]
            header = ["", "target tokens/s", "spread", "source tokens/s", "of matmul rate", "faults / step"]
            header += ["loss", "warm-up", "peak", *(f"{each['name']} / it" for each in mine)]
            lines = [_line(row, mine) for row in sorted(rows, key=lambda each: -each["tokens_per_second"])]
            print_table(f"training {report['size']}, {tell_way(allocator, report['isa'])}", header, lines)
    for each in {each["name"]: each for each in everyone}.values():
        packages = ", ".join(f"{name} {version}" for name, version in (each["versions"] or {}).items())
        xla = {True: ", XLA", False: ", no XLA", None: ""}[each["xla"]]
        print(f"  {each['name']}: {packages}; {each['parameters']:,} parameters; {each['layout']}{xla}")
    print(f"waiting workers used at most {max((each['idle'] for each in everyone), default=0):.1%} of a core")
    for group in report["groups"]:
        mine, others = ([each for each in group if each["own"] is own] for own in (True, False))
        if mine and others:
            best, peer = (max(side, key=lambda each: each["tokens_per_second"]) for side in (mine, others))
            ratio = best["tokens_per_second"] / peer["tokens_per_second"]
            print(f"best to best: {_told(best)} / {_told(peer)} = {ratio:.2f}")


def _told(result: dict[str, Any]) -> str:
    return f"{result['name']} (allocator {TOLD[result['allocator']]})"


def _line(row: dict[str, Any], mine: list[dict[str, Any]]) -> list[str]:
    share = row["matmul_share"]
    return [
        row["name"],
        f"{row['tokens_per_second']:,.0f}",
        f"± {row['spread']:.0%}",
        f"{row['source_tokens_per_second']:,.0f}",
        "" if share is None else f"{share:.0%}",
        show_faults(row["faults_per_step"]),
        f"{row['loss']:.2f}",
        f"{row['warm_up_seconds']:.0f} s",
        f"{row['peak_bytes'] / 2**30:.1f} GiB",
        *(f"{each['tokens_per_second'] / row['tokens_per_second']:.2f}" for each in mine),
    ]
