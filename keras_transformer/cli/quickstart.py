"""`keras-transformer quickstart`: the whole way once, on the corpus that comes with the package."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend

EXAMPLES = ("keras-transformer quickstart",)


def quickstart(
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="SECTION.KEY=VALUE", help="Settings laid over the recipe.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Run folder.")] = Path("runs/quickstart"),
    saved_models: Annotated[Path, typer.Option(help="Folder of all exported models.")] = Path("saved_models"),
) -> None:
    """Train, measure, plot and export a small English-German translator in a few minutes.

    It needs no download. The same command again continues, or shows what is there.
    """
    import_backend()
    from keras_transformer.quickstart import quickstart as start

    raise typer.Exit(start(out, saved_models=saved_models, overrides=overrides or ()).exit_code)
