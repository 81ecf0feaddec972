"""Dropout by a counter and a hash: noise that costs next to nothing."""

import functools
import operator
import sys
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.layers.fusion import fused
from keras_transformer.registration import register

Tensor = Any


@register
class Dropout(keras.layers.Dropout):
    """Zeroes a share of the values in training and scales up the rest (section 5.4).

    On TensorFlow and JAX the noise is a hash of each value's number and two words of the layer's seed generator: a
    dozen integer operations that a compiler folds into the pass that applies them, where the backends' generators
    take a good part of a training step. On PyTorch it is PyTorch's own.

    Under `tf.distribute.MirroredStrategy` all replicas hold the same random state; there every replica adds its number
    to the seed, so that no two see the same noise.

    Args:
        rate: share of values dropped, in [0, 1].
        **options: as for `keras.layers.Dropout`.

    Returns:
        When called: values of the input's shape and dtype.

    Example:
        >>> import numpy as np
        >>> kept = keras.ops.convert_to_numpy(Dropout(0.5, seed=1)(np.ones((1, 100), "float32"), training=True))
        >>> sorted(set(kept.ravel().tolist()))
        [0.0, 2.0]

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 5.4.
    """

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        """Drop in training, else return the input."""
        if not training or not self.rate:
            return inputs
        if keras.backend.backend() == "torch" and (self.seed is not None or self.noise_shape is not None):
            return super().call(inputs, training=training)  # with a generator of its own
        noise_shape = None if self.noise_shape is None else tuple(self.noise_shape)
        return _drop(self.rate, noise_shape)(inputs, self.next_seed())

    def next_seed(self) -> Tensor | None:
        """What `drop` takes for one call: two numbers that no other call gets, (2,); None on PyTorch and at rate 0."""
        if not self.rate or keras.backend.backend() == "torch":
            return None
        seed, replica = self.seed_generator.next(), _replica()
        if replica is None:
            return seed
        number = ops.cast(replica, seed.dtype)
        return seed + ops.stack([1_000_003 * number, ops.zeros_like(number)])


@functools.cache
def _drop(rate: float, noise_shape: tuple[int | None, ...] | None) -> Any:
    """`drop`, compiled; one for all layers of the same rate."""
    return fused(functools.partial(drop, rate=rate, noise_shape=noise_shape))


def drop(inputs: Tensor, seed: Tensor | None, rate: float, noise_shape: tuple[int | None, ...] | None = None) -> Tensor:
    """Values kept with probability 1 - rate and then divided by it, the others 0.

    Args:
        inputs: any shape, any float dtype.
        seed: (2,) integers, of which the low 32 bits count; None, on PyTorch, draws from its own state.
        rate: in [0, 1].
        noise_shape: of the noise, where it is to be stretched over an axis: 1 there, None for the axis as it is.

    Returns:
        The same shape and dtype; with a seed, a pure function of the arguments.
    """
    if not rate:
        return inputs
    if rate >= 1.0:
        return ops.zeros_like(inputs)
    if seed is None:
        torch = sys.modules["torch"]  # whose own dropout takes longer
        return torch.where(torch.rand(inputs.shape, device=inputs.device) >= rate, inputs * (1.0 / (1.0 - rate)), 0.0)
    shape = ops.shape(inputs)
    if noise_shape is not None:
        shape = tuple(size if own is None else own for own, size in zip(noise_shape, shape, strict=True))
    keep = noise(shape, seed) >= _word(min(round(rate * 2**32), 2**32 - 1))
    return ops.where(keep, inputs * (1.0 / (1.0 - rate)), ops.zeros_like(inputs))


def noise(shape: Any, seed: Tensor) -> Tensor:
    """Uniform 32-bit words: a hash of each value's number, keyed at its start and in its middle by hashes of the seed.

    Args:
        shape: of the result; words repeat after 2^32 values.
        seed: (2,) integers, of which the low 32 bits count.

    Returns:
        uint32 of that shape.
    """
    seed = ops.cast(seed, "uint32")
    first = _mixed(_mixed(ops.add(seed[0], _word(0x9E3779B9))))
    second = _mixed(_mixed(ops.add(seed[1], first)))
    size = functools.reduce(operator.mul, shape, 1)
    words = ops.bitwise_xor(ops.cast(ops.arange(size, dtype="int32"), "uint32"), first)
    return ops.reshape(_mixed(ops.add(_mixed(words), second)), shape)


def _mixed(words: Tensor) -> Tensor:
    """A permutation of the 32-bit words in which each bit of the outcome hangs on every bit."""
    words = ops.multiply(_folded(words, 16), _word(0x7FEB352D))
    words = ops.multiply(_folded(words, 15), _word(0x846CA68B))
    return _folded(words, 16)


def _folded(words: Tensor, bits: int) -> Tensor:
    return ops.bitwise_xor(words, ops.bitwise_right_shift(words, _word(bits)))


def _word(value: int) -> Tensor:
    return ops.convert_to_tensor(np.uint32(value))


def _replica() -> Any:
    """Number, a scalar tensor, of the TensorFlow replica that is running this; None outside of several."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or keras.backend.backend() != "tensorflow":
        return None
    context = tensorflow.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return None
    return context.replica_id_in_sync_group
