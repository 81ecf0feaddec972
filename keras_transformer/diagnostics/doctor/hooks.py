"""What the doctor may look at inside of a model: optional callables, for checks that logits alone cannot make."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

Tensor = Any
Array = Any


@dataclass(frozen=True)
class AttentionHook:
    """One attention layer with its projections, as it stands in the model.

    Args:
        name: for people, such as "decoder layer 1, self-attention".
        output: (inputs, memory, mask) -> (B, T, d_model). inputs (B, T, d_model) and memory (B, S, d_model) are float32
            NumPy arrays, memory is None in self-attention; mask is boolean, (B, 1, T, S), True where visible.
        weights: the same arguments -> the weights (B, h, T, S) after softmax.
        projections: (inputs, memory) -> queries (B, T, h, d_k) and keys (B, S, h, d_k) before any scaling.
        d_model: size of the vectors.
        cross: whether it takes a memory.
    """

    name: str
    output: Callable[[Array, Array | None, Array | None], Tensor]
    weights: Callable[[Array, Array | None, Array | None], Tensor] | None = None
    projections: Callable[[Array, Array | None], tuple[Tensor, Tensor]] | None = None
    d_model: int = 64
    cross: bool = False


@dataclass(frozen=True)
class Hooks:
    """Callables into a model, each optional; what a check lacks, it names. They get and may return any array type.

    B sentences, S source and T target positions, h heads, V symbols. Ids are int32 NumPy arrays.

    Args:
        attention: a pure function (query, key, value, mask) -> (B, T, h, d_v) on projected heads (B, T, h, d_k) and
            (B, S, h, d_k), (B, S, h, d_v), with a boolean mask (B, 1, T, S), True where visible.
        key_dim: d_k, the size of a head's keys, which `attention` is tried with.
        d_model: the model's width, to name a division by its root.
        attention_layers: whole attention layers, see `AttentionHook`.
        attention_weights: (source, target_in) -> {"encoder": [(B, h, S, S), ...], "decoder": [(B, h, T, T), ...],
            "cross": [(B, h, T, S), ...]}, each list by layer, none of them required.
        encode: source -> the encoder's output (B, S, d_model).
        embed: {"source": ids -> vectors, "target": ids -> vectors} (B, T, d_model), scaled, without positions.
        first_inputs: (source, target_in) -> what enters the first encoder layer (B, S, d_model) and the first decoder
            layer (B, T, d_model), positions added; None instead of one that is not there.
        positions: "sinusoidal", "learned", "rotary" or "none", if known.
        local: whether self-attention is restricted to neighbours.
        init_cache: (source, length) -> a cache for decoding `length` positions.
        decode_step: (ids (B,), position, cache) -> logits (B, V) of the next token, and the cache.
        embeddings: {"source": matrix, "target": matrix, "softmax": matrix}, variables of V x d_model (softmax may be
            d_model x V), the same object where they are shared.
        tied: what is meant: "three-way", "decoder" (target and softmax) or "none".
        replicas: (source, target_in) -> logits of each replica, (R, B, T, V), for the same batch in training.
        extra: for checks of your own.

    Example:
        >>> from keras_transformer.layers.scaled_dot_product import scaled_dot_product_attention
        >>> Hooks(attention=scaled_dot_product_attention, key_dim=16).key_dim
        16
    """

    attention: Callable[[Array, Array, Array, Array | None], Tensor] | None = None
    key_dim: int = 64
    d_model: int | None = None
    attention_layers: Sequence[AttentionHook] = ()
    attention_weights: Callable[[Array, Array], Mapping[str, Sequence[Tensor]]] | None = None
    encode: Callable[[Array], Tensor] | None = None
    embed: Mapping[str, Callable[[Array], Tensor]] = field(default_factory=dict)
    first_inputs: Callable[[Array, Array], tuple[Tensor, Tensor]] | None = None
    positions: str | None = None
    local: bool = False
    init_cache: Callable[[Array, int], Any] | None = None
    decode_step: Callable[[Array, int, Any], tuple[Tensor, Any]] | None = None
    embeddings: Mapping[str, Any] = field(default_factory=dict)
    tied: str | None = None
    replicas: Callable[[Array, Array], Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def over(self, other: "Hooks") -> "Hooks":
        """These hooks, and those of `other` where these say nothing.

        Args:
            other: the hooks to fall back on.

        Returns:
            The union.

        Example:
            >>> Hooks(tied="none").over(Hooks(positions="rotary", tied="three-way"))
            Hooks(..., positions='rotary', ..., tied='none', ...)
        """
        default = Hooks()
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(other, **{name: value for name, value in given.items() if value != getattr(default, name)})
