"""A record holds the weights with which the search's own translation was made."""

from typing import Any

import numpy as np
import pytest
from keras import ops

import keras_transformer as kt
from keras_transformer.diagnostics import record_attention
from keras_transformer.layers import cache as kept
from tests.diagnostics.attention_cases import SENTENCE, lively, tokenizer


@pytest.fixture(scope="module")
def pieces() -> kt.Tokenizer:
    return tokenizer()


FIELDS = [
    pytest.param({"num_heads": 1}, marks=pytest.mark.backend_independent),
    {"num_heads": 16, "d_model": 32, "spread": 0.4, "norm": "pre", "position": "rotary", "attention_neighbours": 4},
]


class Unmasked(kt.Transformer):
    """Takes padding in the source for text."""

    def attention_weights(self, inputs: Any) -> Any:
        source, target_in = inputs
        return super().attention_weights((np.where(source == 0, 3, source), target_in))


def translate(model: Any, pieces: kt.Tokenizer, **search: Any) -> kt.Translator:
    return kt.Translator(model, pieces, max_length_offset=6, **search)


def decoded_step_by_step(model: Any, source: list[int], target: list[int]) -> dict[str, Any]:
    """The weights that decoding with the cache computes, caught on their way: "decoder" and "cross"."""
    caught: list[Any] = []
    softmax = kept.masked_softmax

    def watched(scores: Any, mask: Any) -> Any:
        weights = softmax(scores, mask)
        caught.append(ops.convert_to_numpy(weights))
        return weights

    source_ids = np.array([source], "int32")
    layers, length = model.config.num_decoder_layers, len(target)
    cache = model.init_cache(model.encode(source_ids), source_ids, 1, length)
    shape = (layers, model.config.num_heads, length)
    own, cross = np.zeros((*shape, length), "float32"), np.zeros((*shape, len(source)), "float32")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "masked_softmax", watched)
        for index, token in enumerate([model.config.bos_id, *target[:-1]]):
            caught.clear()
            _, cache = model.decode_step(np.array([[token]], "int32"), np.int32(index), cache)
            for layer in range(layers):
                slots = caught[2 * layer][0, :, 0]  # (h, L)
                for slot in range(slots.shape[1]):
                    position = index - (index - slot) % slots.shape[1]  # in a window's cache, a ring
                    if position >= 0:
                        own[layer, :, index, position] = slots[:, slot]
                cross[layer, :, index] = caught[2 * layer + 1][0, :, 0]
    return {"decoder": own, "cross": cross}


@pytest.mark.parametrize("fields", FIELDS, ids=lambda fields: "-".join(map(str, fields.values())))
def test_weights_of_the_translation_are_those_of_decoding_it_step_by_step(pieces: Any, fields: Any) -> None:
    model = lively(**fields)
    long = translate(model, pieces, length_penalty=2.0)
    record = record_attention(model, pieces, SENTENCE, translator=long)
    assert len(record.target_ids) > 4
    steps = decoded_step_by_step(model, list(record.source_ids), list(record.target_ids))
    for kind, weights in steps.items():
        assert record.weights[kind].dtype == np.float32
        assert weights.std() > 0.03
        np.testing.assert_allclose(record.weights[kind], weights, atol=1e-5, err_msg=kind)


@pytest.mark.backend_independent
def test_ids_are_the_searchs_own_not_those_of_its_text(pieces: Any) -> None:
    model = lively()
    translator = translate(model, pieces, beam_size=4)
    (best,) = translator.translate([SENTENCE])[0]
    record = record_attention(model, pieces, SENTENCE, translator=translator)
    assert record.target_ids == (*best.ids, 2)
    assert (record.translation, record.score, record.beam_size) == (best.text, best.score, 4)
    assert pieces.encode([best.text])[0] != list(best.ids)
    assert record.written_pieces == tuple(pieces.pieces(record.target_ids))
    assert record.read_pieces == ("<s>", *record.written_pieces[:-1])


def test_rows_sum_to_one_and_nothing_lies_on_padding(pieces: Any) -> None:
    record = record_attention(lively(), pieces, SENTENCE, "heute läuft ein Hund")
    source, target = len(record.source_pieces), len(record.written_pieces)
    shapes = {kind: weights.shape for kind, weights in record.weights.items()}
    assert shapes == {
        "encoder": (1, 4, source, source),
        "decoder": (2, 4, target, target),
        "cross": (2, 4, target, source),
    }
    for kind, weights in record.weights.items():
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-5)
        assert record.padding_mass[kind].shape == record.entropy[kind].shape == weights.shape[:2]
        assert np.abs(record.padding_mass[kind]).max() == 0.0
        exact = weights.astype("float64")
        bits = -(exact * np.log2(np.maximum(exact, 1e-300))).sum(-1).mean(-1)
        np.testing.assert_allclose(record.entropy[kind], bits, atol=1e-5)
    assert (record.score, record.beam_size) == (None, None)
    assert record.target_ids == (*pieces.encode(["heute läuft ein Hund"])[0], 2)


def test_attention_to_padding_is_measured(pieces: Any) -> None:
    record = record_attention(lively(Unmasked), pieces, SENTENCE, "heute läuft ein Hund")
    for kind in ("encoder", "cross"):
        assert record.padding_mass[kind].mean() > 0.02
        inside = record.weights[kind].sum(axis=-1).mean(axis=-1)
        np.testing.assert_allclose(inside + record.padding_mass[kind], 1.0, atol=1e-5)
    assert record.padding_mass["decoder"].max() == 0.0


def test_a_source_that_the_translator_cuts_is_cut_here_too(pieces: Any) -> None:
    model = lively()
    translator = translate(model, pieces, max_source_length=4, on_truncated=lambda cut: None)
    record = record_attention(model, pieces, f" {SENTENCE} ", translator=translator)
    assert record.source_ids == (*pieces.encode([SENTENCE])[0][:3], 2)


def test_padding_finds_room_where_there_is_any(pieces: Any) -> None:
    """A table of learned positions has none beyond its end."""
    model = lively(position="learned", max_positions=6, num_decoder_layers=1)
    for words in (2, 5):
        record = record_attention(model, pieces, "a " * words, "a")
        assert record.weights["encoder"].shape[-1] == words + 1
    with pytest.raises(kt.InputError, match="6"):
        record_attention(model, pieces, "a " * 6, "a")


def test_bad_input_gets_one_sentence(pieces: Any) -> None:
    model = lively()
    with pytest.raises(kt.InputError, match="no piece to attend to"):
        record_attention(model, pieces, "  ")
    with pytest.raises(kt.InputError, match="translation given is empty"):
        record_attention(model, pieces, SENTENCE, " ")
    with pytest.raises(kt.InputError, match="belongs to another model"):
        record_attention(model, pieces, SENTENCE, translator=kt.Translator(lively(), pieces))
