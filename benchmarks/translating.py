"""What the decoding workers share: the sentences, timed rounds. Needs sentencepiece only where a worker asks for it."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any


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

    def timed(self, translate: Callable[[list[str]], Sequence[str]]) -> dict[str, Any]:
        """A round: every line once."""
        began = time.perf_counter()
        outputs = list(translate(self.lines))
        seconds = time.perf_counter() - began
        return {"sentences": len(self.lines), "seconds": seconds, "outputs": outputs}


def by_length(rows: Sequence[Sequence[Any]], size: int) -> list[list[int]]:
    """Places of the rows in batches of alike length."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    return [order[first : first + size] for first in range(0, len(order), size)]
