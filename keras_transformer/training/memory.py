"""The worst batch first: a run that does not fit into memory says so before it has worked."""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.training.config import RunConfig
from keras_transformer.training.state import model_state, restore_model_state


def run_largest_batch(model: keras.Model, batches: Any, config: RunConfig) -> None:
    """Make one update with the batch that needs most memory, and undo it.

    Weights, optimizer and random state are put back, so it leaves no trace; the training step it compiles is the one
    that `fit` goes on with.

    Args:
        model: compiled.
        batches: `TokenBatches`.
        config: the run.

    Raises:
        InputError: the device's memory does not hold it.
    """
    before = model_state(model)
    bucket = largest_bucket(batches.buckets, config)
    try:
        model.fit(_filled(bucket.rows, bucket.source_edge, bucket.target_edge), epochs=1, steps_per_epoch=1, verbose=0)
    except Exception as error:
        if not any(sign in str(error) for sign in ("RESOURCE_EXHAUSTED", "OOM", "out of memory", "ResourceExhausted")):
            raise
        raise InputError(
            f"The largest batch ({bucket.rows} pairs of {bucket.source_edge} and {bucket.target_edge} subwords) does "
            f"not fit into memory; lower training.tokens_per_batch ({config.training.tokens_per_batch}) or data.max_length."
        ) from error
    restore_model_state(model, before)


def largest_bucket(buckets: Iterable[Any], config: RunConfig) -> Any:
    """The bucket whose activations take most memory, by estimate."""
    model = config.transformer(config.tokenizer.vocab_size)
    depth = model.num_encoder_layers + model.num_decoder_layers

    def size(bucket: Any) -> float:
        source, target = bucket.source_edge, bucket.target_edge
        scores = model.num_heads * (source * source + target * target + source * target)
        vectors = (source + target) * (8 * model.d_model + 2 * model.d_ff)
        return float(bucket.rows * (depth * (scores + vectors) / 2 + 3 * target * model.vocab_size))

    return max(buckets, key=size)


def _filled(rows: int, source_length: int, target_length: int) -> Any:
    """One batch without padding, as a dataset of the same type as the one that `fit` will read.

    The type matters: TensorFlow compiles a training step for it, and must not for this batch alone.
    """
    import tensorflow as tf

    source = np.full((rows, source_length), 4, dtype="int32")
    target = np.full((rows, target_length), 4, dtype="int32")
    weights = np.full((rows, target_length), 1 / (rows * target_length), dtype="float32")
    ids = tf.TensorSpec((None, None), "int32")
    return tf.data.Dataset.from_generator(
        lambda: iter([((source, target), target, weights)]),
        output_signature=((ids, ids), ids, tf.TensorSpec((None, None), "float32")),
    )
