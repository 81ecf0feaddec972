"""Position-wise feed-forward network (section 3.3)."""

from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError, did_you_mean
from keras_transformer.layers.dropout import Dropout
from keras_transformer.layers.initializers import another
from keras_transformer.registration import register

Tensor = Any

ACTIVATIONS = {"relu": ops.relu, "gelu": lambda x: ops.gelu(x, approximate=False)}
GATES = {"swiglu": ops.silu, "geglu": ACTIVATIONS["gelu"]}


@register
class FeedForward(keras.layers.Layer):
    """FFN(x) = max(0, x W1 + b1) W2 + b2, equation 2: the same two layers at every position.

    "gelu" puts GELU for max(0, .). The gated kinds have a third matrix, FFN(x) = (f(x W1 + b1) * (x V + c)) W2 + b2
    with f(x) = x sigmoid(x) for "swiglu" and GELU for "geglu"; at two thirds of d_ff they have as many parameters.

    Args:
        d_ff: inner size.
        dropout: rate on the inner activations (0 in the paper).
        activation: "relu" (the paper's), "gelu", "swiglu" or "geglu".
        kernel_initializer: for each of the matrices.

    Call arguments:
        inputs: (B, T, d_model).

    Raises:
        InputError: an unknown activation.

    Example:
        >>> import numpy as np
        >>> FeedForward(d_ff=16)(np.ones((2, 3, 4), "float32")).shape == (2, 3, 4)
        True

    Reference:
        Vaswani et al. 2017, section 3.3; Shazeer 2020, "GLU Variants Improve Transformer", for the gated ones.
    """

    def __init__(
        self,
        d_ff: int,
        dropout: float = 0.0,
        activation: str = "relu",
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        known = {**ACTIVATIONS, **GATES}
        if activation not in known:
            raise InputError(f"there is no activation {activation!r}.{did_you_mean(str(activation), known)}")
        self.d_ff = d_ff
        self.dropout = dropout
        self.activation = activation
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape: Any) -> None:
        """Create W1 (d_model, d_ff), b1, W2 (d_ff, d_model), b2, and for a gated kind V (d_model, d_ff), c."""
        self.inner = self._dense("inner", 0, self.d_ff, inputs_shape)
        if self.activation in GATES:
            self.gate = self._dense("gate", 1, self.d_ff, inputs_shape)
        self.outer = self._dense("outer", 2, inputs_shape[-1], (*inputs_shape[:-1], self.d_ff))
        self.built = True

    def _dense(self, name: str, number: int, units: int, inputs_shape: Any) -> keras.layers.Dense:
        kernel = another(self.kernel_initializer, number)
        layer = keras.layers.Dense(units, kernel_initializer=kernel, dtype=self.dtype_policy, name=name)
        layer.build(inputs_shape)
        return layer

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model)."""
        inner = {**ACTIVATIONS, **GATES}[self.activation](self.inner(inputs))  # (B, T, d_ff)
        if self.activation in GATES:
            inner = inner * self.gate(inputs)
        return self.outer(self.dropout_layer(inner, training=training))

    def compute_output_shape(self, inputs_shape: Any) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "d_ff": self.d_ff,
            "dropout": self.dropout,
            "activation": self.activation,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
