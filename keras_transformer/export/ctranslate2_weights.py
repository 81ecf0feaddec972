"""The weights of a `Transformer`, laid out as CTranslate2 reads them."""

import math
from typing import Any

import numpy as np

from keras_transformer.decoding.protocols import source_side
from keras_transformer.errors import InputError
from keras_transformer.layers.positions import sinusoids
from keras_transformer.layers.residual import EPSILON

ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "swiglu": "SWISH", "geglu": "GELU"}
"""Our activation -> CTranslate2's name of it; the last two are the gates of gated kinds."""


def check_expressible(model: Any) -> None:
    """Refuse a model that CTranslate2 cannot compute.

    Args:
        model: a `Transformer`.

    Raises:
        InputError: the setting that stands in the way.

    Example:
        >>> from keras_transformer.models import Transformer
        >>> check_expressible(Transformer(vocab_size=9, d_model=4, num_heads=2, d_ff=4, attention_neighbours=2))
        Traceback (most recent call last):
        keras_transformer.errors.InputError: the model has attention_neighbours=2, and CTranslate2 has no attention
        restricted to neighbours; export it as a SavedModel.
    """
    config = model.config
    key_dim, value_dim = config.head_sizes
    if config.attention_neighbours is not None:
        raise InputError(
            f"the model has attention_neighbours={config.attention_neighbours}, and CTranslate2 has no attention "
            "restricted to neighbours; export it as a SavedModel."
        )
    if key_dim != value_dim:
        raise InputError(
            f"the model has key_dim={key_dim} and value_dim={value_dim}, and CTranslate2 has one size for both; "
            "export it as a SavedModel."
        )


def build_specification(model: Any, tokenizer: Any, positions: int) -> Any:
    """A CTranslate2 `TransformerSpec` that holds a model's weights and vocabularies, in float32.

    Args:
        model: a `Transformer` that `check_expressible` lets pass, on any backend.
        tokenizer: its `Tokenizer` or `TokenizerPair`.
        positions: rows of the tables of positions that are not learned: the longest source or target there will be.

    Returns:
        The specification, to be optimized, validated and saved.
    """
    from ctranslate2.specs import transformer_spec

    config = model.config
    options = _options(config)
    encoder = transformer_spec.TransformerEncoderSpec(config.num_encoder_layers, config.num_heads, **options)
    decoder = transformer_spec.TransformerDecoderSpec(config.num_decoder_layers, config.num_heads, **options)
    _fill_stack(encoder, model.encoder)
    _fill_stack(decoder, model.decoder)
    encoder.embeddings[0].weight = _array(model.source_embedding.embeddings)
    decoder.embeddings.weight = _array(model.embedding.embeddings)
    if config.position != "rotary":
        encoder.position_encodings.encodings = _positions(model.source_positions, config, positions)
        decoder.position_encodings.encodings = _positions(model.target_positions, config, positions)
    projection = model.output_projection
    decoder.projection.weight = decoder.embeddings.weight if projection is None else _array(projection.kernel).T.copy()

    specification = transformer_spec.TransformerSpec(encoder, decoder)
    specification.config.layer_norm_epsilon = EPSILON
    specification.config.add_source_eos = True
    specification.register_source_vocabulary(vocabulary(source_side(tokenizer), config.source_symbols))
    specification.register_target_vocabulary(vocabulary(tokenizer, config.vocab_size))
    return specification


def vocabulary(tokenizer: Any, size: int) -> list[str]:
    """The pieces of a tokenizer in the order of their ids, filled up to the rows of the embedding.

    Args:
        tokenizer: a `Tokenizer`.
        size: rows of the embedding, no fewer than there are pieces.

    Example:
        >>> from types import SimpleNamespace
        >>> vocabulary(SimpleNamespace(vocab_size=2, pieces=lambda ids: ["a", "b"]), 3)
        ['a', 'b', '<unused 2>']
    """
    pieces = tokenizer.pieces(range(tokenizer.vocab_size))
    return [*pieces, *(f"<unused {index}>" for index in range(tokenizer.vocab_size, size))]


def _options(config: Any) -> dict[str, Any]:
    """What encoder and decoder have in common; the rarer ones only where needed, since older releases lack them."""
    from ctranslate2.specs import common_spec

    options = {
        "pre_norm": config.norm == "pre",
        "activation": common_spec.Activation[ACTIVATIONS[config.activation]],
        "ffn_glu": config.activation in ("swiglu", "geglu"),
    }
    if config.head_sizes[0] * config.num_heads != config.d_model:
        options |= {"head_dim": config.head_sizes[0], "num_heads_kv": config.num_heads}
    if config.position == "rotary":
        options |= {"rotary_dim": 0, "rotary_interleave": True}
    return options


def _fill_stack(spec: Any, stack: Any) -> None:
    """Every layer of an encoder or decoder, and the norm at the end of a pre-norm one."""
    for layer_spec, layer in zip(spec.layer, stack.layers, strict=True):
        own = layer.self_attention
        _fill_attention(layer_spec.self_attention, [own.self_projection], own, layer.self_attention_residual)
        if hasattr(layer_spec, "attention"):
            cross = layer.cross_attention
            projections = [cross.query_projection, cross.memory_projection]
            _fill_attention(layer_spec.attention, projections, cross, layer.cross_attention_residual)
        _fill_feed_forward(layer_spec.ffn, layer.feed_forward, layer.feed_forward_residual)
    if stack.final_norm is not None:
        _fill_norm(spec.layer_norm, stack.final_norm)


def _fill_attention(spec: Any, projections: list[Any], attention: Any, residual: Any) -> None:
    """Both sides put queries, keys and values, or keys and values, of all heads side by side in one matrix."""
    for linear, layer in zip(spec.linear, [*projections, attention.output_projection], strict=True):
        _fill_linear(linear, layer)
    _fill_norm(spec.layer_norm, residual.norm)


def _fill_feed_forward(spec: Any, feed_forward: Any, residual: Any) -> None:
    _fill_linear(spec.linear_0, feed_forward.inner)
    _fill_linear(spec.linear_1, feed_forward.outer)
    if hasattr(spec, "linear_0_noact"):
        _fill_linear(spec.linear_0_noact, feed_forward.gate)
    _fill_norm(spec.layer_norm, residual.norm)


def _fill_linear(spec: Any, layer: Any) -> None:
    """CTranslate2 keeps a matrix as (outputs, inputs), Keras as (inputs, outputs)."""
    spec.weight = _array(layer.kernel).T.copy()
    if layer.use_bias:
        spec.bias = _array(layer.bias)


def _fill_norm(spec: Any, norm: Any) -> None:
    spec.gamma, spec.beta = _array(norm.gamma), _array(norm.beta)


def _positions(layer: Any, config: Any, count: int) -> np.ndarray:
    """What is added to embeddings, (positions, d_model): ours, since CTranslate2's own sinusoids are others."""
    if config.position == "learned":
        return _array(layer.embeddings) * np.float32(math.sqrt(config.d_model))
    if config.position == "none":
        return np.zeros((count, config.d_model), dtype="float32")
    return _array(sinusoids(np.arange(count), config.d_model))


def _array(values: Any) -> np.ndarray:
    from keras import ops

    array = np.ascontiguousarray(ops.convert_to_numpy(values), dtype="float32")
    if not np.isfinite(array).all():
        raise InputError("the model's weights hold NaN or infinity; export another checkpoint.")
    return array
