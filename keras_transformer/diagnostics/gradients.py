"""Gradients on whichever backend Keras runs on, for checks that must look at them."""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.errors import InputError

Tensor = Any


def value_and_gradients(
    function: Callable[..., Tensor], at: Sequence[Any]
) -> tuple[float, list[npt.NDArray[np.float32]]]:
    """A scalar function's value and its gradient with respect to variables, arrays, or both.

    Args:
        function: returns a scalar tensor. It is called with the arrays of `at`, in their order, as tensors; the
            variables of `at` it uses where they stand, in a model that it calls.
        at: where to differentiate: Keras variables, and floating-point arrays or tensors.

    Returns:
        The value, and one float32 array for each member of `at`, of its shape; zeros where the function does not
        depend on it.

    Raises:
        InputError: the function's result is not a scalar.

    Example:
        >>> value, (slope,) = value_and_gradients(lambda x: ops.sum(x * x), [np.array([1.0, 3.0], "float32")])
        >>> value, slope.tolist()
        (10.0, [2.0, 6.0])
    """
    places = [place if isinstance(place, keras.Variable) else ops.convert_to_tensor(place) for place in at]
    value, gradients = _BACKENDS[keras.backend.backend()](function, places)
    if len(value.shape):
        raise InputError(f"A gradient needs a function with one number as its result; received shape {value.shape}.")
    return float(value), [
        np.zeros(tuple(place.shape), "float32") if gradient is None else _array(gradient)
        for place, gradient in zip(places, gradients, strict=True)
    ]


def _array(gradient: Tensor) -> npt.NDArray[np.float32]:
    return np.array(ops.convert_to_numpy(ops.cast(gradient, "float32")), "float32")


def _arguments(places: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """The values that belong to arrays, which the function takes as arguments."""
    return [value for place, value in zip(places, values, strict=True) if not isinstance(place, keras.Variable)]


def _with_tensorflow(function: Callable[..., Tensor], places: list[Any]) -> tuple[Tensor, list[Any]]:
    import tensorflow as tf

    values = [place.value if isinstance(place, keras.Variable) else place for place in places]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(values)
        value = tf.convert_to_tensor(function(*_arguments(places, values)))
    if len(value.shape):
        return value, []
    gradients = tape.gradient(value, values)
    # The gradient of a lookup names the rows that were looked up; make it as large as the matrix.
    return value, [None if gradient is None else tf.convert_to_tensor(gradient) for gradient in gradients]


def _with_jax(function: Callable[..., Tensor], places: list[Any]) -> tuple[Tensor, list[Any]]:
    import jax

    values = [place.value if isinstance(place, keras.Variable) else place for place in places]

    def stateless(values: list[Any]) -> tuple[Tensor, Tensor]:
        mapping = [
            (place, value) for place, value in zip(places, values, strict=True) if isinstance(place, keras.Variable)
        ]
        with keras.StatelessScope(state_mapping=mapping):
            value = ops.convert_to_tensor(function(*_arguments(places, values)))
        return ops.sum(value), value  # the sum is for the case of no scalar, refused by the caller

    both = jax.value_and_grad(stateless, has_aux=True)
    try:
        (_, value), gradients = jax.jit(both)(values)  # compiling it whole is faster than operation by operation
    except Exception:  # what looks at numbers cannot be compiled; another error comes again
        (_, value), gradients = both(values)
    return value, gradients


def _with_torch(function: Callable[..., Tensor], places: list[Any]) -> tuple[Tensor, list[Any]]:
    import torch

    values = [
        place.value if isinstance(place, keras.Variable) else place.detach().clone().requires_grad_()
        for place in places
    ]
    with torch.enable_grad():
        value = ops.convert_to_tensor(function(*_arguments(places, values)))
    if len(value.shape):
        return value, []
    # A variable that is not trainable takes no gradient: as much as not depending on it.
    wanted = [number for number, each in enumerate(values) if each.requires_grad]
    found = torch.autograd.grad(value, [values[number] for number in wanted], allow_unused=True)
    gradients: list[Any] = [None] * len(values)
    for number, gradient in zip(wanted, found, strict=True):
        gradients[number] = gradient
    return value.detach(), gradients


_BACKENDS = {"tensorflow": _with_tensorflow, "jax": _with_jax, "torch": _with_torch}
