"""A model's whole state as named arrays: weights, random state, optimizer."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import keras
import numpy as np

from keras_transformer.errors import InputError

MODEL_PREFIX = "model/"
OPTIMIZER_PREFIX = "optimizer/"
RANDOM_PREFIX = "random/"

# Keras numbers unnamed layers by how many the process has made before, so "dense_3" here is "dense_41"
# elsewhere.
_AUTOMATIC_NUMBER = re.compile(r"_\d+(?=[_/]|$)")


def model_state(model: keras.Model, *, optimizer: bool = True) -> dict[str, np.ndarray]:
    """Copy everything that decides how training goes on.

    That is: all weights, the state of every seed generator (dropout), and with `optimizer` the optimizer's
    slots and its step count. The state of metrics is left out; it belongs to an epoch and decides nothing.

    A name is the variable's place in the model's own order and its path without the numbers that Keras adds
    to automatic names, such as `model/0003/transformer/dense/kernel`. It is therefore the same in every
    process that builds the same model, and unique.

    Args:
        model: a built model; compiled, if the optimizer is wanted.
        optimizer: whether to include what only training needs (no optimizer is added when the model has none).

    Returns:
        Arrays by name, copies in the dtype of the variable.

    Raises:
        InputError: the model is not built yet.

    Example:
        >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="dense")], name="net")
        >>> sorted(model_state(model, optimizer=False))
        ['model/0000/net/dense/kernel', 'model/0001/net/dense/bias']
    """
    state = {name: _copy(variable) for name, variable in _named_variables(model, optimizer).items()}
    return state | (torch_random_state() if optimizer else {})


def restore_model_state(model: keras.Model, arrays: Mapping[str, np.ndarray], *, optimizer: bool = True) -> None:
    """Put back what `model_state` took; nothing is changed unless everything fits.

    Args:
        model: a built model of the same configuration; compiled in the same way, if the optimizer is wanted.
        arrays: arrays by name; names outside `model/`, `optimizer/` and `random/` are ignored.
        optimizer: whether the optimizer and PyTorch's random state are restored too. False ignores their arrays, as
            for an average of checkpoints, which has none.

    Raises:
        InputError: the model is not built, or variables are missing, left over or of another shape; they are
            named.

    Example:
        >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        >>> state = model_state(model)
        >>> state["model/0001/sequential/dense/bias"][:] = 3.0
        >>> restore_model_state(model, state)
        >>> model_state(model)["model/0001/sequential/dense/bias"].tolist()
        [3.0]
    """
    prefixes = (MODEL_PREFIX, OPTIMIZER_PREFIX) if optimizer else (MODEL_PREFIX,)
    given = {name: array for name, array in arrays.items() if name.startswith(prefixes)}
    variables = _named_variables(model, optimizer)
    _check_fit(variables, given, getattr(model, "optimizer", None) is not None)
    for name, variable in variables.items():
        variable.assign(given[name])
    if optimizer:
        restore_torch_random_state(arrays)


def torch_random_state() -> dict[str, np.ndarray]:
    """PyTorch's own random generators, which Keras's dropout draws from there; nothing on other backends."""
    if keras.backend.backend() != "torch":
        return {}
    import torch

    states = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])]
    return {f"{RANDOM_PREFIX}torch/{place}": state.numpy().copy() for place, state in enumerate(states)}


def restore_torch_random_state(arrays: Mapping[str, np.ndarray]) -> None:
    """Put back as many devices' states as were saved and are here; a state of another backend has none."""
    if keras.backend.backend() != "torch" or f"{RANDOM_PREFIX}torch/0" not in arrays:
        return
    import torch

    torch.set_rng_state(torch.from_numpy(arrays[f"{RANDOM_PREFIX}torch/0"].copy()))
    for device in range(torch.cuda.device_count()):
        state = arrays.get(f"{RANDOM_PREFIX}torch/{device + 1}")
        if state is not None:
            torch.cuda.set_rng_state(torch.from_numpy(state.copy()), device)


def _named_variables(model: keras.Model, optimizer: bool) -> dict[str, keras.Variable]:
    """Variables by stable name, the optimizer built if it was not."""
    if not model.built:
        raise InputError(
            f"Model {model.name!r} has no variables yet; call it once on a batch before saving or restoring."
        )
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()  # on JAX the live values of a running fit are in a side table
    named = _number(MODEL_PREFIX, model.variables)
    chosen = getattr(model, "optimizer", None)
    if optimizer and chosen is not None:
        if not chosen.built:
            chosen.build(model.trainable_variables)
        named |= _number(OPTIMIZER_PREFIX, chosen.variables)
    return named


def _number(prefix: str, variables: Sequence[keras.Variable]) -> dict[str, keras.Variable]:
    return {
        f"{prefix}{place:04d}/{_AUTOMATIC_NUMBER.sub('', variable.path)}": variable
        for place, variable in enumerate(variables)
    }


def _copy(variable: Any) -> np.ndarray:
    # PyTorch hands bfloat16 out as float32; ml_dtypes, imported by Keras, gives NumPy the name.
    return np.array(keras.ops.convert_to_numpy(variable)).astype(np.dtype(variable.dtype), copy=False)


def _check_fit(variables: Mapping[str, keras.Variable], given: Mapping[str, np.ndarray], has_optimizer: bool) -> None:
    missing = [name for name in variables if name not in given]
    extra = [name for name in given if name not in variables]
    if extra and not has_optimizer and all(name.startswith(OPTIMIZER_PREFIX) for name in extra):
        raise InputError(
            f"The state holds {len(extra)} optimizer variables and the model has no optimizer; compile it "
            "first or pass optimizer=False."
        )
    shapes = [
        f"{name} is {given[name].shape}, the model's is {tuple(variable.shape)}"
        for name, variable in variables.items()
        if name in given and tuple(given[name].shape) != tuple(variable.shape)
    ]
    problems = [
        f"{label}: {_first(names)}"
        for label, names in (("missing", missing), ("not in the model", extra), ("other shape", shapes))
        if names
    ]
    if problems:
        raise InputError(
            f"The state does not fit the model ({'; '.join(problems)}); "
            "build the model with the configuration it was saved with."
        )


def _first(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
