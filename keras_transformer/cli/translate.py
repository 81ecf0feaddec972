"""`keras-transformer translate`: lines in, lines out."""

import sys
from typing import Annotated

import typer

from keras_transformer.cli.options import BatchSize, BeamSize, LengthPenalty, RunFolder, given
from keras_transformer.cli.streams import InputLines

EXAMPLES = (
    "keras-transformer translate runs/en-de < in.en > out.de",
    "keras-transformer translate runs/en-de --n-best 3 < in.en",
)


def translate(
    run: RunFolder,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    n_best: Annotated[int, typer.Option(min=1, help="Translations per line, best first.")] = 1,
    scores: Annotated[bool, typer.Option("--scores", help="Put the score and a tab before each.")] = False,
    batch_size: BatchSize = None,
) -> None:
    """Translate standard input, line by line: N lines in, N lines out, in order.

    With --n-best each translation is a line of its own: line number, score, text, parted by tabs.
    """
    import keras_transformer as kt

    if beam_size is not None and n_best > beam_size:
        raise kt.InputError(f"--n-best {n_best} needs a beam of that size; add --beam-size {n_best} or more.")
    options = given(beam_size=beam_size, length_penalty=length_penalty, batch_size=batch_size)
    translator = kt.Run(run).translator(n_best=n_best, **options)
    lines = InputLines(sys.stdin.buffer)
    for number, hypotheses in enumerate(translator.stream(lines), start=1):
        for hypothesis in hypotheses:
            columns = [f"{hypothesis.score:.4f}"] if scores or n_best > 1 else []
            if n_best > 1:
                columns.insert(0, str(number))
            sys.stdout.buffer.write("\t".join([*columns, hypothesis.text]).encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()
    for note in (lines.warning(), translator.warning()):
        if note:
            typer.echo(note, err=True)
