"""`paper()`: every figure of the paper that can be recomputed without its data, beside ours."""

import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from keras_transformer.diagnostics.paper.flops import flops
from keras_transformer.diagnostics.paper.heads import heads
from keras_transformer.diagnostics.paper.layer_costs import layer_costs
from keras_transformer.diagnostics.paper.parameters import parameters
from keras_transformer.diagnostics.paper.reach import reach
from keras_transformer.diagnostics.paper.rendering import INTRODUCTION, LINE, section_markdown, section_text
from keras_transformer.diagnostics.paper.rows import ROW_HEADER, Row, Section
from keras_transformer.diagnostics.paper.scaling import scaling
from keras_transformer.diagnostics.paper.schedule import schedule
from keras_transformer.diagnostics.paper.sinusoids import sinusoids
from keras_transformer.diagnostics.paper.timing import machine
from keras_transformer.errors import InputError, did_you_mean

_SECTIONS: dict[str, Callable[..., Section]] = {
    "parameters": parameters,
    "schedule": schedule,
    "scaling": scaling,
    "sinusoids": sinusoids,
    "flops": flops,
    "heads": heads,
    "layers": layer_costs,
    "reach": reach,
}
_TIMED = ("heads", "layers")

SECTION_NAMES = tuple(_SECTIONS)


@dataclass(frozen=True)
class Report:
    """The recomputed figures.

    Args:
        sections: one per theme.
        machine: processor and software.
        seconds: how long it all took.
    """

    sections: tuple[Section, ...]
    machine: str
    seconds: float

    @property
    def off(self) -> list[tuple[Section, Row]]:
        """The figures that are off by more than their rounding."""
        return [(section, row) for section in self.sections for row in section.rows if row.verdict == "off"]

    @property
    def ok(self) -> bool:
        """Whether none is off."""
        return not self.off

    @property
    def exit_code(self) -> int:
        """0 if none is off, else 1."""
        return 0 if self.ok else 1

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The report for a terminal."""
        pieces = [section_text(section) for section in self.sections]
        caveats = [caveat for section in self.sections for caveat in section.caveats]
        if caveats:
            pieces.append("\n".join(["What does not hold as printed", "============================="]))
            pieces += [textwrap.fill(f"- {caveat}", LINE, subsequent_indent="  ") for caveat in caveats]
        return "\n\n".join([*pieces, *self._off_lines(), f"{self.summary()}\n{self.machine}"])

    def _off_lines(self) -> list[str]:
        lines = []
        for section, row in self.off:
            figures = zip(ROW_HEADER[1:-1], row.cells()[1:-1], strict=True)
            shown = ", ".join(f"{name} {figure}" for name, figure in figures if figure)
            lines.append(f"OFF: {section.title}: {row.name}: {shown}")
        return lines

    def summary(self) -> str:
        """How many figures agree, in one line."""
        verdicts = [row.verdict for section in self.sections for row in section.rows]
        compared = len(verdicts) - verdicts.count("shown")
        return (
            f"{compared} figures compared: {verdicts.count('agrees')} agree, {verdicts.count('off')} off; "
            f"{verdicts.count('shown')} more shown."
        )

    def markdown(self, images: Mapping[str, str] | None = None) -> str:
        """The report as a page of the documentation.

        Args:
            images: path of each picture by section name, seen from the page.

        Returns:
            Markdown.
        """
        caveats = [f"- {caveat}" for section in self.sections for caveat in section.caveats]
        pieces = [INTRODUCTION, f"**{self.summary()}**"]
        if caveats:
            pieces += ["## What does not hold as printed", "\n".join(caveats)]
        pieces += [section_markdown(section, images or {}, self.machine) for section in self.sections]
        return "\n\n".join(pieces) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON knows."""
        return {
            "ok": self.ok,
            "summary": self.summary(),
            "machine": self.machine,
            "seconds": round(self.seconds, 1),
            "sections": [section.to_dict() for section in self.sections],
        }


def paper(
    *,
    timing: bool = True,
    only: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Recompute the paper's figures with this package and compare them.

    Parameter counts are those of the real models, learning rates those of the real schedule, scores those of the real
    attention; a closed formula beside each is the independent check.

    Args:
        timing: also measure times on this machine, about a minute; they decide nothing.
        only: names of sections, of `SECTION_NAMES`; None for all.
        progress: called with a line of text before each section.

    Returns:
        The report.

    Raises:
        InputError: there is no such section.

    Example:
        >>> report = paper(only=["sinusoids"])
        >>> report.ok, [section.name for section in report.sections]
        (True, ['sinusoids'])

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762.
    """
    for name in only or ():
        if name not in _SECTIONS:
            raise InputError(f"There is no section {name!r}.{did_you_mean(name, _SECTIONS)}")
    start, wanted, sections = time.perf_counter(), dict.fromkeys(only or SECTION_NAMES), []
    for number, name in enumerate(wanted, start=1):
        make = partial(_SECTIONS[name], timing=timing) if name in _TIMED else _SECTIONS[name]
        if progress is not None:
            progress(f"[{number}/{len(wanted)}] {name}")
        sections.append(make())
    return Report(tuple(sections), machine(), time.perf_counter() - start)
