"""What the pictures share: colours, fonts, and how a figure becomes a file."""

import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2933"
FAINT = "#7b8794"
BLUE = "#1f5fa8"
ORANGE = "#d9730d"

# matplotlib takes the first font that is installed and falls back to the next for a glyph it lacks.
_FONTS = ("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans", "Arial Unicode MS")


def figure(width: float, height: float) -> "Figure":
    """An empty figure that needs no display.

    Args:
        width: in inches.
        height: in inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    # Figure without pyplot: no window system is asked for and no global state is kept.
    with matplotlib.rc_context({"font.family": list(installed_fonts())}):
        return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def installed_fonts() -> tuple[str, ...]:
    """The fonts of this machine that the pictures use, best first."""
    from matplotlib import font_manager

    names = set(font_manager.get_font_names())
    return tuple(font for font in _FONTS if font in names) or ("sans-serif",)


def plain(axes: "Axes", *, grid: bool = True) -> None:
    """Take away what is not data: the box, dark ticks, a strong grid.

    Args:
        axes: what to change.
        grid: whether to keep faint horizontal lines.
    """
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#cbd2d9")
    axes.tick_params(colors=INK, length=0, labelsize=9)
    if grid:
        axes.grid(axis="y", color="#e4e7eb", linewidth=0.8)
        axes.set_axisbelow(True)


def save(drawing: "Figure", path: str | os.PathLike[str], **settings: Any) -> Path:
    """Write a figure; the suffix of `path` chooses the format.

    Args:
        drawing: the figure.
        path: where; missing folders are made.
        **settings: passed to `Figure.savefig`.

    Returns:
        The path.

    Raises:
        InputError: for a suffix that matplotlib does not know, or a place that cannot be written.
    """
    target = Path(path)
    formats = drawing.canvas.get_supported_filetypes()
    if target.suffix.removeprefix(".").lower() not in formats:
        raise InputError(f"{target}: a picture cannot be written as {target.suffix!r}; use .png, .pdf or .svg.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(drawing, target, dpi=150, **settings)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error}).") from error
    return target


def as_png(drawing: "Figure", dpi: int = 110) -> bytes:
    """A figure as the content of a PNG file.

    Args:
        drawing: the figure.
        dpi: pixels per inch.
    """
    content = io.BytesIO()
    _write(drawing, content, dpi=dpi, format="png")
    return content.getvalue()


def _write(drawing: "Figure", target: Any, **settings: Any) -> None:
    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context({"font.family": list(installed_fonts())}):
        warnings.filterwarnings("ignore", message="Glyph")  # a letter no installed font has is drawn as a box
        drawing.savefig(target, **settings)
