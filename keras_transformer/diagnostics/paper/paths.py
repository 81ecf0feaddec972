"""Path lengths and sequential operations of table 1, counted on real layers."""

import math
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.diagnostics.gradients import value_and_gradients
from keras_transformer.diagnostics.paper.layers import CONVOLUTION, RECURRENT, RESTRICTED, SELF_ATTENTION, fill
from keras_transformer.diagnostics.paper.rows import Block, Row
from keras_transformer.layers import MultiHeadAttention

PATH, MOST_LAYERS = 33, 20
SEED = 1


def layers_to_reach(make: Callable[[int], Any], length: int, width: int) -> int:
    """How many layers the path from the first input to the last output needs: the fewest that pass a gradient.

    Args:
        make: the layer of each depth, from 0.
        length: n.
        width: d.

    Returns:
        The number of layers, MOST_LAYERS if they were not enough.
    """
    inputs = np.random.default_rng(SEED).standard_normal((1, length, width)).astype("float32")
    stack: list[Any] = []
    while len(stack) < MOST_LAYERS:
        stack.append(make(len(stack)))

        def last(x: Any) -> Any:
            for layer in stack:
                x = layer(x)
            return ops.sum(x[:, -1])

        _, (gradient,) = value_and_gradients(last, [inputs])
        if np.abs(gradient[0, 0]).max() > 0:
            break
    return len(stack)


class _CountingCell(keras.layers.LSTMCell):
    """An LSTM's cell that counts how often it is called."""

    calls = 0

    def call(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return super().call(*args, **kwargs)


def _sequential_steps(length: int, width: int) -> int:
    """Calls of the cell, each of which needs the state that the one before returned."""
    cell = _CountingCell(width, dtype="float32")
    layer = keras.layers.RNN(cell, unroll=True, dtype="float32")
    layer.build((None, length, width))
    cell.calls = 0
    layer(np.zeros((1, length, width), "float32"))
    return cell.calls


def paths() -> Block:
    """Count the maximum path lengths and sequential operations of table 1 on real layers.

    Returns:
        One row for each kind of layer.

    Reference:
        Vaswani et al. 2017, section 4, table 1.
    """
    width, neighbours, kernel, small = 8, 8, 5, 3
    sides = (neighbours // 2, neighbours // 2)

    def built(layer: Any, depth: int) -> Any:
        layer.build((None, None, width))
        fill(layer, np.random.default_rng([SEED, depth]), width)
        return layer

    def convolution(depth: int) -> Any:
        return built(keras.layers.Conv1D(width, kernel, padding="causal", dtype="float32"), depth)

    def dilated(depth: int) -> Any:
        # More than the sequence is long does not help, and some backends pad for it.
        rate = min(small**depth, PATH)
        return built(keras.layers.Conv1D(width, small, padding="causal", dilation_rate=rate, dtype="float32"), depth)

    def attention(depth: int, window: tuple[int, int] | None = None) -> Any:
        return built(MultiHeadAttention(num_heads=2, key_dim=width // 2, window=window, dtype="float32"), depth)

    distance = PATH - 1
    kinds = (
        (SELF_ATTENTION, attention, 1),
        (
            f"{RESTRICTED}, r = {neighbours}",
            lambda depth: attention(depth, sides),
            math.ceil(2 * distance / neighbours),
        ),
        (f"{CONVOLUTION}, k = {kernel}", convolution, math.ceil(distance / (kernel - 1))),
        (f"{CONVOLUTION}, k = {small}, dilated", dilated, math.ceil(math.log(PATH, small))),
    )
    rows = [Row(f"{name}: layers", layers_to_reach(make, PATH, width), n, 0, digits="d") for name, make, n in kinds]
    steps = _sequential_steps(PATH, width)
    rows.append(Row(f"{RECURRENT}: steps in its one layer", steps, PATH, 0, digits="d"))
    return Block(
        title=f"Path from the first of n = {PATH} positions to the last",
        how="Fewest stacked real layers whose last output has a gradient at the first input; for the LSTM, calls of "
        "its cell that wait for one another. Convolutions are causal. Paper: 1; n / r as 2 (n - 1) / r, since r/2 "
        "lie on each side; n / k as (n - 1) / (k - 1); log_k n; n; rounded up.",
        rows=tuple(rows),
    )
