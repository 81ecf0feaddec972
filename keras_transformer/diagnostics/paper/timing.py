"""Seconds of a layer on this machine: compiled where the backend compiles, shortest of several runs."""

import os
import platform
import time
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

PATIENCE = 0.5
"""Seconds spent on one figure, beside one run to compile; at least three runs are made."""


def seconds(layer: Callable[[Any], Any], shape: tuple[int, ...]) -> float:
    """Time of one forward pass on random input.

    Args:
        layer: from one float32 tensor to another.
        shape: of the input.

    Returns:
        Seconds: the shortest run, which other programs disturbed least.

    Example:
        >>> 0 < seconds(lambda x: x + 1, (2, 3)) < 1
        True
    """
    inputs = ops.convert_to_tensor(np.random.default_rng(1).standard_normal(shape).astype("float32"))
    # The sum needs every output, and fetching one number waits for it without copying all.
    compiled = _compiled(lambda x: ops.sum(layer(x)), inputs)
    float(compiled(inputs))
    runs: list[float] = []
    while len(runs) < 3 or sum(runs) < PATIENCE:
        start = time.perf_counter()
        float(compiled(inputs))
        runs.append(time.perf_counter() - start)
    return min(runs)


def _compiled(function: Callable[[Any], Any], inputs: Any) -> Callable[[Any], Any]:
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        graph: Callable[[Any], Any] = tf.function(function).get_concrete_function(inputs)
        return graph
    if backend == "jax":
        import jax

        jitted: Callable[[Any], Any] = jax.jit(function)
        return jitted
    import torch

    def without_gradients(x: Any) -> Any:
        with torch.no_grad():
            return function(x)

    return without_gradients


def machine() -> str:
    """Processor, cores and software that a measured time belongs to.

    Example:
        >>> "keras" in machine()
        True
    """
    backend = keras.backend.backend()
    module = __import__(backend)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"keras {keras.__version__}, {backend} {module.__version__}, Python {platform.python_version()}"
    return f"{_processor()}, {cores} cores, {versions}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
