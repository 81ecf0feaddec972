"""Models with one thing wrong, each a fault that has been seen in real code; the doctor must name it.

Most take our own Transformer and override one method; some are written by hand, as other people's models are.
"""

import math
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer import Transformer
from keras_transformer.layers import Dropout, MultiHeadAttention, SinusoidalPositions, TokenEmbedding, causal_mask
from keras_transformer.layers.masks import padding_mask
from keras_transformer.layers.projection import HeadProjection

SMALL = {
    "vocab_size": 40,
    "d_model": 16,
    "num_heads": 2,
    "d_ff": 32,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "dropout": 0.1,
}


def attentions(model: Transformer) -> list[MultiHeadAttention]:
    encoder = [layer.self_attention for layer in model.encoder.layers]
    return encoder + [a for layer in model.decoder.layers for a in (layer.self_attention, layer.cross_attention)]


class Swapped(Transformer):
    """Our model with some of its layers' classes exchanged for broken ones."""

    attention: type | None = None
    projection: type | None = None
    embedding_class: type | None = None
    positions_class: type | None = None
    dropout_class: type | None = None

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        for layer in self._flatten_layers():
            for kind, broken in (
                (MultiHeadAttention, self.attention),
                (HeadProjection, self.projection),
                (TokenEmbedding, self.embedding_class),
                (SinusoidalPositions, self.positions_class),
                (Dropout, self.dropout_class),
            ):
                if broken is not None and type(layer) is kind:
                    layer.__class__ = broken


def swapped(**classes: type) -> Callable[[], Transformer]:
    return lambda: type("Broken", (Swapped,), classes)(**SMALL)


# The causal mask


class CausalMissing(Transformer):
    def _target_mask(self, rows):
        return None


class CausalReversed(Transformer):
    def _target_mask(self, rows):
        return ops.transpose(causal_mask(rows.target_in.shape[1]), (0, 1, 3, 2))


class CausalDiagonal(Transformer):
    def _target_mask(self, rows):
        length = rows.target_in.shape[1]
        return ops.logical_and(causal_mask(length), ops.logical_not(ops.eye(length, dtype="bool")))


class CausalDiagonalButFirst(CausalDiagonal):
    """The first position is let see itself, so that its row is not empty."""

    def _target_mask(self, rows):
        first = ops.arange(rows.target_in.shape[1]) == 0
        return ops.logical_or(super()._target_mask(rows), ops.logical_and(first[:, None], first))


class CausalOneAhead(Transformer):
    def _target_mask(self, rows):
        length = rows.target_in.shape[1]
        return ops.logical_or(causal_mask(length), ops.eye(length, k=1, dtype="bool"))


class PresentOnly(Transformer):
    def _target_mask(self, rows):
        return ops.eye(rows.target_in.shape[1], dtype="bool")[None, None]


# Padding


class SourcePadding(Transformer):
    def _encode(self, rows, training):
        return self.encoder(self._embed_source(rows, training), training=training)


class CrossPadding(Transformer):
    def call(self, inputs, training=None):
        rows = self._check_inputs(inputs)
        memory = self._encode(rows, training)
        x, mask = self._embed_target(rows, training), self._target_mask(rows)
        return self._logits(self.decoder(x, memory, attention_mask=mask, training=training))


class TargetPadding(Transformer):
    """Two masks of opposite sense, joined."""

    def _target_mask(self, rows):
        is_padding = ops.logical_not(padding_mask(rows.target_in, self.config.pad_id))
        return ops.logical_or(causal_mask(rows.target_in.shape[1]), is_padding)


class VisibleAttention(MultiHeadAttention):
    """Attention written out, so that its scores and masking can be broken."""

    def call(self, inputs, memory=None, attention_mask=None, training=None, return_weights=False):
        query, key, value = self._project(inputs, memory)
        scores = ops.einsum("bthd,bshd->bhts", query, key) * self.scale()
        weights = self.weigh(scores, attention_mask)
        heads = ops.einsum("bhts,bshd->bthd", ops.cast(weights, value.dtype), value)
        output = self._join_heads(heads)
        return (output, weights) if return_weights else output

    def scale(self) -> float:
        return 1 / math.sqrt(self.key_dim)

    def weigh(self, scores, mask):
        scores = ops.cast(scores, "float32")
        return ops.softmax(scores if mask is None else ops.where(mask, scores, -1e30))


class WithoutMask(VisibleAttention):
    def weigh(self, scores, mask):
        return super().weigh(scores, None)


class MaskedWithZero(VisibleAttention):
    def weigh(self, scores, mask):
        return ops.softmax(scores if mask is None else scores * ops.cast(mask, scores.dtype))


class MaskedAfterwards(VisibleAttention):
    def weigh(self, scores, mask):
        return ops.softmax(scores) if mask is None else ops.softmax(scores) * ops.cast(mask, scores.dtype)


