"""Which source pieces the decoder looks at for each piece it writes."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.decoding.protocols import source_side
from keras_transformer.diagnostics.pictures import FAINT, INK, ORANGE, figure, save
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from matplotlib.image import AxesImage

CELL = 0.34
"""Side of one cell of the large map, in inches."""

PANELS_PER_ROW = 4
LARGEST = 40.0
"""Longest side of a picture, in inches: a very long sentence gets smaller cells instead."""


def cross_attention(
    model: Any, tokenizer: Any, source: str, translation: str, *, layer: int = -1
) -> tuple[npt.NDArray[np.float32], list[str], list[str]]:
    r"""The weights of one decoder layer's attention over the source, for a given translation.

    Row t holds $\mathrm{softmax}(q_t K^T / \sqrt{d_k})$ (section 3.2.3) at the position that predicts target piece t,
    the position which has read the pieces before t.

    Args:
        model: a `Transformer`.
        tokenizer: its `Tokenizer`.
        source: the source sentence.
        translation: the translation, one the model made or any other.
        layer: which decoder layer, from 0; -1 is the last.

    Returns:
        Weights (h, T, S) float32, rows summing to 1; the T target pieces; the S source pieces. Both end in `</s>`.

    Raises:
        InputError: if a sentence is empty, or there is no such layer.
    """
    reader = source_side(tokenizer)
    (source_pieces,), (target_pieces,) = reader.encode([source]), tokenizer.encode([translation])
    for name, pieces in (("source sentence", source_pieces), ("translation", target_pieces)):
        if not pieces:
            raise InputError(f"The {name} is empty, so there is no attention to show; give a sentence.")
    layers = model.config.num_decoder_layers
    if not -layers <= layer < layers:
        raise InputError(f"There is no decoder layer {layer}: the model has {layers}, counted from 0 (-1 is the last).")
    source_ids = [*source_pieces, tokenizer.eos_id]
    target_ids = [*target_pieces, tokenizer.eos_id]
    target_in = [tokenizer.bos_id, *target_pieces]
    inputs = (np.array([source_ids], "int32"), np.array([target_in], "int32"))
    weights = ops.cast(model.attention_weights(inputs)["cross"][layer][0], "float32")  # (h, T, S)
    return ops.convert_to_numpy(weights), tokenizer.pieces(target_ids), reader.pieces(source_ids)


def plot_cross_attention(
    model: Any,
    tokenizer: Any,
    source_sentence: str,
    translation: str,
    path: str | os.PathLike[str],
    *,
    layer: int = -1,
) -> Path:
    """Draw the attention of a translation over its source: the mean of the heads large, each head small.

    A row is a piece of the translation, a column a piece of the source; the darker, the more the decoder looked there
    when it chose the row's piece. A frame marks the largest weight of each row: where the word order changes, the
    frames leave the diagonal. A piece that continues a word starts with a dot. The large map is as dark as can be at
    its own largest weight, the small ones at 1.

    Args:
        model: a `Transformer` on any backend.
        tokenizer: its `Tokenizer`.
        source_sentence: the source sentence.
        translation: its translation, as `Translator` gives it.
        path: the file to write; its suffix chooses the format (.png, .pdf, .svg).
        layer: which decoder layer, from 0; -1 is the last.

    Returns:
        The path.

    Raises:
        InputError: if a sentence is empty, there is no such layer, or the file cannot be written.

    Example:
        >>> import tempfile, pathlib, keras_transformer as kt
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> model = kt.Transformer(
        ...     vocab_size=290, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1, num_decoder_layers=1)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "attention.png")
        >>> plot_cross_attention(model, tokenizer, "a dog runs", "ein Hund läuft", path).name
        'attention.png'

    Reference:
        Vaswani et al. 2017, section 3.2.3 and the figures of its appendix.
    """
    weights, rows, columns = cross_attention(model, tokenizer, source_sentence, translation, layer=layer)
    heads, height, width = weights.shape
    cell = min(CELL, (LARGEST - 3.0) / max(height, width))
    top, panels = _layout(heads, cell * height, cell * width)
    number, layers = layer % model.config.num_decoder_layers + 1, model.config.num_decoder_layers
    title = f"Attention to the source, decoder layer {number} of {layers}, mean of the heads"
    top.suptitle(title, x=0.01, ha="left", fontsize=11, color=INK)
    axes, mean = top.subplots(), weights.mean(axis=0)
    image = _heat_map(axes, mean, float(mean.max()))
    _frame_largest(axes, mean)
    _label(axes, shown_pieces(rows), shown_pieces(columns))
    _scale(axes, image, cell * height, cell * width)
    for head, small in enumerate(panels[:heads]):
        small.set_axis_on()
        _heat_map(small, weights[head], 1.0)
        small.set_title(f"head {head + 1}", fontsize=8, color=FAINT, pad=3)
    return save(top.figure, path)


def _layout(heads: int, height: float, width: float) -> tuple["SubFigure", list["Axes"]]:
    """A place for a map of this size in inches, and small axes (switched off) below it, one for each head."""
    per_row = min(heads, PANELS_PER_ROW)
    panel_rows = math.ceil(heads / per_row)
    across = max(width + 2.4, 7.0)
    large = height + 1.7
    small = panel_rows * (min(0.9 * across / per_row, 3.5) * min(height / width, 1.5) + 0.35)
    drawing = figure(across, large + small)
    subfigures = drawing.subfigures(2, 1, height_ratios=[large, small], squeeze=False)
    panels = list(subfigures[1, 0].subplots(panel_rows, per_row, squeeze=False).flat)
    for panel in panels:
        panel.set_axis_off()
    return subfigures[0, 0], panels


def _heat_map(axes: "Axes", weights: npt.NDArray[np.float32], darkest: float) -> "AxesImage":
    """Weights (T, S) as shades of one colour, white for 0."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color("#cbd2d9")
    return axes.imshow(weights, cmap="Blues", vmin=0.0, vmax=darkest, aspect="equal", interpolation="nearest")


