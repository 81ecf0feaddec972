"""NumPy batches as a `tf.data.Dataset`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from keras_transformer.text.buckets import Bucket

if TYPE_CHECKING:
    import tensorflow as tf

_PREFETCHED = 8


def as_dataset(
    batches: Callable[[], Iterator[Any]], steps: int | None, packed: Bucket | None = None
) -> "tf.data.Dataset":
    """A prefetched dataset of `((source, target_in), target_out, weights)`.

    Packed batches have source and target segments beside the ids, and their shape is known: what is compiled for it is
    compiled once.

    Args:
        batches: called anew for each iteration over the dataset; gives NumPy batches.
        steps: how many batches an iteration gives; None for no end.
        packed: the one shape of packed batches; None for batches that are not packed.

    Returns:
        The dataset, of known cardinality. Its tensors are int32, and float32 for the weights, of shape (None, None)
        or the one of packed batches.

    Example:
        >>> import numpy as np
        >>> ids = np.zeros((2, 3), "int32")
        >>> batch = ((ids, ids), ids, ids.astype("float32"))
        >>> len(as_dataset(lambda: iter([batch, batch]), steps=2))
        2
    """
    import tensorflow as tf

    rows, source_edge, target_edge = (packed.rows, *packed.edges) if packed else (None, None, None)
    source, target = tf.TensorSpec((rows, source_edge), tf.int32), tf.TensorSpec((rows, target_edge), tf.int32)
    inputs = (source, target, source, target) if packed else (source, target)
    weights = tf.TensorSpec((rows, target_edge), tf.float32)
    dataset = tf.data.Dataset.from_generator(batches, output_signature=(inputs, target, weights))
    cardinality = tf.data.INFINITE_CARDINALITY if steps is None else steps
    return dataset.apply(tf.data.experimental.assert_cardinality(cardinality)).prefetch(_PREFETCHED)
