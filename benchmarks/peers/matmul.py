"""How fast one framework multiplies large square matrices here: the rate that a trainer could reach at most."""

import time
from collections.abc import Callable
from typing import Any

from benchmarks.protocol import serve, versions


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


class Products:
    """Operations per second, the best of several products."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.framework, self.n = settings["framework"], settings["n"]
        self.about = {"versions": versions(self.framework)}

    def round(self, seconds: float) -> dict[str, Any]:
        rates = {}
        for dtype in ("float32", "bfloat16"):
            product, best, began = PRODUCTS[self.framework](self.n, dtype), float("inf"), time.perf_counter()
            product()
            while time.perf_counter() - began < seconds / 2:
                started = time.perf_counter()
                product()
                best = min(best, time.perf_counter() - started)
            if best == float("inf"):  # one product takes longer than the time there is
                best = time.perf_counter() - began
            rates[dtype] = 2.0 * self.n**3 / best
        return {"rates": rates}


if __name__ == "__main__":
    serve(Products)
