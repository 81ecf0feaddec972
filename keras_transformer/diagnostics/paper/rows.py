"""What a recomputed figure is: the paper's, ours, how far apart they may be, and the verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["agrees", "off", "shown"]


@dataclass(frozen=True)
class Row:
    """One figure.

    Args:
        name: what is counted.
        ours: what the package's own classes give.
        paper: the figure that the paper prints, or that follows from what it prints; None where it has none.
        tolerance: largest |ours - paper| that the paper's rounding (or the sampling) explains; None compares nothing:
            the paper's figure then only stands beside ours.
        formula: the same figure from a closed formula, independent of the package's classes.
        formula_tolerance: largest relative difference of ours from the formula.
        digits: format of the figures, as in `format`.

    Example:
        >>> Row("base", ours=65.1, paper=65, tolerance=0.5).verdict
        'agrees'
        >>> Row("base", ours=63.0, paper=65, tolerance=0.5).verdict
        'off'
    """

    name: str
    ours: float
    paper: float | None = None
    tolerance: float | None = None
    formula: float | None = None
    formula_tolerance: float = 1e-6
    digits: str = ".4g"

    @property
    def verdict(self) -> Verdict:
        """Whether ours agrees with the paper's figure and with the formula; "shown" where nothing is compared."""
        checks = []
        if self.paper is not None and self.tolerance is not None:
            checks.append(abs(self.ours - self.paper) <= self.tolerance * (1 + 1e-9))
        if self.formula is not None:
            checks.append(abs(self.ours - self.formula) <= self.formula_tolerance * abs(self.formula))
        if not checks:
            return "shown"
        return "agrees" if all(checks) else "off"  # with NaN nothing agrees

    def cells(self) -> tuple[str, ...]:
        """The row as text: name, paper, ours, tolerance, formula, verdict."""
        ours = format(self.ours, self.digits)
        formula = "" if self.formula is None else format(self.formula, self.digits)
        large = self.tolerance is not None and 100 <= self.tolerance < 1e6
        tolerance = "" if self.tolerance is None else format(self.tolerance, ",.0f" if large else ".2g")
        return (self.name, self._paper_cell(), ours, tolerance, formula, self.verdict.replace("off", "OFF"))

    def _paper_cell(self) -> str:
        """A whole number as it is printed, another one like ours."""
        if self.paper is None:
            return ""
        if isinstance(self.paper, int) and self.paper:
            return format(self.paper, "+,d" if self.digits.startswith("+") else ",d")
        return format(self.paper, self.digits) if self.paper else "0"

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON knows; a figure that is no number is None."""
        return {
            "name": self.name,
            "paper": self.paper,
            "ours": self.ours if math.isfinite(self.ours) else None,
            "tolerance": self.tolerance,
            "formula": self.formula,
            "verdict": self.verdict,
        }


ROW_HEADER = ("", "paper", "ours", "within", "formula", "verdict")


@dataclass(frozen=True)
class Block:
    """Figures that were computed in one way.

    Args:
        title: what they are, with their unit.
        how: how they were computed, and what the paper's column and the tolerance are.
        rows: the figures.
    """

    title: str
    how: str
    rows: tuple[Row, ...]

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and lines of text; a column that is empty in every row is left out."""
        lines = [row.cells() for row in self.rows]
        kept = [column for column in range(len(ROW_HEADER)) if any(line[column] for line in lines)]
        return _columns(ROW_HEADER, kept), [_columns(line, kept) for line in lines]


def _columns(line: Sequence[str], kept: Sequence[int]) -> tuple[str, ...]:
    return tuple(line[column] for column in kept)


@dataclass(frozen=True)
class Listing:
    """A table that is shown and decides nothing: formulas, or times measured on this machine.

    Args:
        title: what it shows, with units.
        how: how it came about.
        header: names of the columns.
        lines: the cells, as text.
        measured: the figures are times on this machine, and differ from run to run.
    """

    title: str
    how: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    measured: bool = False

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and lines of text."""
        return self.header, list(self.lines)


@dataclass(frozen=True)
class Section:
    """One theme of the paper.

    Args:
        name: one word, as the command's `--only` takes it.
        title: for people.
        source: where in the paper.
        parts: blocks of figures and listings.
        notes: what the figures mean.
        caveats: what the paper says that does not hold as printed.
        curves: numbers for the pictures, by name.
    """

    name: str
    title: str
    source: str
    parts: tuple[Block | Listing, ...]
    notes: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    curves: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> list[Row]:
        """All its figures."""
        return [row for part in self.parts if isinstance(part, Block) for row in part.rows]

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON knows."""
        parts: list[dict[str, Any]] = []
        for part in self.parts:
            entry: dict[str, Any] = {"title": part.title, "how": part.how}
            if isinstance(part, Block):
                entry["rows"] = [{**row.to_dict(), "how": part.how} for row in part.rows]
            else:
                entry |= {"header": list(part.header), "lines": [list(line) for line in part.lines]}
                entry["measured"] = part.measured
            parts.append(entry)
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "parts": parts,
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "curves": dict(self.curves),
        }
