"""Parallel text: pairs of lines, checked before any work starts."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Self, get_args, overload

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.text.lines import name_lines, read_content, read_lines, split_lines

__all__ = ["BadLines", "CorpusReport", "ParallelCorpus", "overlap", "read_lines"]

OnBadLine = Literal["refuse", "drop"]
_NAMED_LINES = 5


@dataclass(frozen=True)
class BadLines:
    """Lines of one file that share a fault.

    Args:
        name: the file, or the name of the corpus.
        reason: the fault, such as `"empty"`.
        count: how many lines have it.
        first: numbers, from 1, of the first few.

    Example:
        >>> str(BadLines("a.de", "empty", 2, (3, 8)))
        'a.de: lines 3, 8 are empty'
    """

    name: str
    reason: str
    count: int
    first: tuple[int, ...]

    def __str__(self) -> str:
        named = [number - 1 for number in self.first] + [-1] * (self.count - len(self.first))
        return f"{self.name}: {name_lines(named, most=len(self.first))} {self.reason}"


@dataclass(frozen=True)
class CorpusReport:
    """What was read and what was dropped.

    Args:
        name: the corpus.
        lines: pairs read.
        kept: pairs kept.
        dropped: the faults found, each with its count and its first line numbers; a pair counts once.

    Example:
        >>> print(CorpusReport("a.en + a.de", 10, 9, (BadLines("a.de", "empty", 1, (3,)),)))
        a.en + a.de: 10 pairs read, 9 kept, 1 dropped (a.de: line 3 is empty)
    """

    name: str
    lines: int
    kept: int
    dropped: tuple[BadLines, ...] = ()

    def __str__(self) -> str:
        summary = f"{self.name}: {self.lines:,} pairs read, {self.kept:,} kept"
        if not self.dropped:
            return summary
        return f"{summary}, {self.lines - self.kept:,} dropped ({'; '.join(map(str, self.dropped))})"


class _Faults:
    """Collects the bad lines; the first fault found on a line is the one that counts."""

    def __init__(self) -> None:
        self.lines: dict[int, tuple[str, str]] = {}

    def add(self, indices: Iterable[int], name: str, reason: str) -> None:
        for index in indices:
            self.lines.setdefault(index, (name, reason))

    def summary(self) -> tuple[BadLines, ...]:
        grouped: dict[tuple[str, str], list[int]] = {}
        for index in sorted(self.lines):
            grouped.setdefault(self.lines[index], []).append(index + 1)
        return tuple(
            BadLines(name, reason, len(numbers), tuple(numbers[:_NAMED_LINES]))
            for (name, reason), numbers in grouped.items()
        )


class ParallelCorpus(Sequence[tuple[str, str]]):
    r"""Pairs of lines that are translations of each other, read from files and checked.

    The files are plain UTF-8 text or gzip: two files with one sentence a line, or one with two columns
    separated by a tab. Lines end at `\n` or `\r\n` only. Files that cannot be used at all (missing, empty,
    binary, of different length) are refused. A line is bad when it is not UTF-8, holds a NUL byte, is blank,
    is longer than `max_characters`, or has not exactly one tab in a file of two columns; `on_bad_line` says
    what happens then.

    Args:
        source_path: file of source lines, or of both columns when `target_path` is not given.
        target_path: file of target lines.
        on_bad_line: `"refuse"` raises and names the lines, `"drop"` leaves the pairs out and reports them.
        max_characters: longest line taken, in characters.

    Raises:
        InputError: one sentence that names file, lines and fix.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
        >>> _ = path.write_text("A dog runs.\tEin Hund läuft.\nIt sleeps.\tEr schläft.\n", encoding="utf-8")
        >>> corpus = ParallelCorpus(path)
        >>> len(corpus), corpus[1]
        (2, ('It sleeps.', 'Er schläft.'))
    """

    sources: list[str]
    targets: list[str]
    report: CorpusReport

    def __init__(
        self,
        source_path: str | Path,
        target_path: str | Path | None = None,
        *,
        on_bad_line: OnBadLine = "refuse",
        max_characters: int = 10_000,
    ) -> None:
        faults = _Faults()
        if target_path is None:
            sources, targets = _read_columns(source_path, faults)
            names = (str(source_path), str(source_path))
        else:
            sources, targets = _read_two_files(source_path, target_path, faults)
            names = (str(source_path), str(target_path))
        self._keep_good(sources, targets, names, faults, on_bad_line, max_characters)

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[str, str]],
        name: str = "pairs",
        *,
        on_bad_line: OnBadLine = "refuse",
        max_characters: int = 10_000,
    ) -> Self:
        """A corpus from pairs already in memory, with the same checks.

        Args:
            pairs: pairs of source and target text.
            name: how errors and reports call it.
            on_bad_line: as for files.
            max_characters: as for files.

        Returns:
            The corpus.

        Raises:
            InputError: an element is not a pair of strings, a line is bad, or there is no pair.

        Example:
            >>> ParallelCorpus.from_pairs([("a dog", "ein Hund")]).targets
            ['ein Hund']
        """
        sources: list[str] = []
        targets: list[str] = []
        for index, pair in enumerate(pairs):
            if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
                raise InputError(
                    f"{name}: element {index} is {pair!r:.80}, expected a pair (source, target) of strings."
                )
            sources.append(pair[0])
            targets.append(pair[1])
        corpus = cls.__new__(cls)
        corpus._keep_good(sources, targets, (name, name), _Faults(), on_bad_line, max_characters)
        return corpus

    def _keep_good(
        self,
        sources: list[str],
        targets: list[str],
        names: tuple[str, str],
        faults: _Faults,
        on_bad_line: OnBadLine,
        max_characters: int,
    ) -> None:
        if on_bad_line not in get_args(OnBadLine):
            raise InputError(f"on_bad_line is {on_bad_line!r}, expected 'refuse' or 'drop'.")
        for name, lines in zip(names, (sources, targets), strict=True):
            _find_faults(name, lines, faults, max_characters)
        bad, total = faults.lines, len(sources)
        name = " + ".join(dict.fromkeys(names))
        found = faults.summary()
        if bad and on_bad_line == "refuse":
            are = "line is" if len(bad) == total == 1 else "lines is" if len(bad) == 1 else "lines are"
            raise InputError(
                f"{len(bad):,} of {total:,} {are} bad ({'; '.join(map(str, found))}): correct them, "
                "or train without such pairs by data.on_bad_line=drop."
            )
        self.sources = [text for index, text in enumerate(sources) if index not in bad] if bad else sources
        self.targets = [text for index, text in enumerate(targets) if index not in bad] if bad else targets
        self.report = CorpusReport(name, total, len(self.sources), found)
        if not self.sources:
            reasons = "; ".join(map(str, found)) or "it is empty"
            raise InputError(f"{name}: no pair is left ({reasons}); expected at least one good pair.")

    @property
    def name(self) -> str:
        """The file or files it came from."""
        return self.report.name

    def __len__(self) -> int:
        return len(self.sources)

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> "ParallelCorpus": ...
    def __getitem__(self, index: int | slice) -> "tuple[str, str] | ParallelCorpus":
        """One pair, or for a slice a smaller corpus."""
        if not isinstance(index, slice):
            return self.sources[index], self.targets[index]
        part = ParallelCorpus.__new__(ParallelCorpus)
        part.sources, part.targets = self.sources[index], self.targets[index]
        part.report = CorpusReport(f"part of {self.name}", len(part.sources), len(part.sources))
        return part

    def __repr__(self) -> str:
        return f"ParallelCorpus({self.name!r}, {len(self):,} pairs)"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of the pairs kept; the same for a file and its .gz."""
        digest = hashlib.sha256()
        for lines in (self.sources, self.targets):
            # The lengths make the joined text unambiguous.
            digest.update(np.fromiter(map(len, lines), np.dtype("<i8"), len(lines)).tobytes())
            digest.update("".join(lines).encode("utf-8"))
        return digest.hexdigest()


