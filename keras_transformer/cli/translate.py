"""`keras-transformer translate`: lines in, lines out."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from keras_transformer.cli.backend import import_backend
from keras_transformer.cli.options import BatchSize, BeamSize, LengthPenalty, RunFolder, Which, given
from keras_transformer.cli.streams import InputLines
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from keras_transformer.decoding import Hypothesis
    from keras_transformer.decoding.translator import Truncation

EXAMPLES = (
    "keras-transformer translate runs/en-de < in.en > out.de",
    "keras-transformer translate runs/en-de --beam-size 8 --n-best 3 < in.en",
)


def translate(
    run: RunFolder,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    n_best: Annotated[int, typer.Option(min=1, help="Translations per line, best first.")] = 1,
    scores: Annotated[bool, typer.Option("--scores", help="Put the score and a tab before each.")] = False,
    batch_size: BatchSize = None,
    which: Which = "best",
) -> None:
    """Translate standard input, line by line: N lines in, N lines out, in order.

    With --n-best each translation is a line of its own: line number, score, text, parted by tabs.
    """
    import_backend(searches=True)
    import keras_transformer as kt

    if beam_size is not None and n_best > beam_size:
        raise InputError(f"--n-best {n_best} needs a beam of that size; add --beam-size {n_best} or more.")
    if sys.stdin is None or sys.stdout is None:  # closed by the shell: <&- or >&-
        raise InputError("Standard input or output is closed; give both: translate RUN < in.txt > out.txt.")
    cuts: list[Truncation] = []
    options = given(beam_size=beam_size, length_penalty=length_penalty, batch_size=batch_size)
    translator = kt.Run(run).translator(which, n_best=n_best, on_truncated=cuts.append, **options)
    lines = InputLines(sys.stdin.buffer)
    # A person at a terminal waits for each answer; a file is read ahead, so that batches can be sorted by length.
    chunk = 1 if sys.stdin.isatty() else None
    for number, hypotheses in enumerate(translator.stream(lines, chunk), start=1):
        for hypothesis in hypotheses:
            sys.stdout.buffer.write(_row(hypothesis, number if n_best > 1 else None, scores).encode("utf-8"))
        if chunk:
            sys.stdout.buffer.flush()
    sys.stdout.buffer.flush()
    for note in (lines.warning(), _warning(cuts)):
        if note:
            typer.echo(f"keras-transformer: {note}", err=True)


def _row(hypothesis: "Hypothesis", number: int | None, with_score: bool) -> str:
    """One line of output; `number` is that of the input line, for n-best lists."""
    columns = [hypothesis.text]
    if with_score or number is not None:
        columns.insert(0, f"{hypothesis.score:.4f}")
    if number is not None:
        columns.insert(0, str(number))
    return "\t".join(columns) + "\n"


def _warning(cuts: "list[Truncation]") -> str | None:
    if not cuts:
        return None
    some = ", ".join(str(cut.line) for cut in cuts[:5])
    more = f" and {len(cuts) - 5:,} more" if len(cuts) > 5 else ""
    lines = "1 line was" if len(cuts) == 1 else f"{len(cuts):,} lines were"
    return f"{lines} cut to {cuts[0].kept} tokens before translating (line {some}{more}); split it into sentences."
