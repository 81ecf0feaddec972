"""Training: the paper's schedule, loss and metrics, checkpoints, and the trainer behind the command."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keras_transformer.training.averaging import average_checkpoints
    from keras_transformer.training.checkpoints import (
        Checkpoint,
        latest_checkpoint,
        list_checkpoints,
        load_checkpoint,
        save_checkpoint,
    )
    from keras_transformer.training.config import RunConfig, resolve_config
    from keras_transformer.training.loss import LabelSmoothedCrossEntropy
    from keras_transformer.training.metrics import Perplexity, TokenAccuracy
    from keras_transformer.training.run import Run
    from keras_transformer.training.schedule import TransformerSchedule, paper_adam
    from keras_transformer.training.state import model_state, restore_model_state
    from keras_transformer.training.trainer import train

_HOMES = {
    "Checkpoint": "checkpoints",
    "LabelSmoothedCrossEntropy": "loss",
    "Perplexity": "metrics",
    "Run": "run",
    "RunConfig": "config",
    "TokenAccuracy": "metrics",
    "TransformerSchedule": "schedule",
    "average_checkpoints": "averaging",
    "latest_checkpoint": "checkpoints",
    "list_checkpoints": "checkpoints",
    "load_checkpoint": "checkpoints",
    "model_state": "state",
    "paper_adam": "schedule",
    "resolve_config": "config",
    "restore_model_state": "state",
    "save_checkpoint": "checkpoints",
    "train": "trainer",
}

__all__ = [
    "Checkpoint",
    "LabelSmoothedCrossEntropy",
    "Perplexity",
    "Run",
    "RunConfig",
    "TokenAccuracy",
    "TransformerSchedule",
    "average_checkpoints",
    "latest_checkpoint",
    "list_checkpoints",
    "load_checkpoint",
    "model_state",
    "paper_adam",
    "resolve_config",
    "restore_model_state",
    "save_checkpoint",
    "train",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import keras_transformer` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
