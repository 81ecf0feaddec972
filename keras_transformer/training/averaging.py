"""The average of checkpoints, as the paper's models are made (section 6.1)."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import Checkpoint, load_checkpoint
from keras_transformer.training.state import MODEL_PREFIX


def average_checkpoints(paths: Sequence[str | os.PathLike[str]]) -> dict[str, np.ndarray]:
    """Average the weights of several checkpoints of one run.

    Float weights are averaged in float64 and rounded once, back to their own dtype. Integers and seed states
    cannot be averaged and are the newest member's; the optimizer is left out, as no training goes on from an
    average.

    Args:
        paths: checkpoint directories in any order; the paper takes the last 5 (base) or 20 (big).

    Returns:
        Arrays for `restore_model_state(model, arrays, optimizer=False)`.

    Raises:
        InputError: no path is given, a checkpoint is damaged, two have the same step, or their variables
            differ.

    Example:
        >>> import tempfile
        >>> from keras_transformer.training.checkpoints import save_checkpoint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     states = {1: {"model/w": np.float32([1])}, 2: {"model/w": np.float32([2])}}
        ...     paths = [save_checkpoint(folder, step, state, {}) for step, state in states.items()]
        ...     average_checkpoints(paths)["model/w"].tolist()
        [1.5]

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 6.1.
    """
    if not paths:
        raise InputError("No checkpoint was given to average; give at least one directory like step-00001000.")
    newest: Checkpoint | None = None
    sums: dict[str, np.ndarray] = {}
    members: dict[int, str] = {}
    for path in paths:
        member = load_checkpoint(path)  # one at a time: the big model's twenty would not fit into memory
        if member.step in members:
            raise InputError(
                f"{members[member.step]} and {path} are both of step {member.step}; an average needs distinct steps."
            )
        members[member.step] = str(path)
        weights = _weights(member)
        if newest is not None:
            _check_same(newest, weights, member)
        for name, array in weights.items():
            if _is_float(array):
                sums[name] = array.astype(np.float64) + sums.get(name, 0.0)
        if newest is None or member.step > newest.step:
            newest = member
    assert newest is not None
    return {
        name: (sums[name] / len(members)).astype(array.dtype) if name in sums else array
        for name, array in _weights(newest).items()
    }


def _weights(checkpoint: Checkpoint) -> dict[str, np.ndarray]:
    weights = {name: array for name, array in checkpoint.arrays.items() if name.startswith(MODEL_PREFIX)}
    if not weights:
        raise InputError(f"Checkpoint {checkpoint.path} holds no model weights; expected names in {MODEL_PREFIX}.")
    return weights


def _is_float(array: np.ndarray) -> bool:
    # The kind of bfloat16 is "V" or "f", depending on the release of ml_dtypes.
    return array.dtype.kind == "f" or "float" in array.dtype.name


def _check_same(first: Checkpoint, weights: Mapping[str, np.ndarray], member: Checkpoint) -> None:
    def signature(arrays: Mapping[str, np.ndarray]) -> dict[str, tuple[tuple[int, ...], str]]:
        return {name: (array.shape, array.dtype.name) for name, array in arrays.items()}

    expected, found = signature(_weights(first)), signature(weights)
    if expected == found:
        return
    name = next(name for name in [*expected, *found] if expected.get(name) != found.get(name))
    there, here = expected.get(name, "missing"), found.get(name, "missing")
    raise InputError(
        f"{first.path} and {member.path} are not of the same model: {name} is {there} in the first "
        f"and {here} in the second; average checkpoints of one run."
    )
