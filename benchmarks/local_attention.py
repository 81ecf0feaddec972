"""Time of self-attention against the length n: restricted to r neighbours in blocks, and in full.

    KERAS_BACKEND=tensorflow python benchmarks/local_attention.py

Forward and backward through one layer's attention (no projections), compiled, the two kinds in turn at each length, the
least of several. The slope is that of log time against log n: 1 is linear, 2 quadratic.
"""

import argparse
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import keras_transformer  # noqa: F401 - before keras, as a user has it: it sets what TensorFlow then reads

# isort: split
import keras
import numpy as np
from keras import ops

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.limits import PATIENCE, end_after
from keras_transformer.layers import local_attention, scaled_dot_product_attention

LENGTHS = (512, 1024, 2048, 4096, 8192)


def compiled(attend: Callable[..., Any], arrays: list[np.ndarray]) -> Callable[[], Any]:
    """Value and gradients of the sum of squares of an attention's output, compiled where the backend compiles."""
    backend = keras.backend.backend()

    def value(*tensors: Any) -> Any:
        return ops.sum(ops.square(attend(*tensors)))

    if backend == "tensorflow":
        import tensorflow as tf

        @tf.function
        def run(*tensors: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                result = value(*tensors)
            return tape.gradient(result, tensors)

        inputs = [tf.constant(array) for array in arrays]
        return lambda: [gradient.numpy() for gradient in run(*inputs)]
    if backend == "jax":
        import jax

        gradients = jax.jit(jax.grad(value, argnums=(0, 1, 2)))
        return lambda: [np.asarray(gradient) for gradient in gradients(*arrays)]
    import torch

    def run_torch() -> list[np.ndarray]:
        tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
        value(*tensors).backward()
        return [tensor.grad.numpy() for tensor in tensors]

    return run_torch


def slope(lengths: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(lengths), np.log(seconds), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neighbours", type=int, default=64, help="r, half of them on each side")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that all of it may take (900)")
    options = parser.parse_args()
    with end_after(options.patience, "measuring all lengths"):
        measure_lengths(options)


def measure_lengths(options: argparse.Namespace) -> None:
    """Measure and print."""
    window = (options.neighbours // 2, options.neighbours // 2)
    kinds = {
        "local": lambda q, k, v: local_attention(q, k, v, window),
        "full": scaled_dot_product_attention,
    }
    backend = keras.backend.backend()
    print(f"{backend} {version(backend)}, r = {options.neighbours}, {options.heads} heads of 64, one sequence of n")
    print(f"{'n':>6} {'local, ms':>10} {'full, ms':>10} {'full / local':>13}")
    best: dict[str, list[float]] = {kind: [] for kind in kinds}
    for length in LENGTHS:
        rng = np.random.default_rng(0)
        arrays = [rng.normal(size=(1, length, options.heads, 64)).astype("float32") for _ in range(3)]
        runs = {kind: compiled(attend, arrays) for kind, attend in kinds.items()}
        for run in runs.values():
            run()  # compile
        for kind in kinds:
            best[kind].append(float("inf"))
        for _ in range(options.repeats):
            for kind, run in runs.items():
                started = time.perf_counter()
                run()
                best[kind][-1] = min(best[kind][-1], time.perf_counter() - started)
        local, full = (1000 * best[kind][-1] for kind in kinds)
        print(f"{length:>6} {local:>10.2f} {full:>10.2f} {full / local:>13.1f}", flush=True)
    for kind in kinds:
        print(f"slope of log time against log n, {kind}: {slope(list(LENGTHS), best[kind]):.2f}")


if __name__ == "__main__":
    main()
