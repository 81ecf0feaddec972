"""What a layer of the encoder and one of the decoder have in common (section 3.1)."""

from typing import Any

import keras

from keras_transformer.errors import InputError
from keras_transformer.layers.attention import MultiHeadAttention
from keras_transformer.layers.feed_forward import FeedForward
from keras_transformer.layers.initializers import kernel_initializer
from keras_transformer.layers.residual import Residual

Tensor = Any


class TransformerLayer(keras.layers.Layer):
    """The settings and sub-layers of `EncoderLayer` and `DecoderLayer`: self-attention and feed-forward network.

    Args:
        num_heads: h.
        key_dim: d_k.
        d_ff: inner size of the feed-forward network.
        value_dim: d_v; d_k if None.
        dropout: P_drop, on each sub-layer's output.
        attention_dropout: rate on attention weights.
        activation_dropout: rate inside the feed-forward network.
        use_bias: biases in the attention projections.
        activation: "relu", "gelu", "swiglu" or "geglu"; see `FeedForward`.
        norm: "post" or "pre"; see `Residual`.
        neighbours: r, the number of positions each one may see beside itself in self-attention; None is all. In an
            encoder r/2 on each side, in a decoder the r before. See `local_attention`.
        rotary: positions by rotation of queries and keys; see `rotate`.
        initializer: "glorot" or "normal"; see `kernel_initializer`.

    Raises:
        InputError: a value that is not one of these.
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        d_ff: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        use_bias: bool = False,
        activation: str = "relu",
        norm: str = "post",
        neighbours: int | None = None,
        rotary: bool = False,
        initializer: str = "glorot",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if neighbours is not None and (neighbours < 2 or neighbours % 2):
            raise InputError(f"neighbours is {neighbours}; expected an even number of at least 2, or None for all.")
        self.settings: dict[str, Any] = {
            "num_heads": num_heads,
            "key_dim": key_dim,
            "d_ff": d_ff,
            "value_dim": value_dim,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "use_bias": use_bias,
            "activation": activation,
            "norm": norm,
            "neighbours": neighbours,
            "rotary": rotary,
            "initializer": initializer,
        }
        window = None if neighbours is None else self._window(neighbours)
        self.self_attention = self._attention("self_attention", window=window, rotary=rotary)
        self.self_attention_residual = self._residual("self_attention_residual")
        self.feed_forward = FeedForward(
            d_ff,
            activation_dropout,
            activation,
            kernel_initializer(initializer),
            dtype=self.dtype_policy,
            name="feed_forward",
        )
        self.feed_forward_residual = self._residual("feed_forward_residual")

    def _window(self, neighbours: int) -> tuple[int, int]:
        """How many of the neighbours are before a position, how many after it."""
        return neighbours // 2, neighbours // 2

    def _attention(self, name: str, **options: Any) -> MultiHeadAttention:
        settings = self.settings
        return MultiHeadAttention(
            settings["num_heads"],
            settings["key_dim"],
            settings["value_dim"],
            settings["attention_dropout"],
            settings["use_bias"],
            kernel_initializer(settings["initializer"]),
            **options,
            dtype=self.dtype_policy,
            name=name,
        )

    def _residual(self, name: str) -> Residual:
        return Residual(self.settings["dropout"], norm=self.settings["norm"], dtype=self.dtype_policy, name=name)

    def _feed(self, x: Tensor, training: bool | None = None) -> Tensor:
        """The feed-forward network in its residual: (B, T, d_model) -> (B, T, d_model)."""
        update = self.feed_forward(self.feed_forward_residual.sublayer_input(x), training=training)
        return self.feed_forward_residual(x, update, training=training)

    def compute_output_shape(self, inputs_shape: Any, memory_shape: Any = None) -> Any:
        """The shape of the inputs."""
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), **self.settings}
