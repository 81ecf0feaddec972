"""The whole report without times: it agrees, and the documentation's page holds its figures."""

import json
import math
import re
from pathlib import Path

import pytest

from keras_transformer.diagnostics.paper import SECTION_NAMES, Block, Report, paper, plot_paper
from keras_transformer.diagnostics.paper.rendering import INTRODUCTION

pytestmark = pytest.mark.tensorflow_backend
PAGE = Path(__file__).parents[3] / "docs" / "paper.md"


@pytest.fixture(scope="module")
def report() -> Report:
    lines: list[str] = []
    made = paper(timing=False, progress=lines.append)
    assert [line.split()[1] for line in lines] == list(SECTION_NAMES)
    return made


def test_no_figure_of_the_paper_is_off(report: Report) -> None:
    assert [row.name for _, row in report.off] == []
    assert report.exit_code == 0
    assert re.search(r"1\d\d figures compared: (1\d\d) agree, 0 off", report.summary())


def test_json_holds_everything(report: Report) -> None:
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    rows = [row for section in data["sections"] for part in section["parts"] for row in part.get("rows", [])]
    assert len(rows) == sum(len(section.rows) for section in report.sections)
    assert all(row["how"] and row["verdict"] in ("agrees", "shown") for row in rows)
    assert [section["name"] for section in data["sections"]] == list(SECTION_NAMES)


def test_what_does_not_hold_as_printed_is_said(report: Report) -> None:
    text = " ".join(report.text().partition("What does not hold as printed")[2].split())
    for finding in (
        "base has 63.0 million parameters and not 65, big 214.2 and not 213",
        "between 41,004 and 41,208 gives all ten printed counts but big's",
        "do not reach 10000 * 2 pi = 62,832",
        "29% of it for base and 42% for big",
        "which gives n = 2 d",
    ):
        assert finding in text


def cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def same(written: str, computed: str, within: str) -> bool:
    """The last digits may be other processors'; a largest error may be anything below its bound."""
    if written == computed:
        return True
    try:
        first, second = (float(cell.replace(",", "").replace("%", "")) for cell in (written, computed))
    except ValueError:
        return False
    return math.isclose(first, second, rel_tol=0.01) or max(abs(first), abs(second)) <= float(within or 0)


def test_the_page_holds_what_the_command_prints(report: Report) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(INTRODUCTION)
    assert report.summary() in page
    for section in report.sections:
        for text in (*section.notes, *section.caveats):
            assert text in page, text
        for part in section.parts:
            heading = f"**{part.title}.** {part.how}"
            assert heading in page, part.title
            header, lines = part.table()
            table = page.partition(heading)[2].strip().split("\n\n")[0].split("\n")
            assert cells(table[0]) == list(header)
            assert len(table) == len(lines) + 2, part.title
            for written, line in zip(table[2:], lines, strict=True):
                error = isinstance(part, Block) and line[1] == "0"
                within = line[header.index("within")] if error else ""
                for old, new in zip(cells(written), line, strict=True):
                    assert same(old, new, within), (part.title, old, new)


def test_the_page_names_the_machine_of_each_measured_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"Measured on .+, \d+ cores, keras", page)) == 3


def test_the_curves_are_drawn(report: Report, tmp_path: Path) -> None:
    files = plot_paper(report, tmp_path / "pictures")
    assert list(files) == ["schedule", "scaling", "sinusoids", "layers", "reach"]
    assert all(path.stat().st_size > 10_000 for path in files.values())
    page = PAGE.read_text(encoding="utf-8")
    for name in files:
        picture = f"images/paper/{name}.png"
        assert f"]({picture})" in page
        assert (PAGE.parent / picture).exists()
