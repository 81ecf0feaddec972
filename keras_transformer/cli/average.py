"""`keras-transformer average`: one model from the last checkpoints."""

from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import RunFolder

EXAMPLES = ("keras-transformer average runs/en-de --last 5",)


def average(
    run: RunFolder,
    last: Annotated[
        int | None, typer.Option(min=1, help="How many of the newest checkpoints.", show_default="the run's, 5")
    ] = None,
) -> None:
    """Average the weights of the last checkpoints (paper, section 6.1) and measure before and after."""
    import_backend()
    import keras_transformer as kt

    typer.echo(str(kt.Run(run).average(last)))
