"""The first batches of anybody's pipeline, as NumPy arrays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.subject import Ids, Subject
from keras_transformer.errors import InputError

MOST = 8
"""Batches that are looked at."""

EXPECTED = (
    "expected batches of ((source, target_in), target_out, weights) or ((source, target_in), target_out), "
    "a pair in each row"
)


@dataclass(frozen=True)
class TrainingBatch:
    """One batch.

    Args:
        source: ids (B, S).
        target_in: ids (B, T).
        target_out: ids (B, T).
        weights: (B, T), None if the pipeline gives none.
        pad_id: id of padding.
    """

    source: Ids
    target_in: Ids
    target_out: Ids
    weights: Floats | None
    pad_id: int

    @property
    def real(self) -> npt.NDArray[np.bool_]:
        """(B, T), True at target tokens."""
        return self.target_out != self.pad_id


def read_batches(subject: Subject) -> list[TrainingBatch]:
    """The first batches of `subject.batches`, read once.

    Args:
        subject: its batches are `TokenBatches`, a `tf.data.Dataset` or anything iterable.

    Returns:
        Batches, none if the subject has none.

    Raises:
        InputError: they are something else.

    Example:
        >>> ids = np.ones((2, 3), "int32")
        >>> subject = Subject(lambda source, target: np.zeros((*target.shape, 9)), batches=[((ids, ids), ids)])
        >>> read_batches(subject)[0].weights is None
        True
    """
    if subject.batches is None:
        return []
    kept: list[TrainingBatch] | None = subject.__dict__.get("_training_batches")
    if kept is None:
        iterate = getattr(subject.batches, "iterate", None)
        if iterate is None and not isinstance(subject.batches, Iterable):
            raise InputError(f"batches is {type(subject.batches).__name__}; {EXPECTED}.")
        batches = iterate(0, MOST) if iterate is not None else islice(iter(subject.batches), MOST)
        kept = [_read(batch, subject.pad_id) for batch in batches]
        subject.__dict__["_training_batches"] = kept  # an iterator gives its batches only once
    return kept


def _read(batch: Any, pad_id: int) -> TrainingBatch:
    if not isinstance(batch, tuple | list) or not 2 <= len(batch) <= 3:
        raise InputError(f"A batch is {type(batch).__name__} of another form; {EXPECTED}.")
    inputs, target_out, *weights = batch
    pair = tuple(inputs.values()) if isinstance(inputs, Mapping) else inputs
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"The inputs of a batch are {type(inputs).__name__}; {EXPECTED}.")
    source, target_in, targets = (to_numpy(ids).astype("int32") for ids in (*pair, target_out))
    if target_in.ndim != 2 or target_in.shape != targets.shape:
        raise InputError(
            f"target_in has shape {target_in.shape} and target_out {targets.shape}; expected (B, T) twice."
        )
    given = None if not weights or weights[0] is None else np.broadcast_to(_columns(weights[0]), targets.shape)
    return TrainingBatch(source, target_in, targets, given, pad_id)


def _columns(weights: Any) -> Floats:
    """Weights (B, T) as they are, weights of sentences (B,) as a column."""
    values = to_numpy(weights)
    return values[:, None] if values.ndim == 1 else values
