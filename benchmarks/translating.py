"""What the decoding workers share: the sentences, timed rounds. Needs sentencepiece only where a worker asks for it."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.protocol import minor_faults


class Sentences:
    """The lines to translate, and their tokenizer.

    Args:
        settings: "lines", a text file; "tokenizer", a SentencePiece model.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.lines = Path(settings["lines"]).read_text(encoding="utf-8").splitlines()
        self.path = settings["tokenizer"]

    @cached_property
    def tokenizer(self) -> Any:
        import sentencepiece

        return sentencepiece.SentencePieceProcessor(model_file=self.path)

    def timed(
        self, translate: Callable[[list[str]], Sequence[str]], batches: Iterable[Sequence[int]]
    ) -> dict[str, Any]:
        """A round: every line once; `batches` are the places of the lines that are translated together."""
        before, began = minor_faults(), time.perf_counter()
        outputs = list(translate(self.lines))
        seconds, faults = time.perf_counter() - began, minor_faults() - before
        steps = self.count_steps(outputs, batches)
        return {"sentences": len(self.lines), "seconds": seconds, "outputs": outputs, "faults": faults, "steps": steps}

    def count_steps(self, outputs: Sequence[str], batches: Iterable[Sequence[int]]) -> int:
        """Passes of the decoder over a batch of hypotheses, at the least.

        A batch takes one for each piece of its longest translation and one for the end; a search that goes on to be
        sure of the best takes more.
        """
        pieces = [len(row) for row in self.tokenizer.encode(list(outputs))]
        return sum(max(pieces[place] for place in batch) + 1 for batch in batches if len(batch))

    def pieces(self) -> list[list[str]]:
        """Of each line."""
        return self.tokenizer.encode(self.lines, out_type=str)


def by_length(rows: Sequence[Sequence[Any]], size: int, longest_first: bool = False) -> list[list[int]]:
    """Places of the rows in batches of alike length."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]), reverse=longest_first)
    return [order[first : first + size] for first in range(0, len(order), size)]


def in_chunks(lengths: Sequence[int], tokens: int, parallel: int, smallest: int) -> list[list[int]]:
    """Places of the rows of a request in the chunks that our SavedModel makes, as `_in_chunks` of `servable.py` does.

    Args:
        lengths: ids of each row, the end of sentence counted.
        tokens: its CHUNK_TOKENS.
        parallel: its PARALLEL_CHUNKS.
        smallest: its SMALLEST_CHUNK.
    """
    costs = 1 + np.asarray(lengths, np.int64)
    order = np.argsort(-costs, kind="stable")
    total = int(costs.sum())
    count = max(-(-total // tokens), min(max(len(costs) // smallest, 1), parallel))
    starts = np.arange(count + 1) * total // count
    edges = np.searchsorted(costs[order].cumsum(), starts, side="right")
    return [chunk.tolist() for chunk in np.split(order, edges[1:-1])]