def _scale(axes: "Axes", image: "AxesImage", height: float, width: float) -> None:
    """The key to the shades: a thin bar at the right, at most 2 inches high beside a map of this size in inches."""
    inset = axes.inset_axes((1.0 + 0.15 / width, 0.0, 0.13 / width, min(1.0, 2.0 / height)))
    bar = axes.figure.colorbar(image, cax=inset)
    bar.outline.set_visible(False)
    inset.tick_params(length=0, labelsize=8, labelcolor=FAINT)


def _frame_largest(axes: "Axes", weights: npt.NDArray[np.float32]) -> None:
    """A frame around the largest weight of each row."""
    from matplotlib.patches import Rectangle

    for row, column in enumerate(weights.argmax(axis=1)):
        corner = (float(column) - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=ORANGE, linewidth=1.2, clip_on=False, zorder=3))


def _label(axes: "Axes", rows: Sequence[str], columns: Sequence[str]) -> None:
    """Source pieces above, target pieces at the left, white lines between the cells."""
    size = 10 if max(len(rows), len(columns)) <= 60 else 7
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(columns)), columns, rotation=55, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, labelsize=size, labelcolor=INK)
    axes.set_xticks(np.arange(0.5, len(columns) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(rows) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=0.6)
    axes.tick_params(which="minor", length=0)


def shown_pieces(pieces: Sequence[str], *, escape: bool = True) -> list[str]:
    """Pieces for people: no mark where a word begins, a dot where one goes on.

    Args:
        pieces: as `Tokenizer.pieces` gives them.
        escape: hide matplotlib's markup, the dollar sign, from it.

    Returns:
        One string per piece.

    Example:
        >>> shown_pieces(["\u2581Hund", "e", "\u2581", "</s>"])
        ['Hund', '·e', '␣', '</s>']
    """
    shown = []
    for piece in pieces:
        begins = piece.startswith("\u2581") or piece in ("<s>", "</s>") or not any(map(str.isalnum, piece))
        text = piece.removeprefix("\u2581") or "\u2423"  # a space by itself is drawn as an open box
        shown.append(text if begins else "\u00b7" + text)
    return [text.replace("$", r"\$") for text in shown] if escape else shown
