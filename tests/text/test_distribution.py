"""Batches under `tf.distribute`: each replica gets an equal share of the rows, and the shares make the batch."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
from keras_transformer.text.batching import TokenBatches
from keras_transformer.text.tokenizer import Tokenizer

random = np.random.default_rng(0)
pairs = [("a " * n, "ein " * m) for n, m in random.integers(1, 30, (300, 2)).tolist()]
tokenizer = Tokenizer.train([["a b ein"]], vocab_size=266)
batches = TokenBatches(pairs, tokenizer, 256, seed=1, row_multiple=2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
for dataset in (batches.dataset(2, 20), batches.dataset(2).take(20)):
    distributed = strategy.experimental_distribute_dataset(dataset)
    steps = 0
    for step, batch in enumerate(distributed, start=2):
        (source, target_in), target_out, weights = batches.batch(step)
        whole = [source, target_in, target_out, weights]
        parts = [strategy.experimental_local_results(value) for value in tf.nest.flatten(batch)]
        for array, shares in zip(whole, parts, strict=True):
            assert [len(share) for share in shares] == [len(array) // 2] * 2, (array.shape, len(shares))
            assert (np.concatenate([share.numpy() for share in shares]) == array).all()
        steps += 1
    assert steps == 20, steps
print("equal shares")
"""


@pytest.mark.backend_independent
def test_replicas_get_equal_shares_of_every_batch() -> None:
    """One strategy a process, and the devices must be split before TensorFlow starts: so in a process of its own."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "equal shares" in done.stdout, done.stderr[-3000:]
