"""Options that several commands share, each with one wording."""

from pathlib import Path
from typing import Annotated, Any

import typer

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder that `train` wrote.", show_default=False)]
BeamSize = Annotated[
    int | None,
    typer.Option("--beam-size", min=1, help="Hypotheses kept; 1 is greedy.", show_default="the run's, 4"),
]
LengthPenalty = Annotated[
    float | None,
    typer.Option("--length-penalty", min=0, help="The alpha of GNMT.", show_default="the run's, 0.6"),
]
BatchSize = Annotated[int | None, typer.Option("--batch-size", min=1, help="Sentences decoded at once.")]
Which = Annotated[str, typer.Option("--model", help="Weights: best, average or last, or a file or checkpoint.")]


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were typed.

    Args:
        **options: values by name; None where the option was left out.

    Returns:
        The options that are not None.

    Example:
        >>> from keras_transformer.cli.options import given
        >>> given(beam_size=None, batch_size=8)
        {'batch_size': 8}
    """
    return {name: value for name, value in options.items() if value is not None}
