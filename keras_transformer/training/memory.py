"""The worst batch first: a run that does not fit into memory says so before it has worked."""

from typing import Any

import keras

from keras_transformer.errors import InputError
from keras_transformer.training.config import RunConfig
from keras_transformer.training.state import model_state, restore_model_state

_SIGNS = ("RESOURCE_EXHAUSTED", "ResourceExhausted", "OOM when", "out of memory")


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
    from keras_transformer.text.tf_dataset import as_dataset

    before = model_state(model)
    batch = batches.largest()
    try:
        # The type must be that of the dataset that `fit` will read: TensorFlow compiles a training step for it.
        one = as_dataset(lambda: iter([batch]), 1, batches.packed_shape)
        model.fit(one, epochs=1, steps_per_epoch=1, shuffle=False, verbose=0)
    except Exception as error:
        if not any(sign in str(error) for sign in _SIGNS):
            raise
        (source, target_in, *_), *_ = batch
        raise InputError(
            f"The largest batch ({source.shape[0]} rows of {source.shape[1]} and {target_in.shape[1]} subwords) does "
            f"not fit into memory; lower training.tokens_per_batch ({config.training.tokens_per_batch}) or "
            "data.max_length."
        ) from error
    restore_model_state(model, before)
