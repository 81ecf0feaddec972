"""`keras-transformer paper`: exit codes and outputs."""

import json

import pytest

from keras_transformer.diagnostics.paper import SECTION_NAMES
from keras_transformer.layers import SinusoidalPositions

pytestmark = pytest.mark.tensorflow_backend


def test_a_section_as_text_page_and_picture(command, tmp_path) -> None:
    page = tmp_path / "paper.md"
    options = ("--only", "sinusoids", "--only", "schedule", "--plots", tmp_path / "pictures", "--markdown", page)
    outcome = command("paper", *options)
    assert outcome.code == 0, outcome.err
    assert "60,611.5" in outcome.out
    assert "0 off" in outcome.out
    assert outcome.err == "[1/2] sinusoids\n[2/2] schedule\n"
    assert "![Sinusoidal positions](pictures/sinusoids.png)" in page.read_text(encoding="utf-8")
    assert (tmp_path / "pictures" / "schedule.png").exists()


def test_json_is_all_of_standard_output(command) -> None:
    outcome = command("paper", "--only", "heads", "--no-timing", "--json")
    data = json.loads(outcome.out)
    assert (outcome.code, data["ok"]) == (0, True)
    assert not any(part.get("measured") for part in data["sections"][0]["parts"])


def test_a_figure_that_is_off_is_exit_code_1(command, monkeypatch) -> None:
    call = SinusoidalPositions.call
    monkeypatch.setattr(SinusoidalPositions, "call", lambda self, inputs, start=0: call(self, inputs, start + 1))
    outcome = command("paper", "--only", "sinusoids")
    assert outcome.code == 1
    assert "OFF: Sinusoidal positions: largest difference: paper 0, ours 9.6e-01, within 0.0002" in outcome.out


def test_what_is_mistyped_is_one_sentence(command, tmp_path) -> None:
    outcome = command("paper", "--only", "scalling")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "keras-transformer: There is no section 'scalling'. Did you mean 'scaling'?\n"
    (tmp_path / "file").touch()
    for option, place, sentence in (
        ("--markdown", tmp_path / "none" / "page.md", "its folder does not exist"),
        ("--markdown", tmp_path, "is a folder"),
        ("--plots", tmp_path / "file", "is a file"),
    ):
        outcome = command("paper", option, place)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert sentence in outcome.err


def test_help_names_every_section(command) -> None:
    text = command("paper", "--help").out
    assert all(name in text for name in SECTION_NAMES)