class MaskAdded(VisibleAttention):
    """True counts as 1 and hides nothing."""

    def weigh(self, scores, mask):
        return ops.softmax(scores if mask is None else scores + ops.cast(mask, scores.dtype))


class MaskedWithInfinity(VisibleAttention):
    def weigh(self, scores, mask):
        return ops.softmax(scores if mask is None else ops.where(mask, scores, -np.inf))


class MaskedInHalfPrecision(VisibleAttention):
    """-1e9 is infinite in float16, and nothing times infinity is no number."""

    def weigh(self, scores, mask):
        hidden = 0.0 if mask is None else (1 - ops.cast(mask, scores.dtype)) * ops.cast(-1e9, scores.dtype)
        return ops.softmax(scores + hidden)


# Heads and scale


class WrongSplit(HeadProjection):
    def call(self, inputs):
        heads = super().call(inputs)
        return [
            ops.transpose(ops.reshape(x, (-1, self.num_heads, inputs.shape[1], x.shape[-1])), (0, 2, 1, 3))
            for x in heads
        ]


class WrongSplitOfOne(WrongSplit):
    """Queries alone in self-attention; one visible key does not show it."""

    def call(self, inputs):
        return [super().call(inputs)[0], *HeadProjection.call(self, inputs)[1:]]


class WrongJoin(MultiHeadAttention):
    def _join_heads(self, heads):
        return super()._join_heads(ops.reshape(ops.transpose(heads, (0, 2, 1, 3)), ops.shape(heads)))


class NotScaled(VisibleAttention):
    def scale(self):
        return 1.0


class ScaledByModel(VisibleAttention):
    def scale(self):
        return 1 / math.sqrt(self.num_heads * self.key_dim)


# Embeddings and positions


class NotMultiplied(TokenEmbedding):
    def call(self, ids):
        return super().call(ids) / math.sqrt(self.d_model)


class MultipliedTwice(TokenEmbedding):
    def call(self, ids):
        return super().call(ids) * math.sqrt(self.d_model)


class AddedTwice(SinusoidalPositions):
    def call(self, inputs, start=0, positions=None):
        return super().call(super().call(inputs, start, positions), start, positions)


class PositionsTimesTen(SinusoidalPositions):
    def call(self, inputs, start=0, positions=None):
        return inputs + 10 * (super().call(inputs, start, positions) - inputs)


class NoSourcePositions(Transformer):
    def _embed_source(self, rows, training):
        return self.source_dropout(self.source_embedding(rows.source), training=training)


class SoftmaxOfItsOwn(TokenEmbedding):
    """Begins as a copy, so that nothing shows at first."""

    def logits(self, inputs):
        if not hasattr(self, "own"):
            self.own = ops.copy(ops.convert_to_tensor(self.embeddings))
        return ops.matmul(inputs, ops.transpose(ops.cast(self.own, self.compute_dtype)))


class SoftmaxWithoutGradient(TokenEmbedding):
    def logits(self, inputs):
        matrix = ops.stop_gradient(ops.cast(self.embeddings, self.compute_dtype))
        return ops.matmul(inputs, ops.transpose(matrix))


# Inference


class AlwaysTraining(Transformer):
    def call(self, inputs, training=None):
        return super().call(inputs, training=True)


class SameSeed(Dropout):
    def call(self, inputs, training=False):
        return keras.random.dropout(inputs, self.rate, seed=7) if training and self.rate else inputs


class SameForTheBatch(Dropout):
    def call(self, inputs, training=False):
        shape = (1, *inputs.shape[1:])
        seed = getattr(self, "seed_generator", None)
        dropping = training and self.rate > 0
        return keras.random.dropout(inputs, self.rate, noise_shape=shape, seed=seed) if dropping else inputs


class StepsAtZero(Transformer):
    def decode_step(self, ids, index, cache):
        x = self.target_positions(self.embedding(ids), start=0)  # K is 1 in the doctor's hook
        x, cache = self.decoder.step(x, index, cache)
        return self._logits(x), cache


class CrossReadsDecoder(Transformer):
    def call(self, inputs, training=None):
        rows = self._check_inputs(inputs)
        x, mask = self._embed_target(rows, training), self._target_mask(rows)
        return self._logits(self.decoder(x, x, attention_mask=mask, training=training))


class CrossReadsDecoderMasked(Transformer):
    """With the source's padding mask on it, it works only where lengths are equal."""

    def call(self, inputs, training=None):
        rows = self._check_inputs(inputs)
        x, mask = self._embed_target(rows, training), self._target_mask(rows)
        visible = padding_mask(rows.source, self.config.pad_id)
        return self._logits(self.decoder(x, x, attention_mask=mask, memory_mask=visible, training=training))


class SourceIgnored(Transformer):
    """A padding mask of opposite sense hides every word."""

    def call(self, inputs, training=None):
        rows = self._check_inputs(inputs)
        memory = self._encode(rows, training)
        x, mask = self._embed_target(rows, training), self._target_mask(rows)
        hidden = ops.logical_not(padding_mask(rows.source, self.config.pad_id))
        return self._logits(self.decoder(x, memory, attention_mask=mask, memory_mask=hidden, training=training))


