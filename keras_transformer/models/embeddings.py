"""Which embeddings a model has, and what adds positions to them (sections 3.4 and 3.5)."""

from typing import Any, NamedTuple

import keras

from keras_transformer.layers import LearnedPositions, SinusoidalPositions, TokenEmbedding
from keras_transformer.layers.initializers import embedding_initializer
from keras_transformer.models.config import TransformerConfig


class Embeddings(NamedTuple):
    """The ends of a model.

    Attributes:
        target: embeds target ids; its transpose gives the logits unless there is a projection of its own.
        source: embeds source ids; `target` itself if tying is three-way.
        projection: to the logits, or None.
    """

    target: TokenEmbedding
    source: TokenEmbedding
    projection: keras.layers.Dense | None


def make_embeddings(config: TransformerConfig, policy: Any) -> Embeddings:
    """One matrix, as in section 3.4, or two or three, as `tie_embeddings` says.

    Args:
        config: the model's.
        policy: dtype policy.

    Example:
        >>> ends = make_embeddings(TransformerConfig(vocab_size=9), "float32")
        >>> ends.source is ends.target, ends.projection
        (True, None)
    """
    options = {"initializer": config.initializer, "dtype": policy}
    target = TokenEmbedding(config.vocab_size, config.d_model, name="embedding", **options)
    if config.tie_embeddings == "three-way":
        return Embeddings(target, target, None)
    source = TokenEmbedding(config.source_symbols, config.d_model, name="source_embedding", **options)
    if config.tie_embeddings == "decoder":
        return Embeddings(target, source, None)
    first_weights = embedding_initializer(config.initializer, config.d_model)
    projection = keras.layers.Dense(
        config.vocab_size, use_bias=False, kernel_initializer=first_weights, dtype=policy, name="output_projection"
    )
    return Embeddings(target, source, projection)


def make_positions(config: TransformerConfig, policy: Any, name: str) -> SinusoidalPositions | LearnedPositions | None:
    """What adds positions to embeddings; None where they come in elsewhere, or not at all.

    Args:
        config: the model's.
        policy: dtype policy.
        name: the layer's name.

    Example:
        >>> make_positions(TransformerConfig(vocab_size=9, position="rotary"), "float32", "positions") is None
        True
    """
    if config.position == "sinusoidal":
        return SinusoidalPositions(dtype=policy, name=name)
    if config.position == "learned":
        return LearnedPositions(config.max_positions, config.initializer, dtype=policy, name=name)
    return None
