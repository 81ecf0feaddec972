"""`keras-transformer export`: a SavedModel for TensorFlow Serving."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BeamSize, LengthPenalty, RunFolder, Which, given
from keras_transformer.errors import InputError

EXAMPLES = (
    "keras-transformer export runs/en-de",
    "keras-transformer export runs/en-de --name en-de --version 3 --sample 'A dog runs.'",
)


def export(
    run: RunFolder,
    name: Annotated[str | None, typer.Option(help="Model name.", show_default="name of the run folder")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="Version.", show_default="the next free one")] = None,
    out: Annotated[Path, typer.Option(help="Folder of all exported models.")] = Path("saved_models"),
    sample: Annotated[list[str] | None, typer.Option(help="A sentence to verify with; may be repeated.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the version if it is there.")] = False,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    which: Which = "best",
) -> None:
    """Export OUT/NAME/VERSION: text in, text out, tokenizer and beam search inside.

    The result is loaded in a fresh process with TensorFlow alone and compared with the Python translator.
    """
    name = name or run.resolve().name
    if name.isdigit() or Path(name).name != name:
        raise InputError(f"The model name {name!r} is a number or a path, expected a plain name; add --name NAME.")
    import_backend()
    import keras_transformer as kt

    opened = kt.Run(run)
    translator = opened.translator(which, **given(beam_size=beam_size, length_penalty=length_penalty))
    path = out / name / str(version) if version else out / name
    languages = (opened.config.data.source, opened.config.data.target)
    report = kt.export_saved_model(translator, path, samples=sample, languages=languages, overwrite=overwrite)
    typer.echo(str(report))
