"""`keras-transformer evaluate`: sacreBLEU, chrF and TER."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BatchSize, BeamSize, LengthPenalty, Which, given
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from keras_transformer.text import ParallelCorpus
    from keras_transformer.training import Run

EXAMPLES = (
    "keras-transformer evaluate runs/en-de test.en test.de",
    "keras-transformer evaluate runs/multi30k --dataset multi30k --split test_2016 --json",
    "keras-transformer evaluate --hypotheses out.de --references test.de",
)


def evaluate(
    run: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="Run folder that `train` wrote.", show_default=False)
    ] = None,
    source: Annotated[Path | None, typer.Argument(help="Sentences to translate.", show_default=False)] = None,
    target: Annotated[Path | None, typer.Argument(help="Their references.", show_default=False)] = None,
    dataset: Annotated[str | None, typer.Option(help="Named data set.", show_default="the run's")] = None,
    split: Annotated[str | None, typer.Option(help="Its split.", show_default="its first test split")] = None,
    hypotheses: Annotated[Path | None, typer.Option(help="Translations made before, in place of RUN.")] = None,
    references: Annotated[Path | None, typer.Option(help="The references for --hypotheses.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    batch_size: BatchSize = None,
    which: Which = "best",
    save: Annotated[Path | None, typer.Option(help="Write the translations to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Translate a test set and score it: BLEU, chrF and TER of sacreBLEU, each with its signature."""
    if save and not save.resolve().parent.is_dir():
        raise InputError(f"{save} cannot be written: its folder does not exist; make it, or name another.")
    if hypotheses or references:
        if run or not (hypotheses and references):
            raise InputError("Give --hypotheses FILE and --references FILE together, and no RUN.")
        translations, targets = _read(hypotheses), _read(references)
    elif run:
        options = given(beam_size=beam_size, length_penalty=length_penalty, batch_size=batch_size)
        translations, targets = _translate(run, (source, target), dataset, split, {"which": which, **options})
    else:
        raise InputError("There is nothing to evaluate: give RUN, or --hypotheses FILE --references FILE.")
    if save:
        save.write_text("".join(f"{line}\n" for line in translations), encoding="utf-8")

    from keras_transformer.evaluation import evaluate_translations

    scores = evaluate_translations(translations, targets)
    typer.echo(json.dumps(scores.to_dict(), indent=2) if as_json else scores.table())


def _read(path: Path) -> list[str]:
    from keras_transformer.text import read_lines

    return read_lines(path)


def _translate(
    folder: Path,
    files: tuple[Path | None, Path | None],
    dataset: str | None,
    split: str | None,
    options: dict[str, Any],
) -> tuple[list[str], list[str]]:
    """Translations of the test set, and its references."""
    import_backend(searches=True)
    import keras_transformer as kt

    run = kt.Run(folder)
    corpus = _test_set(run, files, dataset, split)
    translator = run.translator(**options)
    return translator(corpus.sources), corpus.targets


def _test_set(
    run: "Run", files: tuple[Path | None, Path | None], dataset: str | None, split: str | None
) -> "ParallelCorpus":
    """The pairs of two files, or of a split of a named data set."""
    from keras_transformer.text import ParallelCorpus, datasets

    source, target = files
    if source and target:
        if dataset or split:
            raise InputError("Both files and a data set are given; give one of them.")
        return ParallelCorpus(source, target)
    if source:
        raise InputError(f"{source} has no references: give a second file, line by line its translation.")
    settings = run.config.data
    name = dataset or settings.dataset
    if not name:
        raise InputError("There is no test set: give a source and a target file, or --dataset NAME.")
    # The options too: with another seed, say, the test split of a generated data set may lie in what was trained on.
    options = settings.options if name == settings.dataset else {}
    data = datasets.load(name, source=settings.source, target=settings.target, **options)
    splits = {**data.test, "valid": data.valid}
    chosen = split or next(iter(splits))
    if chosen not in splits:
        raise InputError(f"{name} has no split {chosen!r}; it has {', '.join(splits)}.")
    return splits[chosen]
