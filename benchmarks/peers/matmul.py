"""How fast one framework multiplies large square matrices here: the rate that a trainer could reach at most."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.protocol import serve, versions

SMALLEST = 512
GROWTH = 8
"""How much longer a product of twice the size takes."""
REPEATS = 3
"""Products of a size that is not the last."""


def tensorflow_product(n: int, dtype: str) -> Callable[[], Any]:
    import tensorflow as tf

    a = tf.cast(tf.random.normal((n, n)), dtype)
    multiply = tf.function(lambda x: tf.matmul(x, x))
    return lambda: multiply(a)[0, 0].numpy()


def torch_product(n: int, dtype: str) -> Callable[[], Any]:
    import torch

    a = torch.randn(n, n).to(getattr(torch, dtype))
    return lambda: float((a @ a)[0, 0])


def jax_product(n: int, dtype: str) -> Callable[[], Any]:
    import jax

    a = jax.random.normal(jax.random.key(0), (n, n)).astype(dtype)
    multiply = jax.jit(lambda x: x @ x)
    return lambda: multiply(a).block_until_ready()


PRODUCTS = {"tensorflow": tensorflow_product, "torch": torch_product, "jax": jax_product}


def measure_product(make: Callable[[int], Callable[[], Any]], largest: int, seconds: float) -> dict[str, Any]:
    """The best rate of products of n x n matrices, n = 512, 1,024, ... while the next fits into the time.

    Where a framework multiplies a precision slowly, the largest size would take minutes; a product of twice the size
    takes eight times as long.

    Args:
        make: n -> a product, without arguments.
        largest: the largest n.
        seconds: to measure for.

    Returns:
        "rate", operations per second; "size", the n that it was reached with.
    """
    ends, n, best = time.perf_counter() + seconds, min(SMALLEST, largest), {"rate": 0.0, "size": 0}
    while True:
        product = make(n)
        took = time_call(product)  # compiles too, so it counts only where there is no time for another
        repeats = 0
        while (n >= largest or repeats < REPEATS) and time.perf_counter() + took <= ends:
            took, repeats = min(took, time_call(product)), repeats + 1
        best = max(best, {"rate": 2.0 * n**3 / took, "size": n}, key=lambda each: each["rate"])
        if n >= largest or time.perf_counter() + GROWTH * took > ends:
            return best
        n = min(2 * n, largest)


def time_call(work: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


class Products:
    """Operations per second, the best of several products."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.framework, self.largest = settings["framework"], settings["largest"]
        self.about = {"versions": versions(self.framework)}
        PRODUCTS[self.framework](2, "float32")()  # imports the framework, which is none of the seconds of a round

    def round(self, precisions: list[str], seconds: float) -> dict[str, Any]:
        """Each precision for so many seconds."""
        make = PRODUCTS[self.framework]
        makers = {kind: partial(make, dtype=kind) for kind in precisions}
        return {"rates": {kind: measure_product(maker, self.largest, seconds) for kind, maker in makers.items()}}


if __name__ == "__main__":
    serve(Products)
