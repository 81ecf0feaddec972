"""`keras-transformer attention`: what every head looks at in one sentence."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BeamSize, LengthPenalty, RunFolder, Which, given
from keras_transformer.errors import InputError

EXAMPLES = (
    'keras-transformer attention runs/en-de "A dog runs." --html attention.html',
    'keras-transformer attention runs/en-de "A dog runs." --kind cross --layer 4 --out cross.png',
)
_KINDS = ("encoder", "decoder", "cross")


def attention(
    run: RunFolder,
    sentence: Annotated[
        str, typer.Argument(metavar="SENTENCE", help="Source sentence, in quotes.", show_default=False)
    ],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to look at in a browser.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|FILE.png",
            help="Write pictures: into a folder, or to a file.",
            show_default="RUN/attention, if there is no --html",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Draw encoder, decoder or cross; may be repeated.", show_default="all three"),
    ] = None,
    layer: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Draw this layer, from 1; may be repeated.", show_default="all"),
    ] = None,
    translation: Annotated[
        str | None, typer.Option(help="Look at this translation.", show_default="the model's own")
    ] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    which: Which = "best",
) -> None:
    """Translate a sentence and show what every head of every layer looks at.

    Prints the translation, and the entropy and mass on padding of each head.
    """
    wanted = bool(out or kind or layer) or html is None
    pictures = _pictures(out or run / "attention", kind or list(_KINDS)) if wanted else {}
    import_backend()
    import keras_transformer as kt
    from keras_transformer.diagnostics import head_table, plot_attention, record_attention, write_attention_html

    translator = kt.Run(run).translator(which, **given(beam_size=beam_size, length_penalty=length_penalty))
    config = translator.model.config
    counts = dict.fromkeys(_KINDS, config.num_decoder_layers) | {"encoder": config.num_encoder_layers}
    chosen = {name: _layers(layer, name, counts[name]) for name in pictures}
    record = record_attention(translator.model, translator.tokenizer, sentence, translation, translator)
    typer.echo(f"{record.source}\n{record.translation}\n\n{head_table(record)}\n")
    for name, path in pictures.items():
        typer.echo(f"wrote {plot_attention(record, name, path, layers=chosen[name])}")
    if html is not None:
        typer.echo(f"wrote {write_attention_html(record, html)}")


def _pictures(out: Path, kinds: list[str]) -> dict[str, Path]:
    """The file each kind is drawn in."""
    for name in kinds:
        if name not in _KINDS:
            raise InputError(f"--kind is {name!r}; expected {', '.join(_KINDS[:-1])} or {_KINDS[-1]}.")
    if out.is_dir() or not out.suffix:
        return {name: out / f"{name}.png" for name in kinds}
    if len(kinds) == 1:
        return {kinds[0]: out}
    return {name: out.with_name(f"{out.stem}-{name}{out.suffix}") for name in kinds}


def _layers(numbers: list[int] | None, kind: str, count: int) -> list[int] | None:
    """Layers counted from 0, as in Python, of those counted from 1, as in the pictures."""
    for number in numbers or ():
        if number > count:
            raise InputError(
                f"--layer is {number} and there are {count} layers of the kind {kind}; choose 1 to {count}."
            )
    return [number - 1 for number in numbers] if numbers else None
