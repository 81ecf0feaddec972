"""The pictures show every layer and head with the pieces along the axes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics import plot_attention, record_attention
from keras_transformer.diagnostics.attention_figures import attention_figure
from keras_transformer.diagnostics.attention_maps import shown_pieces
from tests.diagnostics.attention_cases import SENTENCE, lively, tokenizer

pytestmark = pytest.mark.backend_independent


def recorded(**fields: Any) -> Any:
    return record_attention(lively(**fields), tokenizer(), SENTENCE, "heute läuft ein $Hund$")


@pytest.fixture(scope="module")
def record() -> Any:
    return recorded()


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_every_panel_is_one_head(record: Any, kind: str) -> None:
    figure = attention_figure(record, kind)
    panels = [axes for axes in figure.axes if axes.get_title()]
    layers, heads = record.weights[kind].shape[:2]
    assert len(panels) == layers * heads
    for place, axes in enumerate(panels):
        layer, head = divmod(place, heads)
        bits = record.entropy[kind][layer, head]
        assert axes.get_title() == f"layer {layer + 1}, head {head + 1}: {bits:.2f} bits"
        np.testing.assert_array_equal(axes.get_images()[0].get_array(), record.weights[kind][layer, head])
        columns = [label.get_text() for label in axes.get_xticklabels()]
        assert columns == shown_pieces(record.columns(kind))
        rows = [label.get_text() for label in axes.get_yticklabels()]
        assert rows == (shown_pieces(record.rows(kind)) if head == 0 else [])


def test_sixteen_heads_take_two_rows_and_one_head_takes_one(tmp_path: Path) -> None:
    wide, single = recorded(num_heads=16), recorded(num_heads=1)
    spec = attention_figure(wide, "cross").axes[0].get_gridspec()
    assert (spec.nrows, spec.ncols) == (4, 8)
    spec = attention_figure(single, "cross").axes[0].get_gridspec()
    assert (spec.nrows, spec.ncols) == (2, 1)
    path = plot_attention(single, "encoder", tmp_path / "new" / "map.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_chosen_layers_alone(record: Any) -> None:
    titles = [axes.get_title() for axes in attention_figure(record, "cross", layers=[-1]).axes if axes.get_title()]
    assert [title.split(":")[0] for title in titles] == [f"layer 2, head {head}" for head in (1, 2, 3, 4)]


def test_bad_input_gets_one_sentence(record: Any, tmp_path: Path) -> None:
    with pytest.raises(kt.InputError, match="no attention of the kind 'self'; choose encoder, decoder, cross"):
        plot_attention(record, "self", tmp_path / "map.png")
    with pytest.raises(kt.InputError, match=r"no layer 2: there are 2"):
        plot_attention(record, "cross", tmp_path / "map.png", layers=[2])
    with pytest.raises(kt.InputError, match=r"use \.png"):
        plot_attention(record, "cross", tmp_path / "map.txt")
