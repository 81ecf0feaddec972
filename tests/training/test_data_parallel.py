"""JAX: a batch split over two devices by keras.distribution trains as on one."""

import os
import subprocess
import sys

import keras
import pytest

STEPS = 3
PROGRAM = f"""
import keras, numpy as np
from keras_transformer.training.state import model_state
from tests.training.copy_task import copy_batches, small_model

def train():
    keras.utils.set_random_seed(3)
    model = small_model()
    logs = model.fit(copy_batches(), steps_per_epoch={STEPS}, shuffle=False, verbose=0).history
    return model, model_state(model) | {{name: np.float64(values[-1]) for name, values in logs.items()}}

_, one = train()
devices = keras.distribution.list_devices()
keras.distribution.set_distribution(keras.distribution.DataParallel(devices=devices, auto_shard_dataset=False))
model, two = train()
print(len(devices), len(model.trainable_variables[0].value.sharding.device_set))
differences = [float(np.abs(one[name] - two[name].astype("float64")).max()) for name in one]
print(len(one), one.keys() == two.keys(), max(differences))
"""


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="keras.distribution.DataParallel is tested on JAX")
def test_two_devices_train_as_one():
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    devices, result = done.stdout.splitlines()[-2:]
    assert devices == "2 2"
    count, same, difference = result.split()
    assert int(count) > 60
    assert same == "True"
    assert float(difference) < 1e-5
