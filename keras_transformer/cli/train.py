"""`keras-transformer train`: two text files in, a run folder out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from keras_transformer.cli.backend import import_backend

Pair = tuple[Path, Path]

EXAMPLES = (
    "keras-transformer train --preset tiny --train a.en a.de --valid v.en v.de --out runs/en-de",
    "keras-transformer train --dataset multi30k --out runs/multi30k training.max_steps=2000",
)


def train(
    out: Annotated[Path, typer.Option(help="Run folder; made if it is not there, continued if it is.")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="SECTION.KEY=VALUE", help="Settings laid over the preset."),
    ] = None,
    preset: Annotated[str, typer.Option(help="Model and recipe: tiny, base or big.")] = "tiny",
    train: Annotated[
        Pair | None,
        typer.Option(metavar="SOURCE TARGET", help="Two files, line N the translation of line N."),
    ] = None,
    valid: Annotated[
        Pair | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="Two files to validate with; without them 500 pairs of --train, a tenth at most, are held out.",
        ),
    ] = None,
    train_tsv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="One file of two columns parted by a tab, not --train."),
    ] = None,
    valid_tsv: Annotated[Path | None, typer.Option(metavar="FILE", help="As --train-tsv, not --valid.")] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="phrases, multi30k or wmt14-en-de, not --train.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Language code of the source.", show_default="en")] = None,
    target: Annotated[str | None, typer.Option(help="Language code of the target.", show_default="de")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the resolved settings and stop.")] = False,
) -> None:
    """Train a translator on your own files or on a named data set.

    The same command again continues where the last one stopped, however it was stopped. Settings may be laid over
    the preset, such as training.max_steps=2000; --dry-run shows them all.
    """
    import_backend()
    import keras_transformer as kt

    data: dict[str, Any] = {
        "train": _files("--train", train, train_tsv),
        "valid": _files("--valid", valid, valid_tsv),
        "dataset": dataset,
        "source": source,
        "target": target,
    }
    data = {key: value for key, value in data.items() if value}
    if not {"train", "dataset"} & data.keys() and not any(text.startswith("data.") for text in overrides or ()):
        raise kt.InputError(
            "There is nothing to train on: give --train SOURCE TARGET, --train-tsv FILE or --dataset NAME."
        )
    config = kt.resolve_config(preset, overrides=overrides or (), data=data)
    if dry_run:
        typer.echo(config.to_yaml(), nl=False)
        return
    result = kt.train(config, out=out)
    typer.echo(str(result))
    raise typer.Exit(result.exit_code)


def _files(option: str, pair: Pair | None, tsv: Path | None) -> tuple[str, ...]:
    """The files an option and its TSV form name between them."""
    from keras_transformer.errors import InputError

    if pair and tsv:
        raise InputError(f"{option} and {option}-tsv are both given; give one of them.")
    return tuple(map(str, pair)) if pair else (str(tsv),) if tsv else ()
