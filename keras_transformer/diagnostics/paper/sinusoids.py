"""Wavelengths and the rotation property of the sinusoids, measured on the real layer."""

import math

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.diagnostics.paper.rows import Block, Row, Section
from keras_transformer.layers import SinusoidalPositions

Array = npt.NDArray[np.float64]

WIDTH = 512
LENGTH = 1024
OFFSETS = (1, 10, 100)
SLOWEST = 10_000 * 2 * math.pi


def sinusoids() -> Section:
    """Measure the encodings that `SinusoidalPositions` adds.

    Returns:
        The section: wavelengths, the table itself, and what depends on the distance between positions alone.

    Reference:
        Vaswani et al. 2017, section 3.5.
    """
    table = encodings()
    waves = _wavelengths(table)
    return Section(
        name="sinusoids",
        title="Sinusoidal positions",
        source="section 3.5",
        parts=(_waves(waves), _table(table), _rotations(table), _products(table)),
        notes=("Small i is the fast end, large i the slow one.",),
        caveats=(
            "The wavelengths do not reach 10000 * 2 pi = 62,832 positions: that is where the progression would end, "
            f"not its last member. The last exponent is 1 - 2 / d_model, and the longest wavelength {waves[-1]:,.0f} "
            f"for d_model = {WIDTH}.",
        ),
        curves={
            "wavelength": waves.tolist(),
            "product": (table[:256] @ table[0]).tolist(),
        },
    )


def encodings() -> Array:
    """What the real layer adds to zeros.

    Returns:
        (LENGTH, WIDTH), one row per position.
    """
    zeros = ops.zeros((1, LENGTH, WIDTH), dtype="float32")
    layer = SinusoidalPositions(dtype="float32")
    return np.asarray(ops.convert_to_numpy(layer(zeros)), "float64")[0]


def _wavelengths(encodings: Array) -> Array:
    """Positions per turn of each pair (2i, 2i + 1), from how far it turns between position 0 and 1."""
    sine, cosine = encodings[1, 0::2], encodings[1, 1::2]
    with np.errstate(divide="ignore"):
        return 2 * math.pi / np.arctan2(sine, cosine)


def _waves(waves: Array) -> Block:
    ratio = 10_000 ** (2 / WIDTH)
    ratios = waves[1:] / waves[:-1]
    step = SLOWEST * (1 - 1 / ratio)
    return Block(
        title=f"Wavelengths in positions, d_model = {WIDTH}",
        how="From the angle by which each pair (sin, cos) of the real layer's output turns between positions 0 and "
        '1. Paper: "a geometric progression from 2 pi to 10000 * 2 pi"; within: for the longest, one step of the '
        "progression. Formula: 2 pi 10000^(2i / d_model).",
        rows=(
            Row("shortest, i = 0", float(waves[0]), 2 * math.pi, 5e-5, 2 * math.pi, digits=".4f"),
            Row("longest, i = 255", float(waves[-1]), SLOWEST, step, SLOWEST / ratio, 2e-6, digits=",.1f"),
            Row("ratio of neighbours, smallest", float(ratios.min()), ratio, 5e-5, digits=".4f"),
            Row("ratio of neighbours, largest", float(ratios.max()), ratio, 5e-5, digits=".4f"),
        ),
    )


def _table(encodings: Array) -> Block:
    position, i = np.arange(LENGTH)[:, None], np.arange(WIDTH // 2)[None, :]
    angle = position / 10_000 ** (2 * i / WIDTH)
    error = max(
        float(np.abs(encodings[:, 0::2] - np.sin(angle)).max()), float(np.abs(encodings[:, 1::2] - np.cos(angle)).max())
    )
    return Block(
        title=f"Largest difference from PE(pos, 2i) = sin, PE(pos, 2i + 1) = cos, pos < {LENGTH:,}",
        how="The real layer's output in float32 less the formula in float64. Within: float32 of an angle of 1,000 "
        "radians.",
        rows=(Row("largest difference", error, paper=0, tolerance=2e-4, digits=".1e"),),
    )


def _rotations(encodings: Array) -> Block:
    """PE(pos + k) = R_k PE(pos), with R_k read from PE(k): its pairs are sine and cosine of the angle of k."""
    rows = []
    for offset in OFFSETS:
        sine, cosine = encodings[offset, 0::2], encodings[offset, 1::2]
        old = encodings[:-offset]
        turned = np.empty_like(old)
        turned[:, 0::2] = cosine * old[:, 0::2] + sine * old[:, 1::2]
        turned[:, 1::2] = cosine * old[:, 1::2] - sine * old[:, 0::2]
        error = float(np.abs(turned - encodings[offset:]).max())
        rows.append(Row(f"k = {offset}", error, paper=0, tolerance=2e-4, digits=".1e"))
    return Block(
        title="Rotation: largest difference of PE(pos + k) from R_k PE(pos)",
        how="One rotation R_k for every pos, made of the real layer's PE(k), applied to all its other positions. "
        'Paper: "PE(pos + k) can be represented as a linear function of PE(pos)"; within: float32.',
        rows=tuple(rows),
    )


def _products(encodings: Array) -> Block:
    rows = [
        Row(
            "|PE(pos)|^2, farthest from d_model / 2",
            float(np.abs(np.square(encodings).sum(axis=1) - WIDTH / 2).max()),
            paper=0,
            tolerance=1e-3,
            digits=".1e",
        )
    ]
    for offset in OFFSETS:
        products = (encodings[:-offset] * encodings[offset:]).sum(axis=1)
        spread = float(products.max() - products.min())
        rows.append(Row(f"PE(pos).PE(pos + {offset}), spread over pos", spread, 0, tolerance=0.02, digits=".1e"))
    return Block(
        title="Products depend on the distance alone",
        how="Lengths and products of the real layer's encodings at all positions; follows from the rotation. Within: "
        "float32.",
        rows=tuple(rows),
    )
