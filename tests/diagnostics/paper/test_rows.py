"""When a figure agrees, when it is off, and how it is shown."""

import json
import math

import pytest

from keras_transformer.diagnostics.paper import Block, Listing, Row, Section
from keras_transformer.diagnostics.paper.rendering import section_markdown, section_text

pytestmark = pytest.mark.backend_independent


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("at the rounding", ours=65.5, paper=65, tolerance=0.5), "agrees"),
        (Row("past the rounding", ours=65.51, paper=65, tolerance=0.5), "off"),
        (Row("below", ours=64.49, paper=65, tolerance=0.5), "off"),
        (Row("exact", ours=3, paper=3, tolerance=0), "agrees"),
        (Row("not exact", ours=4, paper=3, tolerance=0), "off"),
        (Row("no number", ours=math.nan, paper=3, tolerance=10), "off"),
        (Row("formula", ours=2.0, formula=2.0), "agrees"),
        (Row("formula differs", ours=2.0, formula=2.1), "off"),
        (Row("no number by formula", ours=math.nan, formula=2.1), "off"),
        (Row("paper agrees, formula does not", ours=65.0, paper=65, tolerance=0.5, formula=65.1), "off"),
        (Row("formula agrees, paper does not", ours=65.0, paper=66, tolerance=0.5, formula=65.0), "off"),
        (Row("nothing to compare with", ours=1.0), "shown"),
        (Row("beside a figure of another kind", ours=1.0, paper=2), "shown"),
    ],
)
def test_verdict(row: Row, verdict: str) -> None:
    assert row.verdict == verdict
    assert (row.cells()[-1] == "OFF") == (verdict == "off")


def section() -> Section:
    block = Block("Counts", "Counted twice.", (Row("|x|", 1.25, paper=1, tolerance=0.5, digits=".2f"),))
    times = Listing("Times", "By the clock.", ("layer", "n = 2"), (("LSTM", "1.5"),), measured=True)
    return Section("one", "One", "section 1", (block, times), ("A note.",), ("A caveat.",), {"n": [1, 2]})


def test_text_and_page_hold_every_figure_and_how_it_was_made() -> None:
    text, page = section_text(section()), section_markdown(section(), {"one": "images/one.png"}, "a machine")
    for shown in ("Counted", "1.25", "agrees", "By the clock.", "LSTM", "A note."):
        assert shown in text
        assert shown in page
    assert "| \\|x\\| | 1 | 1.25 | 0.5 | agrees |" in page
    assert "**Counts.** Counted twice." in page
    assert "By the clock. Measured on a machine." in page
    assert page.count("a machine") == 1
    assert "![One](images/one.png)" in page


def test_json_holds_how_each_figure_was_computed() -> None:
    data = json.loads(json.dumps(section().to_dict()))
    (row,) = data["parts"][0]["rows"]
    assert row == {
        "name": "|x|",
        "paper": 1,
        "ours": 1.25,
        "tolerance": 0.5,
        "formula": None,
        "verdict": "agrees",
        "how": "Counted twice.",
    }
    assert data["parts"][1]["measured"]
    assert data["curves"] == {"n": [1, 2]}
    assert Row("no number", ours=math.nan, formula=1).to_dict()["ours"] is None
