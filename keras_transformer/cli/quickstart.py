"""`keras-transformer quickstart`: the whole way once, on the corpus that comes with the package."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend

EXAMPLES = ("keras-transformer quickstart",)


def quickstart(
    out: Annotated[Path, typer.Option(help="Run folder.")] = Path("runs/quickstart"),
) -> None:
    """Train, measure, plot and export a small English-German translator in a few minutes.

    It needs no download. The same command again continues, or shows what is there.
    """
    import_backend()
    from keras_transformer.quickstart import quickstart as start

    start(out)
