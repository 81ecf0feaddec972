"""`keras-transformer score`: how likely is a given translation."""

from pathlib import Path
from typing import Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import RunFolder, Which, given

EXAMPLES = ("keras-transformer score runs/en-de a.en a.de > scores.tsv",)


def score(
    run: RunFolder,
    source: Annotated[Path, typer.Argument(help="Source sentences, one per line.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Their translations, line by line.", show_default=False)],
    tokens_per_batch: Annotated[
        int | None, typer.Option(min=1, help="Target tokens scored at once, padding included.")
    ] = None,
    which: Which = "best",
) -> None:
    """Print the log-probability of each given pair: log P(target | source) in nats, and target tokens.

    One line per pair, the two parted by a tab.
    """
    import_backend()
    import keras_transformer as kt
    from keras_transformer.text import ParallelCorpus

    corpus = ParallelCorpus(source, target)
    opened = kt.Run(run)
    scorer = kt.Scorer(opened.model(which), opened.tokenizer, **given(tokens_per_batch=tokens_per_batch))
    for pair in scorer(corpus.sources, corpus.targets):
        typer.echo(f"{pair.log_probability:.6f}\t{pair.tokens}")
