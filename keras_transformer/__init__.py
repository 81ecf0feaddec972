"""The Transformer of "Attention Is All You Need" in Keras 3: two text files in, a servable translator out.

`import keras_transformer as kt` gives every public name. What Keras must know to load a saved model (layers,
models, schedule, loss, metrics) is imported at once; text, decoding, the trainer, evaluation and export when
first used.

Reference: Vaswani et al., "Attention Is All You Need", 2017, https://arxiv.org/abs/1706.03762
"""

import importlib
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from keras_transformer.processor import use_onednn

if TYPE_CHECKING:
    from keras_transformer.decoding import BeamSearch, Scorer, Translator
    from keras_transformer.diagnostics import AttentionMaps
    from keras_transformer.diagnostics.doctor import doctor
    from keras_transformer.diagnostics.paper import paper
    from keras_transformer.errors import InputError
    from keras_transformer.evaluation import evaluate_translations
    from keras_transformer.export import export_ctranslate2, export_saved_model
    from keras_transformer.layers import MultiHeadAttention
    from keras_transformer.models import Transformer, TransformerConfig
    from keras_transformer.processor import keep_freed_memory
    from keras_transformer.text import ParallelCorpus, TokenBatches, Tokenizer, TokenizerPair, datasets, token_batches
    from keras_transformer.training import (
        LabelSmoothedCrossEntropy,
        Perplexity,
        Run,
        RunConfig,
        TokenAccuracy,
        TransformerSchedule,
        paper_adam,
        resolve_config,
        train,
    )

__version__ = "0.1.0"

use_onednn()  # before anything imports TensorFlow

__all__ = [
    "AttentionMaps",
    "BeamSearch",
    "InputError",
    "LabelSmoothedCrossEntropy",
    "MultiHeadAttention",
    "ParallelCorpus",
    "Perplexity",
    "Run",
    "RunConfig",
    "Scorer",
    "TokenAccuracy",
    "TokenBatches",
    "Tokenizer",
    "TokenizerPair",
    "Transformer",
    "TransformerConfig",
    "TransformerSchedule",
    "Translator",
    "datasets",
    "doctor",
    "evaluate_translations",
    "export_ctranslate2",
    "export_saved_model",
    "keep_freed_memory",
    "paper",
    "paper_adam",
    "resolve_config",
    "token_batches",
    "train",
]

_HOMES = {
    "AttentionMaps": "diagnostics",
    "BeamSearch": "decoding",
    "InputError": "errors",
    "LabelSmoothedCrossEntropy": "training",
    "MultiHeadAttention": "layers",
    "ParallelCorpus": "text",
    "Perplexity": "training",
    "Run": "training",
    "RunConfig": "training",
    "Scorer": "decoding",
    "TokenAccuracy": "training",
    "TokenBatches": "text",
    "Tokenizer": "text",
    "TokenizerPair": "text",
    "Transformer": "models",
    "TransformerConfig": "models",
    "TransformerSchedule": "training",
    "Translator": "decoding",
    "datasets": "text",
    "doctor": "diagnostics.doctor",
    "evaluate_translations": "evaluation",
    "export_ctranslate2": "export",
    "export_saved_model": "export",
    "keep_freed_memory": "processor",
    "paper": "diagnostics.paper",
    "paper_adam": "training",
    "resolve_config": "training",
    "token_batches": "text",
    "train": "training",
}
_ROOMS = ("decoding", "diagnostics", "evaluation", "export", "layers", "models", "text", "training")
_REGISTERED = ("layers", "models", "training.schedule", "training.loss", "training.metrics")


def _register_classes() -> None:
    """Import every module whose classes a saved model may name."""
    for module in _REGISTERED:
        importlib.import_module(f"{__name__}.{module}")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    if name in _HOMES:
        _register_classes()
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported already or not."""
    return sorted({*globals(), *__all__, *_ROOMS})


# The installed command decides for itself when it needs a backend: its `--help` must not wait for one.
if not PurePath(*sys.argv[:1]).name.startswith("keras-transformer"):
    _register_classes()
