"""`keras-transformer paper`: the paper's figures, recomputed."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.errors import InputError

EXAMPLES = (
    "keras-transformer paper",
    "keras-transformer paper --no-timing --json > paper.json",
    "keras-transformer paper --only scaling --only reach --plots pictures",
)


def paper(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECTION",
            help="Only this section (again for more): parameters, schedule, scaling, sinusoids, flops, heads, "
            "layers, reach.",
        ),
    ] = None,
    timing: Annotated[bool, typer.Option("--timing/--no-timing", help="Measure times on this machine too.")] = True,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw the curves into this folder.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of documentation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Recompute the figures of "Attention Is All You Need" beside its own: parameters, rates, FLOPs, table 1 and more.

    Exit code 1 says that a figure is off by more than its rounding.
    """
    _check(plots, markdown)
    import_backend()
    import keras_transformer as kt
    from keras_transformer.training.files import write_text

    report = kt.paper(timing=timing, only=only or None, progress=lambda line: typer.echo(line, err=True))
    images: dict[str, Path] = {}
    if plots:
        from keras_transformer.diagnostics.paper.plots import plot_paper

        images = plot_paper(report, plots)
    if markdown:
        page = markdown.resolve().parent
        links = {name: Path(os.path.relpath(path.resolve(), page)).as_posix() for name, path in images.items()}
        write_text(markdown, report.markdown(links))
    typer.echo(json.dumps(report.to_dict(), indent=2) if as_json else report.text())
    raise typer.Exit(report.exit_code)


def _check(plots: Path | None, markdown: Path | None) -> None:
    """Refuse what could not be written before a minute of work, not after."""
    if markdown and not markdown.resolve().parent.is_dir():
        raise InputError(f"{markdown} cannot be written: its folder does not exist; make it, or name another.")
    if markdown and markdown.is_dir():
        raise InputError(f"{markdown} is a folder; name a file in it for --markdown.")
    if plots and plots.exists() and not plots.is_dir():
        raise InputError(f"{plots} is a file; name a folder for --plots.")
