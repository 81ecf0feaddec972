"""Text in, text out: N lines in, N lines out."""

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from keras_transformer.decoding.batches import by_length, pad_rows
from keras_transformer.decoding.beam_search import BeamSearch
from keras_transformer.decoding.checks import check_lines, check_tokenizer, check_whole
from keras_transformer.decoding.compiled import SearchModel, predict_each
from keras_transformer.decoding.hypothesis import EMPTY, Hypothesis
from keras_transformer.decoding.protocols import TokenizerLike, source_side
from keras_transformer.decoding.search_state import smaller

LOG = logging.getLogger("keras_transformer")


@dataclass(frozen=True, slots=True)
class Truncation:
    """A source line too long for the translator, of which only the beginning was translated.

    Args:
        line: line number, from 1.
        tokens: source tokens the line has.
        kept: source tokens that were translated.
    """

    line: int
    tokens: int
    kept: int

    def __str__(self) -> str:
        return (
            f"line {self.line} has {self.tokens} tokens; only its first {self.kept} were translated "
            f"(raise max_source_length, or split the line into sentences)"
        )


def warn(truncation: Truncation) -> None:
    """Log a truncation as a warning of the logger `keras_transformer`."""
    LOG.warning("%s", truncation)


class Translator:
    """A model, a tokenizer and a search as one function from lines to lines.

    There are as many lines out as in, in the same order; an empty or blank line gives an empty one. Lines are
    translated in batches of alike length; the result for a line does not depend on the others.

    Args:
        model: the translation model, for example a `Transformer`.
        tokenizer: text to ids and back; its special ids must be the model's.
        beam_size: hypotheses kept at each step; 1 is greedy search.
        length_penalty: alpha of the length penalty; see `BeamSearch`.
        n_best: hypotheses per line that `translate` and `stream` return, at most.
        max_length_offset: target tokens allowed beyond the number of source tokens.
        batch_size: most lines translated together.
        max_source_length: most source tokens of a line, its end-of-sentence token included. Longer lines are cut, and
            each cut is reported.
        on_truncated: called with each `Truncation`; the default logs a warning.

    Attributes:
        model: the model.
        tokenizer: the tokenizer.
        search: the `BeamSearch`.
        max_source_length: as given, or what the model can read if that is less.
        truncated: the truncations of the latest call.

    Raises:
        InputError: for a setting out of its range, or a tokenizer that does not fit the model.

    Example:
        >>> from types import SimpleNamespace
        >>> from keras_transformer.models import Transformer
        >>> letters = SimpleNamespace(
        ...     vocab_size=30, pad_id=0, bos_id=1, eos_id=2,
        ...     encode=lambda texts: [[ord(letter) - 93 for letter in text] for text in texts],
        ...     decode=lambda rows: ["".join(chr(i + 93) for i in row) for row in rows],
        ...     pieces=lambda row: [chr(i + 93) for i in row],
        ... )
        >>> model = Transformer(vocab_size=30, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1,
        ...     num_decoder_layers=1)
        >>> translate = Translator(model, letters, beam_size=2, max_length_offset=3)
        >>> lines = translate(["hello", "", "you"])
        >>> len(lines), lines[1]
        (3, '')
    """

    def __init__(
        self,
        model: Any,
        tokenizer: TokenizerLike,
        *,
        beam_size: int = 4,
        length_penalty: float = 0.6,
        n_best: int = 1,
        max_length_offset: int = 50,
        batch_size: int = 64,
        max_source_length: int = 512,
        on_truncated: Callable[[Truncation], None] = warn,
    ) -> None:
        check_tokenizer(model, tokenizer)
        check_whole("batch_size", batch_size, 1, "64 suits most machines")
        check_whole("max_source_length", max_source_length, 2, "one token and the end-of-sentence token")
        self.model = model
        self.tokenizer = tokenizer
        self.search = BeamSearch(beam_size, length_penalty, max_length_offset, n_best)
        self.batch_size = batch_size
        # A model with learned positions has no more than it was trained with.
        self._most = getattr(model, "max_length", None)
        self.max_source_length = smaller(max_source_length, self._most)
        self.on_truncated = on_truncated
        self.truncated: list[Truncation] = []
        self._compiled = SearchModel(model, self.search)

    def __call__(self, lines: list[str]) -> list[str]:
        """Translate lines.

        Args:
            lines: source lines.

        Returns:
            The best translation of each line, in the order of the lines.

        Raises:
            InputError: `lines` is one string, or not all strings.
        """
        return [hypotheses[0].text for hypotheses in self.translate(lines)]

    def translate(self, lines: list[str]) -> list[list[Hypothesis]]:
        """Translate lines, with scores.

        Args:
            lines: source lines.

        Returns:
            For each line its hypotheses, best first: `n_best`, or as many as there are. At least one.

        Raises:
            InputError: `lines` is one string, or not all strings.
            ArithmeticError: the model's logits are not numbers.
        """
        check_lines("lines", lines)
        self.truncated = []
        return self._translate(list(lines), first_line=1)

    def stream(self, lines: Iterable[str], chunk_size: int | None = None) -> Iterator[list[Hypothesis]]:
        """Translate lines as they come, in bounded memory.

        Args:
            lines: any iterable of lines, such as an open file; line ends are dropped.
            chunk_size: lines read before the first is translated; 16 batches by default. 1 answers line by line.

        Yields:
            For each line, in order, its hypotheses, best first.

        Raises:
            InputError: `lines` is one string, or not all strings.
        """
        check_lines("lines", lines if isinstance(lines, str | bytes) else [])
        chunk_size = 16 * self.batch_size if chunk_size is None else chunk_size
        check_whole("chunk_size", chunk_size, 1, "1 answers line by line")
        self.truncated = []
        return self._stream(iter(lines), chunk_size)

    def _stream(self, lines: Iterator[str], chunk_size: int) -> Iterator[list[Hypothesis]]:
        first_line = 1
        while chunk := list(itertools.islice(lines, chunk_size)):
            check_lines("lines", chunk)
            yield from self._translate(chunk, first_line)
            first_line += len(chunk)

    def _translate(self, lines: list[str], first_line: int) -> list[list[Hypothesis]]:
        results: list[list[Hypothesis]] = [[EMPTY] for _ in lines]
        sources = self._sources(lines, first_line)
        where = [position for position, source in enumerate(sources) if source]
        batches = by_length([len(sources[i]) for i in where], lambda length: self.batch_size)
        chosen = [[where[i] for i in batch] for batch in batches]
        rows = ([sources[i] for i in positions] for positions in chosen)
        arrays = (pad_rows(batch, self.tokenizer.pad_id, self.batch_size, self._most) for batch in rows)
        for positions, (ids, scores) in zip(chosen, predict_each(self._compiled, self.model, arrays), strict=True):
            found = self._hypotheses(ids[: len(positions)].tolist(), scores[: len(positions)].tolist())
            for position, hypotheses in zip(positions, found, strict=True):
                results[position] = hypotheses
        return results

    def _sources(self, lines: list[str], first_line: int) -> list[list[int]]:
        """`pieces + [eos]` of each line, cut to the longest that is allowed; nothing for a line without pieces."""
        eos, longest, encode = self.tokenizer.eos_id, self.max_source_length, source_side(self.tokenizer).encode
        sources = []
        for number, pieces in enumerate(encode([line.strip() for line in lines]), first_line):
            ids = list(map(int, pieces))
            if len(ids) + 1 > longest:
                self.truncated.append(Truncation(number, len(ids) + 1, longest))
                self.on_truncated(self.truncated[-1])
            sources.append([*ids[: longest - 1], eos] if ids else [])
        return sources

    def _hypotheses(self, ids: list[list[list[int]]], scores: list[list[float]]) -> list[list[Hypothesis]]:
        """Text and scores of what the search returned for a batch, without the rows that hold nothing."""
        eos = self.tokenizer.eos_id
        kept = [
            [(row[: row.index(eos)], score) for row, score in zip(rows, row_scores, strict=True) if eos in row]
            for rows, row_scores in zip(ids, scores, strict=True)
        ]
        if not all(kept):
            raise ArithmeticError("the model's logits are not numbers: its weights hold NaN or infinity")
        texts = iter(self.tokenizer.decode([row for rows in kept for row, _ in rows]))
        return [[self._hypothesis(next(texts), row, score) for row, score in rows] for rows in kept]

    def _hypothesis(self, text: str, ids: list[int], score: float) -> Hypothesis:
        penalty = ((5 + len(ids) + 1) / 6) ** self.search.length_penalty
        text = text.replace("\r", " ").replace("\n", " ")  # one line in, one line out
        return Hypothesis(text, score, score * penalty, tuple(ids), tuple(self.tokenizer.pieces(ids)))
