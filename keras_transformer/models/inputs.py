"""What a Transformer is called with, and the masks and positions that follow from it."""

from typing import Any, NamedTuple

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers import causal_mask, padding_mask, segment_mask, segment_positions

Tensor = Any


class ModelInputs(NamedTuple):
    """Rows of one pair each or, with segments, of several pairs one after the other.

    Attributes:
        source: (B, S) ids.
        target_in: (B, T) ids.
        source_segments: (B, S), n at the tokens of the n-th pair of the row and 0 at padding; None: one pair a row.
        target_segments: (B, T), likewise.
    """

    source: Tensor
    target_in: Tensor
    source_segments: Tensor | None = None
    target_segments: Tensor | None = None

    def source_mask(self, pad_id: int) -> Tensor:
        """Which source positions a source position sees: boolean (B, 1, 1, S), or (B, 1, S, S) with segments."""
        if self.source_segments is None:
            return padding_mask(self.source, pad_id)
        return segment_mask(self.source_segments, self.source_segments)

    def target_mask(self) -> Tensor:
        """Which target positions a target position sees: boolean (1, 1, T, T), or (B, 1, T, T) with segments."""
        causal = causal_mask(ops.shape(self.target_in)[1])
        if self.target_segments is None:
            return causal
        return ops.logical_and(causal, segment_mask(self.target_segments, self.target_segments))

    def memory_mask(self, pad_id: int) -> Tensor:
        """Which source positions a target position sees: boolean (B, 1, 1, S), or (B, 1, T, S) with segments."""
        if self.source_segments is None:
            return padding_mask(self.source, pad_id)
        return segment_mask(self.target_segments, self.source_segments)

    def source_positions(self) -> Tensor | None:
        """(B, S) positions that start anew in each segment; None where they count up from 0."""
        return None if self.source_segments is None else segment_positions(self.source_segments)

    def target_positions(self) -> Tensor | None:
        """(B, T), likewise."""
        return None if self.target_segments is None else segment_positions(self.target_segments)


def check_inputs(inputs: Any, as_integers: bool = False) -> ModelInputs:
    """What was given, as tensors, if it is what a Transformer takes.

    Args:
        inputs: (source, target_in) or (source, target_in, source_segments, target_segments).
        as_integers: make integers of what may be floats.

    Returns:
        The tensors.

    Raises:
        InputError: something else was given.

    Example:
        >>> import numpy as np
        >>> check_inputs((np.array([[5, 2]]), np.array([[1, 7, 8]]))).target_in.shape == (1, 3)
        True
    """
    if not isinstance(inputs, (tuple, list)) or len(inputs) not in (2, 4):
        received = type(inputs).__name__ + (f" of {len(inputs)}" if isinstance(inputs, (tuple, list)) else "")
        raise InputError(
            "Transformer takes a pair (source, target_in) of id tensors (B, S) and (B, T), or with segments of the "
            f"same shapes (source, target_in, source_segments, target_segments); received {received}."
        )
    tensors = [ops.convert_to_tensor(ids) for ids in inputs]
    if as_integers:
        tensors = [ops.cast(ids, "int32") for ids in tensors]
    rows = ModelInputs(*tensors)
    for name, ids in zip(ModelInputs._fields, tensors, strict=False):
        if len(ids.shape) != 2 or "int" not in keras.backend.standardize_dtype(ids.dtype):
            raise InputError(
                f"Transformer takes integer ids of two axes, (batch, length); received {name} "
                f"of shape {tuple(ids.shape)} and dtype {keras.backend.standardize_dtype(ids.dtype)}."
            )
    for name, ids, segments in (("source", rows.source, rows.source_segments), ("target", *rows[1::2])):
        if segments is not None and any(
            None not in pair and pair[0] != pair[1] for pair in zip(ids.shape, segments.shape, strict=True)
        ):
            raise InputError(
                f"Transformer takes segments of the shape of their ids; received {name}_segments of shape "
                f"{tuple(segments.shape)} for ids of shape {tuple(ids.shape)}."
            )
    return rows
