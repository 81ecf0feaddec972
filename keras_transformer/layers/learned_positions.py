"""Learned positions: row E of table 3."""

import math
from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers.initializers import embedding_initializer
from keras_transformer.registration import register

Tensor = Any


@register
class LearnedPositions(keras.layers.Layer):
    """Add a learned vector per position, in place of the sinusoids; there are none past the last one.

    The vectors start as the embeddings of tokens do, and are multiplied by sqrt(d_model) as these are, so that neither
    drowns the other. A sequence past the last position is an `InputError` where its length is known when it is called;
    inside a TensorFlow graph for any length it is TensorFlow's error, or NaN under XLA.

    Args:
        max_positions: how many positions there are.
        initializer: "glorot" for N(0, 1 / d_model), "normal" for N(0, 0.02^2).

    Call arguments:
        inputs: (B, T, d_model).
        start: position of the first column, an int or a scalar tensor.
        positions: (B, T) integers, for rows whose positions do not simply count up: see `segment_positions`.

    Raises:
        InputError: T, where it is known, is more than `max_positions`, and no positions are given.

    Example:
        >>> import numpy as np
        >>> positions = LearnedPositions(max_positions=4)
        >>> positions(np.zeros((1, 3, 2), "float32")).shape == (1, 3, 2)
        True
        >>> positions(np.zeros((1, 5, 2), "float32"))
        Traceback (most recent call last):
        keras_transformer.errors.InputError: there are 4 learned positions, and a sequence of 5 tokens needs as many;
        shorten it, or train a model with a larger max_positions or with sinusoidal positions.

    Reference:
        Vaswani et al. 2017, section 3.5 and table 3, row E.
    """

    def __init__(self, max_positions: int, initializer: str = "glorot", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_positions = max_positions
        self.initializer = initializer

    def build(self, inputs_shape: Any) -> None:
        """Create the vectors (max_positions, d_model)."""
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.max_positions, inputs_shape[-1]),
            initializer=embedding_initializer(self.initializer, inputs_shape[-1]),
        )
        self.built = True

    def call(self, inputs: Tensor, start: Any = 0, positions: Tensor | None = None) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        if positions is None:
            self._check_length(inputs.shape[1], start)
            positions = ops.arange(ops.shape(inputs)[1], dtype="int32") + start
        rows = ops.take(self.embeddings, positions, axis=0)
        # XLA and GPUs read some other row for one that is not there; better no number than a wrong one.
        rows = ops.where(ops.expand_dims(positions < self.max_positions, -1), rows, float("nan"))
        return inputs + ops.cast(rows, inputs.dtype) * math.sqrt(inputs.shape[-1])

    def _check_length(self, length: int | None, start: Any) -> None:
        needed = length + start if isinstance(length, int) and isinstance(start, int) else 0
        if needed > self.max_positions:
            raise InputError(
                f"there are {self.max_positions} learned positions, and a sequence of {needed} tokens needs as many; "
                "shorten it, or train a model with a larger max_positions or with sinusoidal positions."
            )

    def compute_output_shape(self, inputs_shape: Any, positions_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "max_positions": self.max_positions, "initializer": self.initializer}
