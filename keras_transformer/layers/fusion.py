"""Small operations one after another as one compiled piece."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import keras

Tensor = Any


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled by XLA where it stands in a graph of TensorFlow, else as it is.

    TensorFlow runs each small operation by itself, reading and writing all of its tensors; XLA makes one pass over
    memory of a whole row of them. The large matrix products are better off outside, where oneDNN computes them. JAX
    compiles everything anyway; PyTorch runs its own kernels.

    Args:
        function: takes tensors only and returns tensors; all else it needs is bound to it (`functools.partial`). It
            reads no variables. Make it once and keep it: each one is compiled by itself, for each shape.

    Returns:
        A function of the same signature. Gradients flow through it.

    Example:
        >>> import numpy as np
        >>> double_sum = fused(lambda x: keras.ops.sum(2.0 * x))
        >>> float(double_sum(np.ones(3, "float32")))
        6.0
    """
    compiled: dict[Any, Any] = {}

    @functools.wraps(function)
    def run(*tensors: Tensor) -> Any:
        tensorflow = _tensorflow_graph()
        if tensorflow is None:
            return function(*tensors)
        inputs = [x if x is None else tensorflow.convert_to_tensor(x) for x in tensors]
        # TensorFlow traces for open shapes once it has seen two; number and size of the last axes must stay known.
        kind = tuple(None if x is None else (x.shape.rank, *x.shape[-1:]) for x in inputs)
        if kind not in compiled:
            compiled[kind] = tensorflow.function(function, jit_compile=True, autograph=False, reduce_retracing=True)
        return compiled[kind](*inputs)

    return run


def _tensorflow_graph() -> Any:
    """TensorFlow while it traces a graph for one device; None at all other times."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or keras.backend.backend() != "tensorflow" or tensorflow.executing_eagerly():
        return None
    return None if tensorflow.distribute.has_strategy() else tensorflow
