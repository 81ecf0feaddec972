"""Position-wise feed-forward network (section 3.3)."""

from typing import Any

import keras

from keras_transformer.layers.dropout import Dropout
from keras_transformer.registration import register

Tensor = Any


@register
class FeedForward(keras.layers.Layer):
    """FFN(x) = max(0, x W1 + b1) W2 + b2, equation 2: the same two layers at every position.

    Args:
        d_ff: inner size.
        dropout: rate on the inner activations (0 in the paper).

    Call arguments:
        inputs: (B, T, d_model).

    Example:
        >>> import numpy as np
        >>> FeedForward(d_ff=16)(np.ones((2, 3, 4), "float32")).shape == (2, 3, 4)
        True

    Reference:
        Vaswani et al. 2017, section 3.3.
    """

    def __init__(self, d_ff: int, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.d_ff = d_ff
        self.dropout = dropout
        self.inner = keras.layers.Dense(d_ff, activation="relu", dtype=self.dtype_policy, name="inner")
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape: Any) -> None:
        """Create W1 (d_model, d_ff), b1, W2 (d_ff, d_model), b2."""
        d_model = inputs_shape[-1]
        self.outer = keras.layers.Dense(d_model, dtype=self.dtype_policy, name="outer")
        self.inner.build(inputs_shape)
        self.outer.build((*inputs_shape[:-1], self.d_ff))
        self.built = True

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        return self.outer(self.dropout_layer(self.inner(inputs), training=training))

    def compute_output_shape(self, inputs_shape: Any) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "d_ff": self.d_ff, "dropout": self.dropout}
