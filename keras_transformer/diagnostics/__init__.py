"""Looking into a model, a run and a corpus: attention maps, training curves, gradients, what is wrong with text."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keras_transformer.diagnostics.attention_callback import AttentionMaps
    from keras_transformer.diagnostics.attention_figures import plot_attention
    from keras_transformer.diagnostics.attention_maps import cross_attention, plot_cross_attention
    from keras_transformer.diagnostics.attention_page import attention_html, write_attention_html
    from keras_transformer.diagnostics.attention_record import AttentionRecord, record_attention
    from keras_transformer.diagnostics.attention_table import head_table
    from keras_transformer.diagnostics.curves import plot_training, read_metrics
    from keras_transformer.diagnostics.doctor.corpus import examine_corpus
    from keras_transformer.diagnostics.gradients import value_and_gradients

__all__ = [
    "AttentionMaps",
    "AttentionRecord",
    "attention_html",
    "cross_attention",
    "examine_corpus",
    "head_table",
    "plot_attention",
    "plot_cross_attention",
    "plot_training",
    "read_metrics",
    "record_attention",
    "value_and_gradients",
    "write_attention_html",
]

_HOMES = {
    "AttentionMaps": "attention_callback",
    "AttentionRecord": "attention_record",
    "attention_html": "attention_page",
    "head_table": "attention_table",
    "cross_attention": "attention_maps",
    "examine_corpus": "doctor.corpus",
    "plot_attention": "attention_figures",
    "plot_cross_attention": "attention_maps",
    "plot_training": "curves",
    "read_metrics": "curves",
    "record_attention": "attention_record",
    "value_and_gradients": "gradients",
    "write_attention_html": "attention_page",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported already or not."""
    return sorted({*globals(), *__all__})