@dataclass(frozen=True)
class Fault:
    """A broken model, the name the doctor must give to it, and the names that follow from it."""

    make: Callable[[], Any]
    name: str
    also: Set[str] = frozenset()


def _small(cls: type) -> Callable[[], Any]:
    return lambda: cls(**SMALL)


UNMASKED = frozenset(
    {"causal-mask-missing", "target-padding-visible", "source-padding-visible", "cross-padding-visible"}
)
STEP = "cache-differs"  # a step of decoding is right where the whole at once is not, and the other way round
FAULTS = {
    "causal mask missing": Fault(_small(CausalMissing), "causal-mask-missing", {"target-padding-visible", STEP}),
    "causal mask reversed": Fault(_small(CausalReversed), "causal-mask-reversed", {"target-padding-visible", STEP}),
    "causal mask without diagonal": Fault(_small(CausalDiagonal), "causal-mask-diagonal", {STEP}),
    "causal mask without diagonal but at the first": Fault(
        _small(CausalDiagonalButFirst), "causal-mask-diagonal", {STEP}
    ),
    "causal mask one ahead": Fault(_small(CausalOneAhead), "causal-mask-off-by-one", {"target-padding-visible", STEP}),
    "decoder sees the present only": Fault(_small(PresentOnly), "target-history-ignored", {STEP}),
    "padding in the encoder": Fault(_small(SourcePadding), "source-padding-visible"),
    "padding through cross-attention": Fault(_small(CrossPadding), "cross-padding-visible", {STEP}),
    "padding in the target": Fault(_small(TargetPadding), "target-padding-visible"),
    "masked with 0": Fault(swapped(attention=MaskedWithZero), "masked-with-zero", UNMASKED | {STEP}),
    "mask after softmax": Fault(swapped(attention=MaskedAfterwards), "mask-after-softmax", UNMASKED | {STEP}),
    "mask added as 1": Fault(swapped(attention=MaskAdded), "mask-without-effect", UNMASKED | {STEP}),
    "masked with -inf": Fault(swapped(attention=MaskedWithInfinity), "masked-row-not-finite"),
    "masked with -1e9 in float16": Fault(swapped(attention=MaskedInHalfPrecision), "masked-row-not-finite"),
    "heads split by a wrong reshape": Fault(swapped(projection=WrongSplit), "heads-wrong-reshape", UNMASKED | {STEP}),
    "queries split by a wrong reshape": Fault(
        swapped(projection=WrongSplitOfOne), "heads-wrong-reshape", UNMASKED | {STEP, "causal-mask-off-by-one"}
    ),
    "heads joined by a wrong reshape": Fault(swapped(attention=WrongJoin), "heads-wrong-reshape", UNMASKED | {STEP}),
    "scores not scaled": Fault(swapped(attention=NotScaled), "scores-not-scaled", {STEP}),
    "scores scaled by d_model": Fault(swapped(attention=ScaledByModel), "scores-scaled-by-d-model", {STEP}),
    "embedding not scaled": Fault(swapped(embedding_class=NotMultiplied), "embedding-not-scaled"),
    "positions drowned": Fault(swapped(embedding_class=MultipliedTwice), "positions-drowned"),
    "positions added twice": Fault(swapped(positions_class=AddedTwice), "positions-added-twice"),
    "positions times ten": Fault(swapped(positions_class=PositionsTimesTen), "positions-scaled"),
    "positions absent": Fault(_small(NoSourcePositions), "positions-absent"),
    "softmax of its own": Fault(swapped(embedding_class=SoftmaxOfItsOwn), "embeddings-not-tied"),
    "softmax without gradient": Fault(swapped(embedding_class=SoftmaxWithoutGradient), "embeddings-not-tied"),
    "dropout at inference": Fault(_small(AlwaysTraining), "dropout-at-inference"),
    "dropout with one seed": Fault(swapped(dropout_class=SameSeed), "dropout-repeats"),
    "dropout the same for the batch": Fault(swapped(dropout_class=SameForTheBatch), "dropout-repeats"),
    "cache without positions": Fault(_small(StepsAtZero), "cache-differs"),
    "cross-attention reads the decoder": Fault(
        _small(CrossReadsDecoder),
        "cross-attention-reads-decoder",
        {"causal-mask-missing", "target-padding-visible", STEP},
    ),
    "cross-attention reads the decoder, masked": Fault(
        _small(CrossReadsDecoderMasked),
        "cross-attention-reads-decoder",
        {"causal-mask-missing", "target-padding-visible", "lengths-must-match", STEP},
    ),
    "source ignored": Fault(_small(SourceIgnored), "source-ignored", {"cross-padding-visible", STEP}),
}
