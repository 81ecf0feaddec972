"""Embeddings and softmax (section 3.4)."""

import math
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.initializers import embedding_initializer
from keras_transformer.registration import register

Tensor = Any


@register
class TokenEmbedding(keras.layers.Layer):
    """One V x d_model matrix: rows times sqrt(d_model) going in, its transpose as the pre-softmax projection going out.

    Drawn from N(0, 1 / d_model), so that scaled embeddings and first logits both have variance about 1.

    Args:
        vocab_size: V.
        d_model: size of an embedding.
        initializer: "glorot" for the above, "normal" for N(0, 0.02^2).

    Call arguments:
        ids: (B, T) integers in [0, V).

    Example:
        >>> import numpy as np
        >>> embedding = TokenEmbedding(vocab_size=10, d_model=4)
        >>> x = embedding(np.array([[1, 2, 3]]))
        >>> x.shape == (1, 3, 4), embedding.logits(x).shape == (1, 3, 10)
        (True, True)

    Reference:
        Vaswani et al. 2017, section 3.4.
    """

    def __init__(self, vocab_size: int, d_model: int, initializer: str = "glorot", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.d_model = d_model
        self.initializer = initializer

    def build(self, ids_shape: Any = None) -> None:
        """Create the matrix."""
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.vocab_size, self.d_model),
            initializer=embedding_initializer(self.initializer, self.d_model),
        )
        self.built = True

    def call(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, d_model)."""
        rows = ops.take(self.embeddings, ids, axis=0)
        return ops.cast(rows, self.compute_dtype) * math.sqrt(self.d_model)

    def logits(self, inputs: Tensor) -> Tensor:
        """Project (..., d_model) to (..., V) with the transposed matrix."""
        return ops.matmul(inputs, ops.transpose(ops.cast(self.embeddings, self.compute_dtype)))

    def compute_output_shape(self, ids_shape: Any) -> Any:
        """(B, T) -> (B, T, d_model)."""
        return (*ids_shape, self.d_model)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "vocab_size": self.vocab_size,
            "d_model": self.d_model,
            "initializer": self.initializer,
        }
