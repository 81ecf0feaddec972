"""Layers that are computed twice rather than kept: time for memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import keras

Tensor = Any


def rematerialised(layer: keras.layers.Layer, *tensors: Tensor, **options: Any) -> Any:
    """`layer(*tensors, **options)`, with nothing kept for the gradients but the tensors: they compute it once more.

    Dropout must drop the same values both times. On TensorFlow and JAX its seeds are drawn here, once, and handed to
    both; PyTorch puts its random state back.

    Args:
        layer: built; gradients flow to its weights.
        tensors: float inputs that gradients flow to.
        options: everything else: masks, training.

    Returns:
        What the layer returns.

    Example:
        >>> import numpy as np
        >>> layer = keras.layers.Dense(3)
        >>> layer.build((None, 2))
        >>> rematerialised(layer, np.ones((1, 2), "float32")).shape == (1, 3)
        True

    Reference:
        Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", https://arxiv.org/abs/1604.06174.
    """
    generators = _generators(layer)
    seeds = [generator.next() for generator in generators]

    def run(*tensors: Tensor) -> Any:
        with _drawn(generators, seeds):
            return layer(*tensors, **options)

    return keras.remat(run)(*(keras.ops.convert_to_tensor(tensor) for tensor in tensors))


def _generators(layer: keras.layers.Layer) -> list[keras.random.SeedGenerator]:
    """Of all dropout in the layer that draws from a generator of its own."""
    parts = [part for part in layer._flatten_layers() if isinstance(part, keras.layers.Dropout) and part.rate > 0]
    generators = [part.seed_generator for part in parts]
    if keras.backend.backend() != "torch":
        return generators
    # Without a seed of its own, dropout draws from PyTorch's state there.
    return [generator for generator in generators if generator.get_config()["seed"] is not None]


@contextmanager
def _drawn(generators: Sequence[keras.random.SeedGenerator], seeds: Sequence[Tensor]) -> Iterator[None]:
    """While it lasts, each generator gives the seed that was drawn from it, and changes nothing."""
    for generator, seed in zip(generators, seeds, strict=True):
        generator.next = _once(seed)
    try:
        yield
    finally:
        for generator in generators:
            del generator.next


def _once(seed: Tensor) -> Any:
    given: list[Tensor] = []

    def next_seed(ordered: bool = True) -> Tensor:
        if given:
            raise RuntimeError("a dropout layer was called twice in one rematerialised call; it has one seed for it")
        given.append(seed)
        return seed

    return next_seed
