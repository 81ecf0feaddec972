"""`keras-transformer export`: a SavedModel for TensorFlow Serving."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BeamSize, LengthPenalty, RunFolder, given

EXAMPLES = ("keras-transformer export runs/en-de --name en-de",)


def export(
    run: RunFolder,
    name: Annotated[str | None, typer.Option(help="Model name.", show_default="name of the run folder")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="Version.", show_default="the next free one")] = None,
    out: Annotated[Path, typer.Option(help="Folder of all exported models.")] = Path("saved_models"),
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
) -> None:
    """Export OUT/NAME/VERSION: text in, text out, tokenizer and beam search inside.

    The result is loaded in a fresh process with TensorFlow alone and compared with the Python translator.
    """
    import_backend()
    import keras_transformer as kt

    translator = kt.Run(run).translator(**given(beam_size=beam_size, length_penalty=length_penalty))
    path = out / (name or run.resolve().name) / str(version or 1)
    typer.echo(str(kt.export_saved_model(translator, path)))
