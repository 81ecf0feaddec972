"""Residual connection and layer normalisation (sections 3.1 and 5.4)."""

from typing import Any

import keras

from keras_transformer.layers.dropout import Dropout
from keras_transformer.registration import register

Tensor = Any


@register
class Residual(keras.layers.Layer):
    """LayerNorm(x + Dropout(Sublayer(x))): post-norm, as the paper has it.

    Args:
        dropout: P_drop, the rate on the sub-layer's output before it is added.
        epsilon: added to the variance under the root.

    Call arguments:
        inputs: x, (B, T, d_model).
        update: Sublayer(x), (B, T, d_model).

    Example:
        >>> import numpy as np
        >>> x = np.array([[[1.0, 3.0]]], "float32")
        >>> keras.ops.convert_to_numpy(Residual()(x, x)).round(3).tolist()
        [[[-1.0, 1.0]]]

    Reference:
        Vaswani et al. 2017, sections 3.1 and 5.4.
    """

    def __init__(self, dropout: float = 0.0, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dropout = dropout
        self.epsilon = epsilon
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)
        self.norm = keras.layers.LayerNormalization(epsilon=epsilon, dtype=self.dtype_policy, name="norm")

    def build(self, inputs_shape: Any, update_shape: Any = None) -> None:
        """Create the gain and bias of the normalisation, (d_model,) each."""
        self.norm.build(inputs_shape)
        self.built = True

    def call(self, inputs: Tensor, update: Tensor, training: bool | None = None) -> Tensor:
        """Two (B, T, d_model) -> (B, T, d_model)."""
        return self.norm(inputs + self.dropout_layer(update, training=training))

    def compute_output_shape(self, inputs_shape: Any, update_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "dropout": self.dropout, "epsilon": self.epsilon}
