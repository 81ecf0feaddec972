"""Recomputed figures as text for a terminal and as a page of Markdown."""

import textwrap
from collections.abc import Mapping, Sequence

from keras_transformer.diagnostics.paper.rows import Block, Listing, Section

LINE = 110
PIPE = "\\|"  # in a table of Markdown

INTRODUCTION = """\
# The paper, recomputed

Figures of [Attention Is All You Need](https://arxiv.org/abs/1706.03762) beside those of this package, printed by

```bash
keras-transformer paper --plots docs/images/paper --markdown docs/paper.md
```

Plain `keras-transformer paper` prints the same in the terminal, `--json` everything for programs; `--no-timing` leaves
out what is measured in seconds. The command ends with exit code 1 if a figure is off. In Python it is
`keras_transformer.paper()`.

*paper*: what the paper prints, or what follows from what it prints. *ours*: counted or measured on the package's own
models, layers and schedule. *within*: the largest difference that the paper's rounding, or sampling, explains.
*formula*: the same figure from a closed formula that knows nothing of the package. A row *agrees* if ours lies within
both; *shown* stands where there is nothing to compare. Times are of one machine and decide nothing."""


def section_text(section: Section) -> str:
    """A section for a terminal.

    Args:
        section: what to show.

    Returns:
        Lines of text, the last without a newline.
    """
    heading = f"{section.title} ({section.source})"
    pieces = [f"{heading}\n{'=' * len(heading)}"]
    pieces += [_part_text(part) for part in section.parts]
    pieces += [_wrapped(note, "") for note in section.notes]
    return "\n\n".join(pieces)


def _part_text(part: Block | Listing) -> str:
    header, lines = part.table()
    widths = [max(len(line[column]) for line in (header, *lines)) for column in range(len(header))]
    table = "\n".join(_aligned(line, widths, _is_text(header)) for line in (header, *lines))
    return f"{_wrapped(part.title, '')}\n{_wrapped(part.how, '  ')}\n{table}"


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, LINE, initial_indent=indent, subsequent_indent=indent)


def _aligned(line: Sequence[str], widths: Sequence[int], text: Sequence[bool]) -> str:
    cells = (
        cell.ljust(width) if left else cell.rjust(width) for cell, width, left in zip(line, widths, text, strict=True)
    )
    return ("  " + "  ".join(cells)).rstrip()


def _is_text(header: Sequence[str]) -> list[bool]:
    """Which columns hold words and start at the left."""
    words = {"", "layer", "verdict", "complexity", "sequential operations", "maximum path", "than"}
    return [name in words for name in header]


def section_markdown(section: Section, images: Mapping[str, str], machine: str) -> str:
    """A section for the documentation.

    Args:
        section: what to show.
        images: path of each picture, by the section's name, seen from the page.
        machine: what measured times belong to.

    Returns:
        Markdown, the last line without a newline.
    """
    pieces = [f"## {section.title}", f"*{section.source[:1].upper()}{section.source[1:]}.*"]
    for part in section.parts:
        header, lines = part.table()
        rule = [":--" if left else "--:" for left in _is_text(header)]
        table = "\n".join(_markdown_line(line) for line in (header, rule, *lines))
        where = f" Measured on {machine}." if isinstance(part, Listing) and part.measured else ""
        pieces.append(f"**{part.title}.** {part.how}{where}\n\n{table}")
    pieces += section.notes
    if section.name in images:
        pieces.append(f"![{section.title}]({images[section.name]})")
    return "\n\n".join(pieces)


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', PIPE) for cell in cells)} |"
