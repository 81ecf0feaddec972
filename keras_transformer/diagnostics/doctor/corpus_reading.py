"""Reading parallel text for an examination: what is wrong with a line is kept and counted, never a reason to stop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from keras_transformer.errors import InputError
from keras_transformer.text.lines import read_content, split_lines

Paths = str | Path | Sequence[str | Path]

MAX_CHARACTERS = 10_000
"""Longest line that `ParallelCorpus` takes."""


@dataclass
class Side:
    """The lines of one language of a split.

    Args:
        name: the file's name, without its folder.
        lines: its lines; an empty string where a line cannot be read.
        bad: the reason of each line that training refuses, by its place from 0.
        problem: why the file is no text at all; then there are no lines.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    bad: dict[int, str] = field(default_factory=dict)
    problem: str | None = None


@dataclass
class Split:
    """Two sides of text, line by line, and the places of the pairs that training would take.

    Args:
        title: "train", "valid" or "test".
        source: one side.
        target: the other.
        good: places, from 0, of the pairs without a bad line; none when the sides differ in length.
    """

    title: str
    source: Side
    target: Side
    good: list[int] = field(default_factory=list)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Source and target."""
        return self.source, self.target

    @property
    def aligned(self) -> bool:
        """Whether both sides are text of the same number of lines."""
        return not (self.source.problem or self.target.problem) and len(self.source.lines) == len(self.target.lines)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The good pairs, in the order of `good`."""
        return [(self.source.lines[i], self.target.lines[i]) for i in self.good]


def read_split(title: str, paths: Paths, max_characters: int = MAX_CHARACTERS) -> Split:
    r"""Read two files of lines, or one of two columns, and mark the lines that `ParallelCorpus` refuses.

    Args:
        title: what the split is called.
        paths: (source, target), or one file whose lines are source, tab, target.
        max_characters: longest good line.

    Returns:
        The split.

    Raises:
        InputError: a path is missing or a folder, or there are more than two.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
        >>> _ = path.write_text("a dog\tein Hund\n\tKatze\n", encoding="utf-8")
        >>> split = read_split("train", path)
        >>> split.pairs, split.source.bad
        ([('a dog', 'ein Hund')], {1: 'empty'})
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    if not 1 <= len(named) <= 2:
        raise InputError(f"{title} names {len(named)} files; give two (source, target) or one of two columns.")
    for path in named:
        if Path(path).is_dir() or not Path(path).exists():
            raise InputError(f"{path}: there is no such file; check the path.")
    sides = [_read_side(path) for path in named]
    source, target = _columns(sides[0]) if len(sides) == 1 else sides
    for side in (source, target):
        _mark(side, max_characters)
    split = Split(title, source, target)
    if split.aligned:
        bad = source.bad.keys() | target.bad.keys()
        split.good = [place for place in range(len(source.lines)) if place not in bad]
    return split


def _read_side(path: str | Path) -> Side:
    try:
        lines, invalid = split_lines(read_content(path))
    except InputError as error:
        return Side(Path(path).name, problem=str(error))
    if invalid and not any(lines):  # an empty string stands for each invalid line
        problem = f"{path}: none of its {len(invalid):,} lines is valid UTF-8; expected lines of UTF-8 text."
        return Side(Path(path).name, problem=problem)
    return Side(Path(path).name, lines, dict.fromkeys(invalid, "not valid UTF-8"))


def _columns(side: Side) -> tuple[Side, Side]:
    """Two sides from one file of two columns; a line without exactly one tab is bad on the first of them."""
    if side.problem:
        return side, Side(side.name, problem=side.problem)
    source, target = Side(f"{side.name} (column 1)", bad=dict(side.bad)), Side(f"{side.name} (column 2)")
    for place, line in enumerate(side.lines):
        first, *others = line.split("\t")
        source.lines.append(first)
        target.lines.append(others[0] if others else "")
        if len(others) != 1:
            source.bad.setdefault(place, "of more than two columns" if others else "without a tab")
    return source, target


def _mark(side: Side, max_characters: int) -> None:
    for place, line in enumerate(side.lines):
        if "\x00" in line:
            side.bad.setdefault(place, "holding a NUL byte")
        elif not line or line.isspace():
            side.bad.setdefault(place, "empty")
        elif len(line) > max_characters:
            side.bad.setdefault(place, f"longer than {max_characters:,} characters")


def name_places(places: Sequence[int], most: int = 5, *, verb: bool = False) -> str:
    """Line numbers, counted from 1, for a sentence.

    Args:
        places: places from 0, in order.
        most: how many to name.
        verb: with "is" or "are".

    Returns:
        Such as "line 3" or "lines 1, 2 and 7 more are".

    Example:
        >>> name_places([2]), name_places(range(9), most=2)
        ('line 3', 'lines 1, 2 and 7 more')
    """
    named = ", ".join(str(place + 1) for place in places[:most])
    more = f" and {len(places) - most:,} more" if len(places) > most else ""
    subject = f"line{'s' if len(places) > 1 else ''} {named}{more}"
    return f"{subject} {'are' if len(places) > 1 else 'is'}" if verb else subject


def quote(text: str, most: int = 40) -> str:
    """The beginning of a line, in quotation marks and printable."""
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + '"'
