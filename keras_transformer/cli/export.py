"""`keras-transformer export`: a SavedModel for TensorFlow Serving, or a model for CTranslate2."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BeamSize, LengthPenalty, RunFolder, Which, given
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from keras_transformer.text import ParallelCorpus
    from keras_transformer.training import Run

EXAMPLES = (
    "keras-transformer export runs/en-de",
    "keras-transformer export runs/en-de --name en-de --version 3 --sample 'A dog runs.'",
    "keras-transformer export runs/en-de --format ctranslate2 --quantization int8",
)

MOST_SAMPLES = 1000


class Format(StrEnum):
    """What can be exported."""

    saved_model = "saved_model"
    ctranslate2 = "ctranslate2"


class Quantization(StrEnum):
    """How CTranslate2 keeps weights."""

    float32 = "float32"
    int16 = "int16"
    int8 = "int8"


def export(
    run: RunFolder,
    format: Annotated[Format, typer.Option(help="For TensorFlow (Serving) or for CTranslate2.")] = Format.saved_model,  # noqa: A002
    quantization: Annotated[
        Quantization | None, typer.Option(help="Weights of --format ctranslate2.", show_default="float32")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Model name.", show_default="name of the run folder")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="Version.", show_default="the next free one")] = None,
    out: Annotated[Path, typer.Option(help="Folder of all exported models.")] = Path("saved_models"),
    sample: Annotated[list[str] | None, typer.Option(help="A sentence to verify with; may be repeated.")] = None,
    samples: Annotated[
        Path | None, typer.Option(help="A file of sentences to verify with.", show_default="for ctranslate2 the run's")
    ] = None,
    references: Annotated[Path | None, typer.Option(help="Their translations (ctranslate2): BLEU counts.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the version if it is there.")] = False,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    which: Which = "best",
) -> None:
    """Export OUT/NAME/VERSION: text in, text out, tokenizer and beam search inside.

    The result is loaded in a fresh process with TensorFlow alone and compared with the Python translator. With --format
    ctranslate2 it is OUT/NAME-ctranslate2/QUANTIZATION, compared on up to 1,000 sentences.
    """
    name = name or run.resolve().name
    if name.isdigit() or Path(name).name != name:
        raise InputError(f"The model name {name!r} is a number or a path, expected a plain name; add --name NAME.")
    if format is Format.saved_model and (quantization or references):
        raise InputError("--quantization and --references are for CTranslate2; add --format ctranslate2.")
    if format is Format.ctranslate2 and version:
        raise InputError("--version is for SavedModels; leave it out, or choose another --name.")
    if references and not samples:
        raise InputError(f"{references} has no sources; add --samples FILE.")
    import_backend()
    import keras_transformer as kt

    opened = kt.Run(run)
    translator = opened.translator(which, **given(beam_size=beam_size, length_penalty=length_penalty))
    sentences = [*(sample or []), *(_lines(samples) if samples else [])]
    if format is Format.saved_model:
        path = out / name / str(version) if version else out / name
        languages = (opened.config.data.source, opened.config.data.target)
        report: Any = kt.export_saved_model(
            translator, path, samples=sentences or None, languages=languages, overwrite=overwrite
        )
    else:
        kind = str(quantization or Quantization.float32)
        path = out / f"{name}-ctranslate2" / kind
        known = _lines(references) if references else None
        if not sentences:
            sentences, known = _of_run(opened)
        report = kt.export_ctranslate2(translator, path, kind, samples=sentences, references=known, overwrite=overwrite)
    typer.echo(str(report))


def _lines(path: Path) -> list[str]:
    from keras_transformer.text import read_lines

    return read_lines(path)[:MOST_SAMPLES]


def _of_run(run: "Run") -> tuple[list[str], list[str] | None]:
    """Up to 1,000 pairs of the run's first test split, else of those it was validated with or trained on.

    Where none are to be found any more there are no sentences, and the export takes a few of its own.
    """
    from keras_transformer.text import datasets
    from keras_transformer.training.prepare import load_corpora

    data = run.config.data
    try:
        corpora: list[ParallelCorpus | None] = []
        if data.dataset:
            named = datasets.load(data.dataset, source=data.source, target=data.target, **data.options)
            corpora = list(named.test.values())
        train, valid = load_corpora(run.config)
    except InputError as error:
        typer.echo(
            f"keras-transformer: compared on two sentences only, give more with --samples FILE: {error}", err=True
        )
        return [], None
    corpus = next((corpus for corpus in [*corpora, valid] if corpus is not None and len(corpus)), train)
    return corpus.sources[:MOST_SAMPLES], corpus.targets[:MOST_SAMPLES]
