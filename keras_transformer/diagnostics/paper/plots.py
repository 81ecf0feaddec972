"""The figures that are curves, as pictures."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_transformer.diagnostics.paper.layers import CONVOLUTION, RECURRENT, RESTRICTED, SELF_ATTENTION
from keras_transformer.diagnostics.paper.report import Report
from keras_transformer.diagnostics.paper.sinusoids import encodings
from keras_transformer.diagnostics.pictures import BLUE, FAINT, INK, ORANGE, figure, plain, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREEN, RED = "#2f8f4e", "#b3261e"
COLOURS = {SELF_ATTENTION: BLUE, RESTRICTED: GREEN, RECURRENT: ORANGE, CONVOLUTION: RED}
Curves = Any


def plot_paper(report: Report, folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Draw the curves of a report: learning rate, scaling, sinusoids, costs of layers, reach of gradients.

    Args:
        report: of `paper`; sections it lacks are not drawn.
        folder: where NAME.png is written, NAME being the section's.

    Returns:
        The files, by section.

    Raises:
        InputError: the folder cannot be written.

    Example:
        >>> import tempfile
        >>> from keras_transformer.diagnostics.paper import paper
        >>> list(plot_paper(paper(only=["sinusoids"]), tempfile.mkdtemp()))
        ['sinusoids']
    """
    return {
        section.name: save(_DRAWN[section.name](section.curves), Path(folder) / f"{section.name}.png")
        for section in report.sections
        if section.name in _DRAWN
    }


def _axes(drawing: "Figure", columns: int, *titles: str) -> "list[Axes]":
    """Plain axes side by side, each with its title above and the first with faint lines."""
    row = list(drawing.subplots(1, columns, squeeze=False)[0])
    for axes, title in zip(row, titles, strict=True):
        plain(axes)
        axes.set_title(title, loc="left", fontsize=10, color=INK)
    return row


def _logarithmic(axes: "Axes") -> None:
    """A logarithmic y axis with plain numbers: powers of ten as formulas want fonts that not every machine has."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def _legend(axes: "Axes") -> None:
    axes.legend(frameon=False, fontsize=8, labelcolor=INK)


def _schedule(curves: Curves) -> "Figure":
    drawing = figure(7.0, 3.0)
    (axes,) = _axes(drawing, 1, "Learning rate against the step")
    for name, colour in (("base", BLUE), ("big", ORANGE)):
        axes.plot(curves["step"], curves[name], color=colour, label=name)
    axes.set_xlabel("step", fontsize=9, color=FAINT)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _legend(axes)
    return drawing


def _scaling(curves: Curves) -> "Figure":
    drawing = figure(10.0, 3.0)
    titles = ("Variance of the scores", "Entropy of softmax, nats", "Largest of 64 weights")
    variance, entropy, largest = _axes(drawing, 3, *titles)
    sizes = curves["d_k"]
    for name, colour in (("before", ORANGE), ("after", BLUE)):
        variance.plot(sizes, curves[f"variance_{name}"], "o-", color=colour, markersize=3, label=f"{name} scaling")
    variance.set_yscale("log", base=2)
    variance.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    for axes, key in ((entropy, "entropy"), (largest, "largest")):
        for kind, colour in (("unscaled", ORANGE), ("scaled", BLUE)):
            axes.plot(sizes, [each[key] for each in curves[kind]], "o-", color=colour, markersize=3, label=kind)
        axes.set_ylim(bottom=0)
    for axes in (variance, entropy, largest):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.set_xlabel("d_k", fontsize=9, color=FAINT)
        _legend(axes)
    return drawing


def _sinusoids(curves: Curves) -> "Figure":
    drawing = figure(10.0, 3.0)
    encoding, wavelength, product = _axes(
        drawing, 3, "PE(pos) for pos < 128", "Wavelength of pair i, positions", "PE(pos) . PE(pos + k)"
    )
    encoding.grid(visible=False)
    encoding.imshow(encodings()[:128], aspect="auto", cmap="RdBu", vmin=-1, vmax=1, interpolation="nearest")
    encoding.set_xlabel("dimension", fontsize=9, color=FAINT)
    encoding.set_ylabel("pos", fontsize=9, color=FAINT)
    wavelength.plot(curves["wavelength"], color=BLUE)
    _logarithmic(wavelength)
    wavelength.set_xlabel("i", fontsize=9, color=FAINT)
    product.plot(curves["product"], color=BLUE)
    product.set_xlabel("k", fontsize=9, color=FAINT)
    return drawing


def _layers(curves: Curves) -> "Figure":
    """Operations by formula, and time where it was measured."""
    timed = "seconds" in curves
    drawing = figure(10.0 if timed else 5.5, 3.6)
    titles = ("Multiply-adds of a layer", "Milliseconds on one machine")
    panels = _axes(drawing, 1 + timed, *titles[: 1 + timed])
    for axes, key, unit in zip(panels, ("operations", "seconds"), (1.0, 1e3), strict=False):
        for name, values in curves[key].items():
            scaled = [unit * value for value in values]
            axes.plot(curves["n"], scaled, "o-", color=COLOURS[name], markersize=3, label=name)
        axes.set_xscale("log", base=2)
        _logarithmic(axes)
        axes.set_xticks(curves["n"], [f"{n:,}" for n in curves["n"]])
        axes.set_xlabel("n", fontsize=9, color=FAINT)
    _legend(panels[0])
    return drawing


def _reach(curves: Curves) -> "Figure":
    drawing = figure(7.0, 3.2)
    (axes,) = _axes(drawing, 1, "Gradient of the last output with respect to an input, against distance")
    for name, values in curves.items():
        seen = [value if value > 0 else np.nan for value in values]
        axes.plot(seen, color=COLOURS[name], label=name)
    _logarithmic(axes)
    axes.set_xlabel("distance in positions", fontsize=9, color=FAINT)
    _legend(axes)
    return drawing


_DRAWN: dict[str, Callable[[Curves], "Figure"]] = {
    "schedule": _schedule,
    "scaling": _scaling,
    "sinusoids": _sinusoids,
    "layers": _layers,
    "reach": _reach,
}
