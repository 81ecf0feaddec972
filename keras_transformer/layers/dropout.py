"""Dropout whose noise is another on every replica."""

import sys
from typing import Any

import keras

from keras_transformer.registration import register


@register
class Dropout(keras.layers.Dropout):
    """Zeroes a share of the values in training and scales up the rest (section 5.4).

    It is `keras.layers.Dropout` but for one thing: under `tf.distribute.MirroredStrategy` all replicas hold the same
    random state, so that one draws the same mask on each, and a batch would see a part of the noise repeated. Here
    every replica adds its number to the seed.

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

    def call(self, inputs: Any, training: bool = False) -> Any:
        """Drop in training, else return the input."""
        replica = _replica()
        if not training or self.rate == 0 or replica is None:
            return super().call(inputs, training=training)
        seeds = _ReplicaSeeds(self.seed_generator, replica)
        return keras.random.dropout(inputs, self.rate, noise_shape=self.noise_shape, seed=seeds)


class _ReplicaSeeds(keras.random.SeedGenerator):
    """The seeds of a generator that all replicas share, shifted by the number of this one."""

    def __init__(self, shared: keras.random.SeedGenerator, replica: Any) -> None:
        # The shared one owns the state; there is none to create.
        self.shared, self.replica = shared, replica

    def next(self, ordered: bool = True) -> Any:
        seed = self.shared.next(ordered)
        number = keras.ops.cast(self.replica, seed.dtype)
        return seed + keras.ops.stack([1_000_003 * number, keras.ops.zeros_like(number)])


def _replica() -> Any:
    """Number, a scalar tensor, of the TensorFlow replica that is running this; None outside of several."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or keras.backend.backend() != "tensorflow":
        return None
    context = tensorflow.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return None
    return context.replica_id_in_sync_group
