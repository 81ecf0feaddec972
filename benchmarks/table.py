"""What is printed."""

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.isa import ISAS


def print_table(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A table, as wide as it needs to be."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    console = Console()
    widest = 4 * len(header) + sum(max(len(line[place]) for line in [header, *lines]) for place in range(len(header)))
    console.width = max(console.width, widest)
    console.print(table)


def print_top(report: dict[str, Any]) -> None:
    """The machine, and how it is used."""
    told = report["machine"]
    flags = " ".join(told["flags"])
    memory = told["memory_bytes"] / 2**30
    print(f"{told['processor']}, {told['cores']} cores, {flags}, {memory:.0f} GiB, Python {told['python']}")
    print(f"allocator: {report['allocator']}; instructions: {ISAS[report['isa']]}")
    for framework, rates in report.get("matrix_products", {}).items():
        if framework != "best":
            figures = ", ".join(
                f"{kind} {each['rate'] / 1e9:,.0f} GFLOP/s (of {each['size']:,})" for kind, each in rates.items()
            )
            print(f"matrix product, {framework}: {figures}")


def show_faults(faults: float) -> str:
    """Minor page faults for each step."""
    return f"{faults:,.0f}" if faults >= 10 else f"{faults:.1f}"


def write_json(report: dict[str, Any]) -> None:
    print(json.dumps(report, indent=2))
