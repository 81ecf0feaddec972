"""What the written-out gradient of the loss saves over automatic differentiation, as a ratio of CPU time.

    KERAS_BACKEND=tensorflow python benchmarks/loss.py

One forward and backward pass of a projection to the vocabulary and the loss, the two ways in turn, the least of many.
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
from keras_transformer.training.loss import token_cross_entropy

EPS = 0.1


def differentiated(targets: Any, logits: Any) -> Any:
    """The same formula, its gradient left to the backend."""
    true_logit = ops.squeeze(ops.take_along_axis(logits, ops.expand_dims(targets, -1), axis=-1), -1)
    return ops.logsumexp(logits, axis=-1) - (1 - EPS) * true_logit - EPS * ops.mean(logits, axis=-1)


def written_out(targets: Any, logits: Any) -> Any:
    """The package's loss."""
    return token_cross_entropy(targets, logits, EPS)


def step(loss: Callable[[Any, Any], Any], x: np.ndarray, matrix: np.ndarray, targets: np.ndarray) -> Callable[[], Any]:
    """Value and gradients of the mean loss, compiled as `fit` would."""
    backend = keras.backend.backend()

    def value(x: Any, matrix: Any) -> Any:
        return ops.mean(loss(targets, ops.matmul(x, ops.transpose(matrix))))

    if backend == "tensorflow":
        import tensorflow as tf

        @tf.function
        def run(x: Any, matrix: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, matrix])
                result = value(x, matrix)
            return tape.gradient(result, [x, matrix])

        tensors = tf.constant(x), tf.constant(matrix)
        return lambda: [gradient.numpy() for gradient in run(*tensors)]
    if backend == "jax":
        import jax

        gradients = jax.jit(jax.grad(value, argnums=(0, 1)))
        return lambda: [np.asarray(gradient) for gradient in gradients(x, matrix)]
    import torch

    def run_torch() -> list[np.ndarray]:
        tensors = [torch.tensor(array, requires_grad=True) for array in (x, matrix)]
        value(*tensors).backward()
        return [tensor.grad.numpy() for tensor in tensors]

    return run_torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that all of it may take (900)")
    arguments = parser.parse_args()
    with end_after(arguments.patience, "comparing the two ways"):
        compare_ways(arguments)


def compare_ways(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    rng = np.random.default_rng(0)
    targets = rng.integers(0, arguments.vocab_size, (1, arguments.tokens)).astype("int32")
    x = rng.normal(size=(1, arguments.tokens, 64)).astype("float32") / 8
    matrix = rng.normal(size=(arguments.vocab_size, 64)).astype("float32")
    steps = [step(loss, x, matrix, targets) for loss in (differentiated, written_out)]
    first, second = (run() for run in steps)
    difference = max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))
    best = [float("inf")] * 2
    for _ in range(arguments.repeats):
        for place, run in enumerate(steps):
            started = time.process_time()
            run()
            best[place] = min(best[place], time.process_time() - started)
    backend = keras.backend.backend()
    print(f"{backend} {version(backend)}, {arguments.tokens} tokens, {arguments.vocab_size} ids")
    print(f"written-out gradient / automatic: {best[1] / best[0]:.2f} of CPU time; largest difference {difference:.1e}")


if __name__ == "__main__":
    main()
