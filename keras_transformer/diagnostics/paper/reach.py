"""How much of a gradient arrives at an input far from the output: attention, LSTM, and what sees neighbours only."""

from typing import Any

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.diagnostics.gradients import value_and_gradients
from keras_transformer.diagnostics.paper.layers import CONVOLUTION, RECURRENT, RESTRICTED, SELF_ATTENTION, table1_layers
from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section

Array = npt.NDArray[np.float64]

WIDTH, HEADS, NEIGHBOURS, KERNEL = 64, 4, 32, 9
LENGTH, ROWS = 128, 64
SEED = 1706
SHOWN = (0, 1, 4, 16, 64, 127)


def reach() -> Section:
    """Measure the gradient of the last output with respect to each input.

    Returns:
        The section: gradient magnitude against distance, and what path lengths say of it.

    Reference:
        Vaswani et al. 2017, section 4 and table 1, maximum path length.
    """
    layers = table1_layers(WIDTH, heads=HEADS, neighbours=NEIGHBOURS, kernel=KERNEL, seed=SEED)
    curves = {name: magnitudes(layer) for name, layer in layers.items()}
    return Section(
        name="reach",
        title="Gradient from output to input against distance",
        source="section 4, table 1",
        parts=(_rows(curves), _listing(curves)),
        notes=(
            "Attention is one step from every position to every other, so distance costs nothing. The LSTM's "
            "gradient goes through as many steps as the distance, and each leaves "
            f"{_per_step(curves[RECURRENT]):.2f} of it here. That is a fresh LSTM, whose forget gate lets about 0.73 "
            "pass; training can open it.",
        ),
        curves={name: curve.tolist() for name, curve in curves.items()},
    )


def magnitudes(layer: Any) -> Array:
    """Mean norm of the gradient of the last position's output with respect to the input at each distance from it.

    Args:
        layer: (B, n, d) -> (B, n, d).

    Returns:
        (LENGTH,), by distance from 0.
    """
    rng = np.random.default_rng(SEED)
    inputs = rng.standard_normal((ROWS, LENGTH, WIDTH)).astype("float32")
    direction = rng.standard_normal((ROWS, WIDTH)).astype("float32") / np.sqrt(WIDTH)
    # Rows do not see each other, so the gradient of their sum is each row's own.
    _, (gradient,) = value_and_gradients(lambda x: ops.sum(ops.multiply(layer(x)[:, -1], direction)), [inputs])
    norms: Array = np.linalg.norm(gradient.astype("float64"), axis=-1).mean(axis=0)[::-1]
    return norms


def _per_step(curve: Array) -> float:
    """Factor from one distance to the next, over the distances where float32 still shows it."""
    shown = np.flatnonzero(curve[1:] > 1e-25) + 1
    return float(np.exp(np.polyfit(shown, np.log(curve[shown]), 1)[0]))


def _rows(curves: dict[str, Array]) -> Block:
    attention, recurrent = curves[SELF_ATTENTION], curves[RECURRENT]
    far, near = slice(3 * LENGTH // 4, LENGTH), slice(1, LENGTH // 4)
    beyond = {
        f"{RESTRICTED}, r = {NEIGHBOURS}: largest beyond r/2": curves[RESTRICTED][NEIGHBOURS // 2 + 1 :],
        f"{CONVOLUTION}, k = {KERNEL}: largest beyond (k - 1)/2": curves[CONVOLUTION][KERNEL // 2 + 1 :],
    }
    within = {
        f"{RESTRICTED}: at distance r/2, of that at 1": curves[RESTRICTED][NEIGHBOURS // 2] / curves[RESTRICTED][1],
        f"{CONVOLUTION}: at distance (k - 1)/2, of that at 1": curves[CONVOLUTION][KERNEL // 2]
        / curves[CONVOLUTION][1],
    }
    return Block(
        title=f"Gradient of the last of {LENGTH} outputs with respect to the inputs",
        how=f"Real layers of width {WIDTH}, fresh weights, inputs of variance 1; norm over the components, mean over "
        f"{ROWS} sequences. Paper: path length 1 (attention), or no path in one layer; within: sampling.",
        rows=(
            Row(
                f"{SELF_ATTENTION}: far quarter of the positions, of the near one",
                float(attention[far].mean() / attention[near].mean()),
                paper=1,
                tolerance=0.1,
                digits=".3f",
            ),
            *(Row(name, float(ratio), paper=1, tolerance=0.3, digits=".3f") for name, ratio in within.items()),
            *(Row(name, float(tail.max()), paper=0, tolerance=1e-6, digits="g") for name, tail in beyond.items()),
            Row(f"{RECURRENT}: at distance 64, of that at 1", float(recurrent[64] / recurrent[1]), digits=".1e"),
            Row(f"{RECURRENT}: factor per step", _per_step(recurrent), digits=".3f"),
        ),
    )


def _listing(curves: dict[str, Array]) -> Listing:
    return Listing(
        title="Gradient magnitude by distance",
        how="As above.",
        header=("", *(f"{distance}" for distance in SHOWN)),
        lines=tuple((name, *(f"{curve[distance]:.1e}" for distance in SHOWN)) for name, curve in curves.items()),
    )
