"""The curves are the numbers of metrics.jsonl, whatever else is in it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from keras_transformer.diagnostics import curves, plot_training, read_metrics
from keras_transformer.errors import InputError

pytestmark = pytest.mark.backend_independent

LINES: list[dict[str, Any]] = [
    {"kind": "train", "step": 10, "loss": 5.0, "learning_rate": 1e-4, "seconds": 60.0},
    {"kind": "train", "step": 20, "loss": 4.0, "learning_rate": 2e-4, "seconds": 120.0},
    {"kind": "validation", "step": 20, "bleu": 12.5, "perplexity": math.exp(3.0), "bleu_signature": "x"},
    {"kind": "train", "step": 30, "loss": float("nan"), "learning_rate": 3e-4, "seconds": 240.0},
    {"kind": "train", "step": 40, "loss": 3.0, "learning_rate": 2e-4, "seconds": 300.0},
    {"kind": "validation", "step": 40, "bleu": 11.0, "perplexity": math.exp(2.5)},
    {"kind": "final", "step": 40, "bleu": 99.0, "loss": 99.0},
]


def write(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "metrics.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"kind": "tra', encoding="utf-8")
    return path


def drawn(folder: Path, lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Any:
    figures: list[Any] = []
    monkeypatch.setattr(curves, "save", lambda figure, path: figures.append(figure))
    plot_training(write(folder, lines), folder / "curves.png")
    return figures[0]


def data(axes: Any) -> list[list[tuple[float, float]]]:
    return [[tuple(point) for point in line.get_xydata().tolist()] for line in axes.get_lines()]


def test_the_lines_are_the_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(tmp_path, LINES, monkeypatch)
    loss, bleu, rate = figure.axes
    assert data(loss)[0] == [(10, 5.0), (20, 4.0), (40, 3.0)]  # NaN is no point
    assert data(loss)[1] == [(20, pytest.approx(3.0)), (40, pytest.approx(2.5))]
    assert data(bleu)[0] == [(20, 12.5), (40, 11.0)]
    assert data(rate) == [[(10, 1e-4), (20, 2e-4), (30, 3e-4), (40, 2e-4)]]
    assert [text.get_text() for text in bleu.texts] == ["12.50 at step 20"]


def test_minutes_stand_above_the_steps_they_belong_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(tmp_path, LINES, monkeypatch)
    (minutes,) = figure.axes[0].child_axes
    forward, back = minutes._functions
    assert forward([10, 15, 25, 40]) == pytest.approx([1.0, 1.5, 3.0, 5.0])
    assert back(forward([0, 12, 33, 40, 50])) == pytest.approx([0, 12, 33, 40, 50])


def test_a_run_without_validation_has_two_panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"step": 1, "loss": 5.0, "learning_rate": 1e-4}, {"step": 2, "loss": 4.0, "learning_rate": 1e-4}]
    figure = drawn(tmp_path, lines, monkeypatch)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Loss, nats per token", "Learning rate"]


def test_a_picture_is_written_for_the_run_directory(tmp_path: Path) -> None:
    write(tmp_path, LINES[:1])
    assert plot_training(tmp_path, tmp_path / "plots" / "curves.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    assert [record["step"] for record in read_metrics(write(tmp_path, LINES[:2]))] == [10, 20]
    with pytest.raises(InputError, match=r"missing: cannot be read .*metrics\.jsonl"):
        read_metrics(tmp_path / "missing")
    write(tmp_path, [])
    with pytest.raises(InputError, match="holds no line of metrics"):
        read_metrics(tmp_path)
    write(tmp_path, [{"step": 3, "epoch": 1}])
    with pytest.raises(InputError, match="nothing to draw"):
        plot_training(tmp_path, tmp_path / "curves.png")
