"""The command `keras-transformer`: its sub-commands, and how it ends.

No module of this folder imports a backend, or anything slow, before a command runs: `--help` waits for none.
"""

import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated

import typer

import keras_transformer
from keras_transformer.cli import (
    attention,
    average,
    doctor,
    evaluate,
    export,
    paper,
    quickstart,
    score,
    train,
    translate,
)
from keras_transformer.cli.failures import INTERRUPTED, describe

COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    quickstart.quickstart: quickstart.EXAMPLES,
    train.train: train.EXAMPLES,
    translate.translate: translate.EXAMPLES,
    score.score: score.EXAMPLES,
    evaluate.evaluate: evaluate.EXAMPLES,
    average.average: average.EXAMPLES,
    export.export: export.EXAMPLES,
    doctor.doctor: doctor.EXAMPLES,
    attention.attention: attention.EXAMPLES,
    paper.paper: paper.EXAMPLES,
}

app = typer.Typer(
    name="keras-transformer",
    epilog="Start with: [bold]keras-transformer quickstart[/bold]",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command, _examples in COMMANDS.items():
    app.command(epilog="\n\n".join(["[bold]Examples[/bold]", *_examples]))(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"keras-transformer {keras_transformer.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Train, measure and serve a translator: the Transformer of "Attention Is All You Need" in Keras 3.

    KERAS_BACKEND=tensorflow|jax|torch chooses the backend.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: list[str] | None = None) -> int:
    """Run one command line.

    Args:
        arguments: what was typed after `keras-transformer`; None takes `sys.argv`.

    Returns:
        The exit code: 0; 2 for bad input, after one sentence on stderr; 1 for anything unforeseen; 130 after
        Ctrl-C; 141 when the reader of the output went away.

    Example:
        >>> from keras_transformer.cli.main import run
        >>> run(["--version"])
        keras-transformer ...
        0
    """
    try:
        code = app(args=arguments, prog_name="keras-transformer", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        # Without its standalone mode typer exits by itself in one case only: nobody reads the output any more.
        return _fail(BrokenPipeError())
    except BaseException as error:
        return _fail(error)
    if code == INTERRUPTED:  # typer's way to pass on a KeyboardInterrupt
        return _fail(KeyboardInterrupt())
    return code if isinstance(code, int) else 0


def _fail(error: BaseException) -> int:
    """Say why in one sentence; the exit code."""
    if os.environ.get("KERAS_TRANSFORMER_DEBUG"):
        traceback.print_exception(error)
    code, sentence = describe(error)
    if isinstance(error, BrokenPipeError):
        # The interpreter flushes stdout once more as it ends; let it do so into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif sentence:
        typer.echo(f"keras-transformer: {sentence}", err=True)
    return code


def main() -> None:
    """Entry point of the installed command."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # what matters comes as an exception too
    sys.exit(run())


if __name__ == "__main__":
    main()
