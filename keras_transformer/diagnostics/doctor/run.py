"""The examination of a run: its model, its recipe, and the batches it is trained on."""

from pathlib import Path
from typing import Any

from keras_transformer.diagnostics.doctor.doctor import Progress, doctor
from keras_transformer.diagnostics.doctor.findings import Diagnosis
from keras_transformer.errors import InputError

PAIRS = 2000
"""Training pairs that batches are made of: the first ones, enough for the few batches that are looked at."""


def examine_run(
    run: Any, which: str | Path = "best", *, train: bool = True, progress: Progress | None = None
) -> Diagnosis:
    """Examine what `train` left: weights, loss, learning rates, and batches as the trainer makes them.

    Args:
        run: a `Run`.
        which: "best", "average", "last", or the path of a model file or checkpoint.
        train: whether to make the checks that train a copy.
        progress: as for `doctor`.

    Returns:
        The diagnosis. The checks of batches are skipped if the training pairs are not there any more.

    Raises:
        InputError: there is no such model.
    """
    from keras_transformer.training import LabelSmoothedCrossEntropy

    loss = LabelSmoothedCrossEntropy(run.config.training.label_smoothing)
    return doctor(run.model(which), batches=_batches(run), loss=loss, recipe=run.config, train=train, progress=progress)


def _batches(run: Any) -> Any:
    """Batches of the first training pairs; None where they are gone, or were in memory only."""
    from keras_transformer.text import TokenBatches
    from keras_transformer.training.prepare import load_corpora

    config = run.config
    try:
        pairs = load_corpora(config)[0][:PAIRS]
    except (InputError, OSError):
        return None
    training = config.training
    return TokenBatches(
        pairs, run.tokenizer, training.tokens_per_batch, seed=training.seed, max_length=config.data.max_length
    )
