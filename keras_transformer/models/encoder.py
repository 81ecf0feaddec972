"""The encoder: a stack of identical layers (section 3.1)."""

from typing import Any

import keras

from keras_transformer.layers import EncoderLayer
from keras_transformer.layers.rematerialised import rematerialised
from keras_transformer.layers.residual import final_norm
from keras_transformer.registration import register

Tensor = Any


@register
class TransformerEncoder(keras.layers.Layer):
    """N encoder layers on vectors of any origin: embedded tokens, image patches.

    Args:
        num_layers: N.
        remat: in training keep each layer's input alone and compute the layer again for its gradients: less memory, and
            15 to 25 % more time.
        **settings: the arguments of `EncoderLayer`: num_heads, key_dim, d_ff, value_dim, dropout, ... With norm="pre"
            the output of the last layer is normalised once more.

    Call arguments:
        inputs: (B, S, d_model).
        attention_mask: boolean, broadcastable to (B, h, S, S), True where visible.
        return_weights: also return the attention weights, a list of N tensors (B, h, S, S).

    Example:
        >>> import numpy as np
        >>> encoder = TransformerEncoder(num_layers=2, num_heads=2, key_dim=2, d_ff=8)
        >>> encoder(np.ones((1, 3, 4), "float32")).shape == (1, 3, 4)
        True
    """

    def __init__(self, num_layers: int, remat: bool = False, **settings: Any) -> None:
        base = {name: settings.pop(name) for name in ("name", "dtype", "trainable") if name in settings}
        super().__init__(**base)
        self.num_layers = num_layers
        self.remat = remat
        self.settings = settings
        self.layers = [EncoderLayer(**settings, dtype=self.dtype_policy, name=f"layer_{i}") for i in range(num_layers)]
        self.final_norm = final_norm(settings, self.dtype_policy)

    def build(self, inputs_shape: Any) -> None:
        """Build every layer."""
        for layer in self.layers:
            layer.build(inputs_shape)
        if self.final_norm is not None:
            self.final_norm.build(inputs_shape)
        self.built = True

    def call(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        """(B, S, d_model) -> (B, S, d_model), and the weights of every layer if asked for."""
        x, all_weights = inputs, []
        for layer in self.layers:
            if self.remat and training and not return_weights:
                x = rematerialised(layer, x, attention_mask=attention_mask, training=training)
                continue
            x = layer(x, attention_mask=attention_mask, training=training, return_weights=return_weights)
            if return_weights:
                x, weights = x
                all_weights.append(weights)
        x = x if self.final_norm is None else self.final_norm(x)
        return (x, all_weights) if return_weights else x

    def compute_output_shape(self, inputs_shape: Any) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "num_layers": self.num_layers, "remat": self.remat, **self.settings}
