"""The course of a training run as one picture."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_transformer.diagnostics.pictures import BLUE, FAINT, INK, ORANGE, figure, plain, save
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = list[tuple[float, float]]


def read_metrics(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The lines of a run's metrics.jsonl.

    Args:
        path: the file, or the run directory that holds it.

    Returns:
        One dictionary per line. Lines that are not JSON objects (a run was killed while it wrote one) are left out.

    Raises:
        InputError: if the file cannot be read or holds no line with a step.
    """
    file = Path(path)
    file = file / "metrics.jsonl" if file.is_dir() else file
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise InputError(
            f"{file}: cannot be read ({error.strerror or error}); give a run directory, or its metrics.jsonl."
        ) from error
    records = [record for record in map(_parsed, lines) if record is not None]
    if not records:
        raise InputError(f"{file}: holds no line of metrics; give the metrics.jsonl that training wrote.")
    return records


def plot_training(metrics: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    r"""Draw loss, validation BLEU and learning rate against the step; minutes, where known, along the top.

    Args:
        metrics: a run directory or its metrics.jsonl.
        path: the file to write; its suffix chooses the format (.png, .pdf, .svg).

    Returns:
        The path.

    Raises:
        InputError: if there is nothing to draw, or the file cannot be written.

    Example:
        >>> import tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "metrics.jsonl").write_text('{"step": 1, "loss": 5.0}\n{"step": 2, "loss": 4.0}\n')
        >>> plot_training(folder, folder / "curves.png").name
        'curves.png'
    """
    records = read_metrics(metrics)
    # A line without a kind may be either.
    training = [record for record in records if record.get("kind", "train") == "train"]
    validation = [record for record in records if record.get("kind", "validation") == "validation"]
    perplexity = [(step, math.log(value)) for step, value in _points(validation, "perplexity") if value > 0]
    panels = [
        ("Loss, nats per token", [("training", _points(training, "loss")), ("log perplexity, validation", perplexity)]),
        ("BLEU, validation", [("", []), ("BLEU", _points(validation, "bleu"))]),
        ("Learning rate", [("", _points(training, "learning_rate"))]),
    ]
    panels = [(title, lines) for title, lines in panels if any(points for _, points in lines)]
    if not panels:
        raise InputError(f"{metrics}: no line has a loss, a BLEU or a learning rate, so there is nothing to draw.")
    heights = [1.0 if title == "Learning rate" else 2.0 for title, _ in panels]
    drawing = figure(8.0, 0.9 + 1.2 * sum(heights))
    all_axes = drawing.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (title, lines) in zip(all_axes, panels, strict=True):
        _draw(axes, title, lines)
        if title.startswith("BLEU"):
            _mark_best(axes, lines[-1][1])
    all_axes[0].set_xlim(left=0)
    all_axes[-1].set_xlabel("step", fontsize=9, color=INK)
    _add_minutes(all_axes[0], _points(training, "seconds", "time", "elapsed"))
    return save(drawing, path)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and _is_number(record.get("step")) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _points(records: Sequence[Mapping[str, Any]], *keys: str) -> Points:
    """(step, value) of the records that have one of the keys as a finite number, by step."""
    found = {}
    for record in records:
        value = next((record[key] for key in keys if _is_number(record.get(key))), None)
        if value is not None:
            found[float(record["step"])] = float(value)
    return sorted(found.items())


def _draw(axes: "Axes", title: str, lines: Sequence[tuple[str, Points]]) -> None:
    """One panel: the first line in blue, the second, of few points, in orange with dots."""
    plain(axes)
    axes.set_title(title, loc="left", fontsize=10, color=INK, pad=6)
    for (name, points), color, marker in zip(lines, (BLUE, ORANGE), ("", "o"), strict=False):
        if points:
            steps, values = zip(*points, strict=True)
            single = "o" if len(points) == 1 else marker
            axes.plot(steps, values, color=color, linewidth=1.6, marker=single, markersize=4, label=name)
    if sum(bool(points) for _, points in lines) > 1:
        axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    if title == "Learning rate":
        axes.set_ylim(bottom=0)
        axes.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)
        axes.yaxis.get_offset_text().set(fontsize=8, color=FAINT)


def _mark_best(axes: "Axes", points: Points) -> None:
    """Write the highest value beside its point."""
    step, value = max(points, key=lambda point: point[1])
    axes.plot([step], [value], "o", markersize=8, markerfacecolor="none", markeredgecolor=ORANGE)
    axes.margins(y=0.15)
    axes.annotate(
        f"{value:.2f} at step {step:,.0f}", (step, value), (-8, -14), textcoords="offset points", ha="right",
        fontsize=9, color=INK,
    )  # fmt: skip


def _add_minutes(axes: "Axes", seconds: Points) -> None:
    """A second axis along the top, in minutes of training."""
    if not seconds or seconds[-1][1] <= 0:
        return
    steps = np.array([0.0] + [step for step, _ in seconds])
    minutes = np.array([0.0] + [value / 60 for _, value in seconds])
    # Both ways need a strictly rising function; clocks of a run that was continued may stand still for a moment.
    minutes = np.maximum.accumulate(minutes) + np.arange(len(minutes)) * 1e-9
    last = max(1, len(steps) // 2)
    slope = (minutes[-1] - minutes[-1 - last]) / (steps[-1] - steps[-1 - last])

    def to_minutes(step: Any) -> Any:
        return np.interp(step, steps, minutes) + np.maximum(np.asarray(step) - steps[-1], 0) * slope

    def to_steps(minute: Any) -> Any:
        return np.interp(minute, minutes, steps) + np.maximum(np.asarray(minute) - minutes[-1], 0) / slope

    top = axes.secondary_xaxis("top", functions=(to_minutes, to_steps))
    top.set_xlabel("minutes", fontsize=9, color=INK)
    top.tick_params(length=0, labelsize=9, colors=INK)
    top.spines["top"].set_visible(False)
