"""The picture shows the weights that the model used for the translation, with the pieces beside them."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics import attention_maps, cross_attention, plot_cross_attention

SOURCE, TRANSLATION = "a dog runs today", "heute läuft ein Hund"


@pytest.fixture(scope="module")
def parts() -> tuple[kt.Transformer, kt.Tokenizer]:
    tokenizer = kt.Tokenizer.train([[SOURCE, TRANSLATION]], vocab_size=290)
    keras.utils.set_random_seed(5)
    model = kt.Transformer(
        vocab_size=290, d_model=16, d_ff=16, num_heads=4, num_encoder_layers=1, num_decoder_layers=2, dropout=0.5
    )
    for variable in model.trainable_variables:
        variable.assign(variable * 1.5)
    return model, tokenizer


def test_weights_are_those_of_the_position_that_predicts_the_piece(parts: Any) -> None:
    model, tokenizer = parts
    weights, rows, columns = cross_attention(model, tokenizer, SOURCE, TRANSLATION)
    source, target = tokenizer.encode([SOURCE, TRANSLATION])
    assert rows == [*tokenizer.pieces(target), "</s>"]
    assert columns == [*tokenizer.pieces(source), "</s>"]
    assert weights.shape == (4, len(rows), len(columns))
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-5)
    # A piece's row is what the model saw before it knew the piece: the other pieces make no difference.
    for count in (1, 3):
        prefix = tokenizer.decode([target[:count]])[0]
        begun, shorter, _ = cross_attention(model, tokenizer, SOURCE, prefix)
        assert shorter[:-1] == rows[:count]
        np.testing.assert_allclose(begun[:, : count + 1], weights[:, : count + 1], atol=1e-5)
    first, _, _ = cross_attention(model, tokenizer, SOURCE, TRANSLATION, layer=0)
    assert np.abs(first - weights).max() > 0.02
    same, _, _ = cross_attention(model, tokenizer, SOURCE, TRANSLATION, layer=1)
    np.testing.assert_array_equal(same, weights)


def test_the_picture_shows_these_weights(parts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, tokenizer = parts
    figures: list[Any] = []
    monkeypatch.setattr(attention_maps, "save", lambda figure, path: figures.append(figure))
    plot_cross_attention(model, tokenizer, SOURCE, TRANSLATION, tmp_path / "map.png")
    weights, rows, columns = cross_attention(model, tokenizer, SOURCE, TRANSLATION)
    (figure,) = figures
    shown = {axes.get_title(): axes for axes in figure.axes if axes.get_images()}
    axes = shown.pop("")
    np.testing.assert_allclose(axes.get_images()[0].get_array(), weights.mean(axis=0), atol=1e-6)
    assert list(shown) == ["head 1", "head 2", "head 3", "head 4"]
    for panel, head in zip(shown.values(), weights, strict=True):
        np.testing.assert_allclose(panel.get_images()[0].get_array(), head, atol=1e-6)
    assert [label.get_text() for label in axes.get_yticklabels()] == attention_maps.shown_pieces(rows)
    assert [label.get_text() for label in axes.get_xticklabels()] == attention_maps.shown_pieces(columns)
    framed = [(frame.get_x() + 0.5, frame.get_y() + 0.5) for frame in axes.patches]
    assert framed == [(column, row) for row, column in enumerate(weights.mean(axis=0).argmax(axis=1))]


@pytest.mark.backend_independent
def test_pieces_are_shown_for_people() -> None:
    shown = attention_maps.shown_pieces(["▁Hund", "e", "▁", "$x$", "...", "</s>"])
    assert shown == ["Hund", "·e", "␣", r"·\$x\$", "...", "</s>"]


def test_a_png_is_written_and_folders_are_made(parts: Any, tmp_path: Path) -> None:
    path = plot_cross_attention(*parts, SOURCE, "日本 $_$ läuft", tmp_path / "new" / "map.png")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("source", "translation", "name", "layer", "words"),
    [
        (" ", "Hund", "map.png", -1, "source sentence is empty"),
        ("dog", "", "map.png", -1, "translation is empty"),
        ("dog", "Hund", "map.png", 2, "no decoder layer 2: the model has 2"),
        ("dog", "Hund", "map.txt", -1, r"'\.txt'; use \.png"),
        ("dog", "Hund", "map", -1, r"use \.png"),
        ("dog", "Hund", "file/map.png", -1, "cannot be written"),
    ],
)
def test_bad_input_gets_one_sentence(
    parts: Any, tmp_path: Path, source: str, translation: str, name: str, layer: int, words: str
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(kt.InputError, match=words):
        plot_cross_attention(*parts, source, translation, tmp_path / name, layer=layer)
