"""Every layer and head of one kind of attention in one picture."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keras_transformer.diagnostics.attention_maps import shown_pieces
from keras_transformer.diagnostics.attention_record import KINDS, Array, AttentionRecord
from keras_transformer.diagnostics.pictures import FAINT, INK, figure, save
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {
    "encoder": "Encoder self-attention: each source piece (row) and the source pieces it reads",
    "decoder": "Decoder self-attention: each piece as it is written (row) and the written pieces it reads",
    "cross": "Attention to the source: each piece as it is written (row) and the source pieces it reads",
}
PER_ROW = 8
"""Heads side by side; more go into further rows of panels."""

_CELL, _LABELS, _LARGEST = 0.13, 0.75, 60.0  # inches: side of a cell, room for a label, longest side of a picture


def plot_attention(
    record: AttentionRecord, kind: str, path: str | os.PathLike[str], *, layers: Sequence[int] | None = None
) -> Path:
    """Draw all heads of one kind of attention, a row of maps for each layer, with the pieces along the axes.

    In a map a row is the piece that looks, a column what it looks at. Shades go by the square root of the weight, from
    white at 0 to the darkest at 1, the same in all maps, so that a weight of 0.05 still shows.

    Args:
        record: from `record_attention`.
        kind: "encoder", "decoder" or "cross".
        path: the file to write; its suffix chooses the format (.png, .pdf, .svg).
        layers: which layers, from 0; all if None.

    Returns:
        The path.

    Raises:
        InputError: there is no such kind or layer, or the file cannot be written.

    Example:
        >>> import tempfile, pathlib, keras_transformer as kt
        >>> from keras_transformer.diagnostics import record_attention
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> model = kt.Transformer(
        ...     vocab_size=290, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1, num_decoder_layers=1)
        >>> record = record_attention(model, tokenizer, "a dog runs", "ein Hund läuft")
        >>> plot_attention(record, "cross", pathlib.Path(tempfile.mkdtemp(), "cross.png")).name
        'cross.png'

    Reference:
        Vaswani et al. 2017, section 3.2.3 and the figures of its appendix.
    """
    return save(attention_figure(record, kind, layers=layers), path)


def attention_figure(record: AttentionRecord, kind: str, *, layers: Sequence[int] | None = None) -> "Figure":
    """What `plot_attention` writes, as a matplotlib figure.

    Args:
        record: from `record_attention`.
        kind: "encoder", "decoder" or "cross".
        layers: which layers, from 0; all if None.

    Returns:
        The figure, on no canvas of its own.

    Raises:
        InputError: there is no such kind or layer.
    """
    if kind not in KINDS:
        raise InputError(f"There is no attention of the kind {kind!r}; choose {', '.join(KINDS)}.")
    weights = record.weights[kind]
    chosen = check_layers(layers, len(weights))
    heads, rows, columns = weights.shape[1:]
    across, below = min(heads, PER_ROW), math.ceil(heads / PER_ROW)
    cell = _cell(across * columns, len(chosen) * below * rows)
    width, height = _LABELS + across * (cell * columns + 0.15), below * (cell * rows + 0.3 + _LABELS)
    drawing = figure(max(width + 0.6, 6.5), len(chosen) * height + 0.5)
    drawing.suptitle(TITLES[kind], x=0.01, ha="left", fontsize=11, color=INK)
    panels = drawing.subplots(len(chosen) * below, across, squeeze=False)
    for axes in panels.flat:
        axes.set_axis_off()
    for place, layer in enumerate(chosen):
        for head in range(heads):
            axes = panels[place * below + head // across, head % across]
            title = f"layer {layer + 1}, head {head + 1}: {record.entropy[kind][layer, head]:.2f} bits"
            _map(axes, weights[layer, head], title, cell)
            _label(axes, record.rows(kind) if head % across == 0 else (), record.columns(kind), cell)
    _scale(drawing, panels[0, -1], cell * rows, cell * columns)
    return drawing


def check_layers(layers: Sequence[int] | None, count: int) -> list[int]:
    """The layers to show, each at its number from 0.

    Raises:
        InputError: there is no such layer.

    Example:
        >>> check_layers(None, 3), check_layers([-1], 3)
        ([0, 1, 2], [2])
    """
    for layer in layers or ():
        if not -count <= layer < count:
            raise InputError(f"There is no layer {layer}: there are {count}, counted from 0 (-1 is the last).")
    return list(range(count)) if layers is None else [layer % count for layer in layers]


def _cell(columns: int, rows: int) -> float:
    """Side of a cell in inches, small enough for a picture that can be opened."""
    return min(_CELL, _LARGEST / columns, _LARGEST / rows)


def _map(axes: "Axes", weights: Array, title: str, cell: float) -> None:
    from matplotlib.colors import PowerNorm

    axes.set_axis_on()
    axes.set_title(title, fontsize=8 if cell * weights.shape[1] > 1.4 else 6, color=FAINT, pad=3)
    axes.tick_params(length=0, labelcolor=INK)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color("#cbd2d9")
    axes.imshow(weights, cmap="Blues", norm=PowerNorm(0.5, 0.0, 1.0), aspect="equal", interpolation="nearest")


def _label(axes: "Axes", rows: Sequence[str], columns: Sequence[str], cell: float) -> None:
    """The pieces, as large as a cell allows: rows at the left where given, columns below."""
    size = min(8.0, 72 * cell * 0.85)
    axes.set_xticks(range(len(columns)), shown_pieces(columns), rotation=90, fontsize=size)
    if rows:
        axes.set_yticks(range(len(rows)), shown_pieces(rows), fontsize=size)


def _scale(drawing: "Figure", axes: "Axes", height: float, width: float) -> None:
    """The key to the shades, at most 2 inches high, beside a map of this size in inches."""
    inset = axes.inset_axes((1 + 0.06 / width, 0.0, 0.1 / width, min(1.0, 2.0 / height)))
    bar = drawing.colorbar(axes.get_images()[0], cax=inset, ticks=[0, 0.05, 0.25, 0.5, 1])
    bar.outline.set_visible(False)
    inset.set_yticks([0, 0.05, 0.25, 0.5, 1], ["0", ".05", ".25", ".5", "1"])
    inset.tick_params(length=0, labelsize=7, labelcolor=FAINT)
