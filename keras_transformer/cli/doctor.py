"""`keras-transformer doctor`: is a model wired right, is a corpus fit to train on?"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import Which
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from keras_transformer.diagnostics.doctor import Diagnosis

EXAMPLES = (
    "keras-transformer doctor runs/en-de",
    "keras-transformer doctor runs/en-de --no-train --json",
    "keras-transformer doctor --data a.en a.de --test t.en t.de",
)
Pair = tuple[Path, Path]


def doctor(
    run: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="Run folder that `train` wrote.", show_default=False)
    ] = None,
    data: Annotated[
        Pair | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="Examine these files in place of a run; with RUN too, by its tokenizer.",
            show_default=False,
        ),
    ] = None,
    valid: Annotated[
        Pair | None, typer.Option(metavar="SOURCE TARGET", help="Validation pairs, for --data.", show_default=False)
    ] = None,
    test: Annotated[
        Pair | None, typer.Option(metavar="SOURCE TARGET", help="Test pairs, for --data.", show_default=False)
    ] = None,
    train: Annotated[bool, typer.Option("--train/--no-train", help="Also train a copy for 200 steps.")] = True,
    which: Which = "best",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure whether a model is wired right, or whether two files are fit to train on.

    Exit code 1 says that a fault was found.
    """
    if run is None and data is None:
        raise InputError("Give the doctor something to examine: RUN, or --data SOURCE TARGET.")
    if data is None and (valid or test):
        raise InputError("--valid and --test are compared with training pairs; give these with --data SOURCE TARGET.")
    diagnosis = _examine_files(data, valid, test, run) if data else _examine_run(run, which, train)
    color = sys.stdout.isatty()
    typer.echo(json.dumps(diagnosis.to_dict(), indent=2) if as_json else diagnosis.table(color=color))
    raise typer.Exit(diagnosis.exit_code)


def _examine_files(data: Pair, valid: Pair | None, test: Pair | None, run: Path | None) -> "Diagnosis":
    import_backend()
    import keras_transformer as kt
    from keras_transformer.diagnostics.doctor.corpus import examine_corpus

    tokenizer = None if run is None else kt.Run(run).tokenizer
    return examine_corpus(*data, valid=valid, test=test, tokenizer=tokenizer)


def _examine_run(run: Path | None, which: str, train: bool) -> "Diagnosis":
    import_backend()
    from rich.console import Console

    import keras_transformer as kt
    from keras_transformer.diagnostics.doctor.run import examine_run

    opened = kt.Run(str(run))
    console = Console(stderr=True)
    with console.status("reading the model") as status:

        def show(name: str, number: int, count: int) -> None:
            status.update(f"{number + 1} of {count}: {name}")

        return examine_run(opened, which, train=train, progress=show)
