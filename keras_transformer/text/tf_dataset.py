"""NumPy batches as a `tf.data.Dataset`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tensorflow as tf

_PREFETCHED = 8


def as_dataset(batches: Callable[[], Iterator[Any]], steps: int | None) -> "tf.data.Dataset":
    """A prefetched dataset of `((source, target_in), target_out, weights)`.

    Args:
        batches: called anew for each iteration over the dataset; gives NumPy batches.
        steps: how many batches an iteration gives; None for no end.

    Returns:
        The dataset, of known cardinality. Its tensors have shape (None, None): int32, and float32 for the weights.

    Example:
        >>> import numpy as np
        >>> ids = np.zeros((2, 3), "int32")
        >>> batch = ((ids, ids), ids, ids.astype("float32"))
        >>> len(as_dataset(lambda: iter([batch, batch]), steps=2))
        2
    """
    import tensorflow as tf

    ids = tf.TensorSpec((None, None), tf.int32)
    weights = tf.TensorSpec((None, None), tf.float32)
    dataset = tf.data.Dataset.from_generator(batches, output_signature=((ids, ids), ids, weights))
    cardinality = tf.data.INFINITE_CARDINALITY if steps is None else steps
    return dataset.apply(tf.data.experimental.assert_cardinality(cardinality)).prefetch(_PREFETCHED)