def _find_faults(name: str, lines: list[str], faults: _Faults, max_characters: int) -> None:
    faults.add((i for i, line in enumerate(lines) if "\x00" in line), name, "holding a NUL byte")
    faults.add((i for i, line in enumerate(lines) if not line or line.isspace()), name, "empty")
    too_long = (i for i, line in enumerate(lines) if len(line) > max_characters)
    faults.add(too_long, name, f"longer than {max_characters:,} characters")
    faults.add((i for i, line in enumerate(lines) if not _is_encodable(line)), name, "not valid Unicode")


def _is_encodable(line: str) -> bool:
    """Whether the text is free of lone surrogates, which no file can hold but a Python string can."""
    if line.isascii():
        return True
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read_two_files(source_path: str | Path, target_path: str | Path, faults: _Faults) -> tuple[list[str], list[str]]:
    contents = read_content(source_path), read_content(target_path)
    (sources, bad_sources), (targets, bad_targets) = map(split_lines, contents)
    if len(sources) != len(targets):
        raise InputError(
            f"{source_path} has {len(sources):,} lines but {target_path} has {len(targets):,}: line N of one "
            "must be the translation of line N of the other; give two files of the same length."
        )
    faults.add(bad_sources, str(source_path), "not valid UTF-8")
    faults.add(bad_targets, str(target_path), "not valid UTF-8")
    return sources, targets


def _read_columns(path: str | Path, faults: _Faults) -> tuple[list[str], list[str]]:
    lines, invalid = split_lines(read_content(path))
    tabs = [line.count("\t") for line in lines]
    if not any(tabs):
        raise InputError(
            f"{path}: none of its {len(lines):,} lines has a tab; expected two columns, source and target, "
            "or a second file with the target lines."
        )
    faults.add(invalid, str(path), "not valid UTF-8")
    faults.add((i for i, count in enumerate(tabs) if count == 0), str(path), "without a tab")
    faults.add((i for i, count in enumerate(tabs) if count > 1), str(path), "of more than two columns")
    columns = [line.split("\t", 1) if count else ["", ""] for line, count in zip(lines, tabs, strict=True)]
    return [column[0] for column in columns], [column[1] for column in columns]


def overlap(corpus: Iterable[tuple[str, str]], other: Iterable[tuple[str, str]]) -> int:
    """How many pairs of one corpus are also in another, for instance test pairs seen in training.

    Args:
        corpus: the pairs counted, repeats included.
        other: the pairs looked for.

    Returns:
        The count.

    Example:
        >>> overlap([("a", "b"), ("c", "d")], [("a", "b"), ("c", "e")])
        1
    """
    counts = Counter(corpus)
    return sum(counts[pair] for pair in counts.keys() & set(other))
