"""The layers that table 1 compares, all of one width, with weights that are the same on every backend."""

import math
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from keras_transformer.layers import MultiHeadAttention

SELF_ATTENTION, RESTRICTED = "self-attention", "restricted self-attention"
RECURRENT, CONVOLUTION = "recurrent (LSTM)", "convolution"


def table1_layers(width: int, *, heads: int, neighbours: int, kernel: int, seed: int) -> dict[str, Any]:
    """Built layers (B, n, width) -> (B, n, width), by name.

    Args:
        width: d, of input and output.
        heads: h of both attentions; d_k = d_v = d / h.
        neighbours: r, half of them on each side.
        kernel: k of the convolution.
        seed: of the weights.

    Returns:
        Self-attention, restricted self-attention, an LSTM and a convolution.

    Example:
        >>> import numpy as np
        >>> layers = table1_layers(8, heads=2, neighbours=4, kernel=3, seed=1)
        >>> {tuple(layer(np.ones((1, 5, 8), "float32")).shape) for layer in layers.values()}
        {(1, 5, 8)}
    """
    sides = (neighbours // 2, neighbours // 2)
    layers = {
        SELF_ATTENTION: MultiHeadAttention(num_heads=heads, key_dim=width // heads, dtype="float32"),
        RESTRICTED: MultiHeadAttention(num_heads=heads, key_dim=width // heads, window=sides, dtype="float32"),
        RECURRENT: keras.layers.LSTM(width, return_sequences=True, dtype="float32"),
        CONVOLUTION: keras.layers.Conv1D(width, kernel, padding="same", dtype="float32"),
    }
    for number, layer in enumerate(layers.values()):
        layer.build((None, None, width))
        fill(layer, np.random.default_rng([seed, number]), width)
    return layers


def fill(layer: Any, rng: np.random.Generator, width: int) -> None:
    """Draw a layer's weights as Keras's initializers would, but from NumPy.

    Args:
        layer: a built layer of `width` in and out.
        rng: where the numbers come from.
        width: d.
    """
    layer.set_weights([_values(weight, rng, width) for weight in layer.weights])


def _values(weight: Any, rng: np.random.Generator, width: int) -> npt.NDArray[np.float32]:
    shape = tuple(weight.shape)
    if len(shape) == 1:
        values = np.zeros(shape)
        if shape == (4 * width,):
            values[width : 2 * width] = 1.0  # an LSTM's forget gate starts open
    elif "recurrent" in weight.path:
        values = np.linalg.qr(rng.standard_normal((shape[1], shape[0])))[0].T  # rows are orthonormal
    else:
        # Glorot: matrices side by side (queries, keys, values; the gates) as if each stood alone, a kernel as a whole.
        columns = shape[-1] if "lstm" in weight.path else width
        limit = math.sqrt(6 / (math.prod(shape[:-1]) + columns * math.prod(shape[:-2])))
        values = rng.uniform(-limit, limit, shape)
    return np.asarray(values, "float32")
