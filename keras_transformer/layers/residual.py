"""Residual connection and layer normalisation (sections 3.1 and 5.4)."""

import functools
from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers.dropout import Dropout, drop
from keras_transformer.layers.fusion import fused
from keras_transformer.registration import register

Tensor = Any

EPSILON = 1e-6


@register
class Residual(keras.layers.Layer):
    """LayerNorm(x + Dropout(Sublayer(x))): post-norm, as the paper has it; or pre-norm, as many models after it.

    Pre-norm is x + Dropout(Sublayer(LayerNorm(x))): the sum is never normalised, so that gradients reach the lowest
    layers unchanged and warm-up matters less; the stack then needs a normalisation of its own at the end.

        update = sublayer(residual.sublayer_input(x))
        x = residual(x, update)

    Args:
        dropout: P_drop, the rate on the sub-layer's output before it is added.
        epsilon: added to the variance under the root.
        norm: "post" or "pre".

    Call arguments:
        inputs: x, (B, T, d_model).
        update: Sublayer(`sublayer_input(x)`), (B, T, d_model).

    Raises:
        InputError: `norm` is something else.

    Example:
        >>> import numpy as np
        >>> x = np.array([[[1.0, 3.0]]], "float32")
        >>> keras.ops.convert_to_numpy(Residual()(x, x)).round(3).tolist()
        [[[-1.0, 1.0]]]
        >>> keras.ops.convert_to_numpy(Residual(norm="pre")(x, x)).tolist()
        [[[2.0, 6.0]]]

    Reference:
        Vaswani et al. 2017, sections 3.1 and 5.4; Xiong et al. 2020, "On Layer Normalization in the Transformer
        Architecture", for pre-norm.
    """

    def __init__(self, dropout: float = 0.0, epsilon: float = EPSILON, norm: str = "post", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if norm not in ("post", "pre"):
            raise InputError(f'norm is {norm!r}; expected "post" (the paper\'s) or "pre".')
        self.dropout = dropout
        self.epsilon = epsilon
        self.placement = norm
        self.dropout_layer = Dropout(dropout, dtype=self.dtype_policy)
        self.norm = keras.layers.LayerNormalization(epsilon=epsilon, dtype=self.dtype_policy, name="norm")

    def build(self, inputs_shape: Any, update_shape: Any = None) -> None:
        """Create the gain and bias of the normalisation, (d_model,) each."""
        self.norm.build(inputs_shape)
        self.built = True

    def sublayer_input(self, inputs: Tensor) -> Tensor:
        """What the sub-layer reads, (B, T, d_model): x itself, or LayerNorm(x) in pre-norm."""
        return self.norm(inputs) if self.placement == "pre" else inputs

    def call(self, inputs: Tensor, update: Tensor, training: bool | None = None) -> Tensor:
        """Two (B, T, d_model) -> (B, T, d_model)."""
        plain = type(self.dropout_layer) is Dropout  # somebody's own is called as it is
        if self.placement == "pre" or not training or not plain:
            total = inputs + self.dropout_layer(update, training=training)
            return total if self.placement == "pre" else self.norm(total)
        seed, rate = self.dropout_layer.next_seed(), self.dropout_layer.rate if training else 0.0
        return _add_and_norm(rate, self.epsilon)(inputs, update, self.norm.gamma, self.norm.beta, seed)

    def compute_output_shape(self, inputs_shape: Any, update_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "dropout": self.dropout, "epsilon": self.epsilon, "norm": self.placement}


@functools.cache
def _add_and_norm(rate: float, epsilon: float) -> Any:
    """`add_and_norm`, compiled; one for all layers with the same numbers."""
    return fused(functools.partial(add_and_norm, rate=rate, epsilon=epsilon))


def add_and_norm(
    inputs: Tensor, update: Tensor, gain: Tensor, bias: Tensor, seed: Tensor | None, *, rate: float, epsilon: float
) -> Tensor:
    """LayerNorm(x + Dropout(Sublayer(x))) as a pure function.

    Args:
        inputs: x, (B, T, d_model).
        update: Sublayer(x), (B, T, d_model).
        gain: (d_model,).
        bias: (d_model,).
        seed: of the dropout, as `Dropout.next_seed` gives it.
        rate: of the dropout.
        epsilon: added to the variance under the root.

    Returns:
        (B, T, d_model).
    """
    total = inputs + drop(update, seed, rate)
    return ops.layer_normalization(total, gain, bias, axis=-1, epsilon=epsilon)


def final_norm(settings: Mapping[str, Any], policy: Any) -> keras.layers.LayerNormalization | None:
    """The normalisation at the end of a pre-norm stack; None for a post-norm one, whose layers end in one.

    Args:
        settings: the layers' settings.
        policy: dtype policy.

    Example:
        >>> final_norm({"norm": "pre"}, "float32").name
        'final_norm'
    """
    if settings.get("norm", "post") == "post":
        return None
    return keras.layers.LayerNormalization(epsilon=EPSILON, dtype=policy, name="final_norm")
