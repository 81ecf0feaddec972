"""Sinusoidal positional encoding (section 3.5)."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.registration import register

Tensor = Any


def angular_frequencies(d_model: int) -> np.ndarray:
    """1 / 10000^(2i / d_model) for i = 0 .. d_model/2 - 1: wavelengths from 2 pi to nearly 10000 * 2 pi.

    Args:
        d_model: an even number.

    Returns:
        (d_model / 2,) float32, radians per position, fastest first.

    Raises:
        ValueError: d_model is odd, so that sines and cosines do not pair.

    Example:
        >>> angular_frequencies(4).round(4).tolist()
        [1.0, 0.009999999776482582]
    """
    if d_model % 2:
        raise ValueError(f"sinusoidal positions pair sines with cosines, so d_model must be even; received {d_model}.")
    return (10000.0 ** (-np.arange(0, d_model, 2) / d_model)).astype("float32")


def sinusoids(positions: Tensor, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model)).

    Args:
        positions: (T,) numbers.
        d_model: an even number.

    Returns:
        (T, d_model) float32. In bfloat16 position 500 and position 501 would be the same number.

    Example:
        >>> import numpy as np
        >>> np.asarray(sinusoids(np.array([0]), 4)).tolist()
        [[0.0, 1.0, 0.0, 1.0]]
    """
    angles = ops.cast(positions, "float32")[:, None] * angular_frequencies(d_model)[None, :]  # (T, d_model / 2)
    pairs = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)  # (T, d_model / 2, 2)
    return ops.reshape(pairs, (-1, d_model))


@register
class SinusoidalPositions(keras.layers.Layer):
    """Add the position's sinusoids to its embedding. No weights, and no longest length.

    Call arguments:
        inputs: (B, T, d_model).
        start: position of the first column, an int or a scalar tensor.
        positions: (B, T) integers below T, for rows whose positions do not simply count up: see `segment_positions`.

    Example:
        >>> import numpy as np
        >>> x = np.zeros((1, 1, 2), "float32")
        >>> np.asarray(SinusoidalPositions()(x)).tolist()
        [[[0.0, 1.0]]]

    Reference:
        Vaswani et al. 2017, section 3.5.
    """

    def build(self, inputs_shape: Any) -> None:
        """Check d_model; there is nothing to create."""
        angular_frequencies(inputs_shape[-1])
        self.built = True

    def call(self, inputs: Tensor, start: Any = 0, positions: Tensor | None = None) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        columns = ops.arange(ops.shape(inputs)[1], dtype="int32") + start
        encoding = ops.cast(sinusoids(columns, inputs.shape[-1]), inputs.dtype)  # (T, d_model)
        return inputs + (encoding if positions is None else ops.take(encoding, positions, axis=0))

    def compute_output_shape(self, inputs_shape: Any, positions_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape
