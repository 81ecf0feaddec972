"""A wrong schedule, scale, position or size in the package makes the report say which figure is off."""

import math
from collections.abc import Callable
from typing import Any

import keras
import pytest

from keras_transformer.diagnostics.paper import parameters, table3
from keras_transformer.diagnostics.paper.report import paper
from keras_transformer.layers import MultiHeadAttention, SinusoidalPositions, attention, positions
from keras_transformer.layers.local_attention import band_mask
from keras_transformer.models import Transformer
from keras_transformer.training.schedule import TransformerSchedule

pytestmark = pytest.mark.tensorflow_backend  # what finds them is the same on every backend

Patch = pytest.MonkeyPatch


def off(section: str) -> list[str]:
    found = paper(timing=False, only=[section])
    names = [row.name for _, row in found.off]
    assert found.exit_code == bool(names)
    assert all(name in found.text().partition("OFF: ")[2] for name in names)
    return names


def steps_counted_from_0(patch: Patch) -> None:
    curve = TransformerSchedule._curve
    patch.setattr(TransformerSchedule, "_curve", lambda self, done: curve(self, done - 1.0))


def warm_up_twice_as_long(patch: Patch) -> None:
    curve = TransformerSchedule.__init__
    patch.setattr(TransformerSchedule, "__init__", lambda self, d_model, warmup_steps: curve(self, d_model, 8000))


def adam_of_keras(patch: Patch) -> None:
    from keras_transformer.diagnostics.paper import schedule

    patch.setattr(schedule, "paper_adam", keras.optimizers.Adam)


def scale_attention(patch: Patch, factor: Callable[[int], float]) -> None:
    """Both ways through the layer."""
    weights, fused = attention.attention_weights, attention.scaled_dot_product_attention
    patch.setattr(attention, "attention_weights", lambda q, *rest: weights(q * factor(q.shape[-1]), *rest))
    patch.setattr(attention, "scaled_dot_product_attention", lambda q, *rest: fused(q * factor(q.shape[-1]), *rest))


def scaled_by_d_model(patch: Patch) -> None:
    scale_attention(patch, lambda d_k: math.sqrt(d_k / 512))


def not_scaled(patch: Patch) -> None:
    scale_attention(patch, math.sqrt)


def fused_path_not_scaled(patch: Patch) -> None:
    fused = attention.scaled_dot_product_attention
    patch.setattr(attention, "scaled_dot_product_attention", lambda q, *rest: fused(q * 8.0, *rest))


def sines_beside_cosines(patch: Patch) -> None:
    right = positions.sinusoids

    def halves(pos: Any, d_model: int) -> Any:
        table = right(pos, d_model)
        return keras.ops.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)

    patch.setattr(positions, "sinusoids", halves)


def large_i_fast(patch: Patch) -> None:
    right = positions.angular_frequencies
    patch.setattr(positions, "angular_frequencies", lambda d_model: right(d_model)[::-1].copy())


def positions_from_1(patch: Patch) -> None:
    call = SinusoidalPositions.call
    patch.setattr(SinusoidalPositions, "call", lambda self, inputs, start=0: call(self, inputs, start + 1))


def window_of_r_on_each_side(patch: Patch) -> None:
    init = MultiHeadAttention.__init__

    def wide(self: Any, *args: Any, window: Any = None, **kwargs: Any) -> None:
        init(self, *args, window=window and (2 * window[0], 2 * window[1]), **kwargs)

    patch.setattr(MultiHeadAttention, "__init__", wide)


def full_attention_restricted(patch: Patch) -> None:
    right = attention.scaled_dot_product_attention

    def near(q: Any, k: Any, v: Any, mask: Any) -> Any:
        return right(q, k, v, band_mask(q.shape[1], (40, 40)))

    patch.setattr(attention, "scaled_dot_product_attention", near)


@pytest.mark.parametrize(
    ("error", "section", "figure"),
    [
        (steps_counted_from_0, "schedule", "base, step 1"),
        (steps_counted_from_0, "schedule", "update 2 of a weight with gradient 1"),
        (warm_up_twice_as_long, "schedule", "big"),
        (adam_of_keras, "schedule", "beta_2"),
        (scaled_by_d_model, "scaling", "d_k = 64, returned"),
        (not_scaled, "scaling", "d_k = 16, returned"),
        (fused_path_not_scaled, "scaling", "d_k = 64, fused"),
        (sines_beside_cosines, "sinusoids", "k = 1"),
        (large_i_fast, "sinusoids", "shortest, i = 0"),
        (positions_from_1, "sinusoids", "largest difference"),
        (window_of_r_on_each_side, "layers", "restricted self-attention, r = 8: layers"),
        (window_of_r_on_each_side, "reach", "restricted self-attention, r = 32: largest beyond r/2"),
        (full_attention_restricted, "reach", "self-attention: far quarter of the positions, of the near one"),
    ],
)
def test_a_planted_error_is_off(error: Callable[[Patch], None], section: str, figure: str, monkeypatch: Patch) -> None:
    error(monkeypatch)
    assert figure in off(section)


def with_biases(patch: Patch) -> None:
    """38 thousand parameters more: far below the paper's rounding, found by the formula."""
    init = Transformer.__init__
    patch.setattr(Transformer, "__init__", lambda self, **fields: init(self, **fields, use_bias=True))


def one_layer_too_many(patch: Patch) -> None:
    init = Transformer.__init__

    def deeper(self: Any, **fields: Any) -> None:
        init(self, **{**fields, "num_decoder_layers": fields["num_decoder_layers"] + 1})

    patch.setattr(Transformer, "__init__", deeper)


def embeddings_not_shared(patch: Patch) -> None:
    init = Transformer.__init__
    patch.setattr(Transformer, "__init__", lambda self, **fields: init(self, **fields, tie_embeddings="decoder"))


@pytest.mark.parametrize("error", [with_biases, one_layer_too_many, embeddings_not_shared])
def test_a_model_of_another_size_is_off(error: Callable[[Patch], None], monkeypatch: Patch) -> None:
    def verdicts() -> set[str]:
        counts = [parameters._count(name, table3.TABLE3[name]) for name in ("table3/C1", "table3/B1")]
        return {row.verdict for row in parameters._absolute(counts).rows}

    assert verdicts() == {"agrees"}
    error(monkeypatch)
    assert verdicts() == {"off"}


def test_a_preset_of_another_size_is_off_in_the_operations(monkeypatch: Patch) -> None:
    one_layer_too_many(monkeypatch)
    assert {"base, forward", "big, training", "base, operations"} <= set(off("flops"))
