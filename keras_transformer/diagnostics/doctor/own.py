"""Hooks into our own Transformer, through the very layers it computes with."""

from functools import partial
from typing import Any

import numpy as np
from keras import ops

from keras_transformer.diagnostics.doctor.hooks import AttentionHook, Hooks
from keras_transformer.diagnostics.doctor.recording import recording


def own_hooks(model: Any) -> Hooks:
    """Hooks for every white-box check of a `Transformer`, or of a subclass that overrides some of it.

    Args:
        model: the model.

    Returns:
        The hooks.

    Example:
        >>> from keras_transformer.models import Transformer
        >>> model = Transformer(vocab_size=20, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1,
        ...     num_decoder_layers=1)
        >>> [layer.name for layer in own_hooks(model).attention_layers]
        ['encoder layer 1, self-attention', 'decoder layer 1, self-attention', 'decoder layer 1, cross-attention']
    """
    config = model.config
    return Hooks(
        key_dim=config.head_sizes[0],
        d_model=config.d_model,
        attention_layers=_attention_layers(model),
        attention_weights=lambda source, target_in: model.attention_weights((source, target_in)),
        encode=model.encode,
        embed={"source": model.source_embedding, "target": model.embedding},
        first_inputs=partial(_first_inputs, model),
        positions=config.position,
        local=config.attention_neighbours is not None,
        init_cache=lambda source, length: model.init_cache(model.encode(source), source, 1, length),
        decode_step=partial(_decode_step, model),
        embeddings=_embeddings(model),
        tied=config.tie_embeddings,
    )


def _attention_layers(model: Any) -> tuple[AttentionHook, ...]:
    d_model = model.config.d_model
    hooks = []
    for number, layer in enumerate(model.encoder.layers, start=1):
        hooks.append(_attention_hook(layer.self_attention, f"encoder layer {number}, self-attention", d_model))
    for number, layer in enumerate(model.decoder.layers, start=1):
        hooks.append(_attention_hook(layer.self_attention, f"decoder layer {number}, self-attention", d_model))
        hooks.append(
            _attention_hook(layer.cross_attention, f"decoder layer {number}, cross-attention", d_model, cross=True)
        )
    return tuple(hooks)


def _attention_hook(layer: Any, name: str, d_model: int, cross: bool = False) -> AttentionHook:
    def call(inputs: Any, memory: Any, mask: Any, return_weights: bool = False) -> Any:
        given = [ops.cast(ops.convert_to_tensor(x), layer.compute_dtype) for x in (inputs, memory) if x is not None]
        output = layer(*given, attention_mask=mask, return_weights=return_weights)
        return output[1] if return_weights else output

    return AttentionHook(
        name,
        output=call,
        weights=partial(call, return_weights=True),
        projections=partial(_queries_and_keys, layer),
        d_model=d_model,
        cross=cross,
    )


def _queries_and_keys(layer: Any, inputs: Any, memory: Any) -> tuple[Any, Any]:
    """Q and K by the matrices alone: a scale hidden anywhere in the layer's methods then shows in its weights."""
    heads, size = layer.num_heads, layer.key_dim
    if memory is None:
        projection, start, memory = layer.self_projection, heads * size, inputs
        query = _project(inputs, projection, 0, heads, size)
    else:
        projection, start = layer.memory_projection, 0
        query = _project(inputs, layer.query_projection, 0, heads, size)
    return query, _project(memory, projection, start, heads, size)


def _project(inputs: Any, projection: Any, start: int, heads: int, size: int) -> Any:
    kernel, *bias = (ops.convert_to_numpy(ops.cast(part, "float32")) for part in projection.weights)
    columns = slice(start, start + heads * size)
    projected = inputs @ kernel[:, columns] + (bias[0][columns] if bias else 0.0)
    return projected.reshape(*inputs.shape[:2], heads, size)


def _first_inputs(model: Any, source: Any, target_in: Any) -> tuple[Any, Any]:
    """What the first layers of both stacks receive in a real run of the model; None where one is not called."""
    with recording(model.encoder.layers[0]) as encoder, recording(model.decoder.layers[0]) as decoder:
        model((source, target_in), training=False)
    encoder_input, decoder_input = (calls[0][0][0] if calls else None for calls in (encoder, decoder))
    return encoder_input, decoder_input


def _decode_step(model: Any, ids: Any, index: int, cache: Any) -> tuple[Any, Any]:
    logits, cache = model.decode_step(np.asarray(ids, "int32")[:, None], index, cache)
    return logits[:, 0], cache


def _embeddings(model: Any) -> dict[str, Any]:
    projection = model.output_projection
    softmax = model.embedding.embeddings if projection is None else projection.kernel
    return {"source": model.source_embedding.embeddings, "target": model.embedding.embeddings, "softmax": softmax}
