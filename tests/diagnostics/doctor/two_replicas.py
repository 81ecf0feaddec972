"""What the doctor says of dropout on two replicas, healthy and broken; run as a program by test_replicas.py."""

import json
import warnings

import keras
import tensorflow as tf

from keras_transformer.diagnostics.doctor import Subject
from keras_transformer.diagnostics.doctor.doctor import examine
from keras_transformer.layers import Dropout
from tests.diagnostics.doctor.faults import SMALL, Swapped


class Stock(Dropout):
    """Keras's own, which draws the same on every replica."""

    def call(self, inputs, training=False):
        return keras.layers.Dropout.call(self, inputs, training=training)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy, verdicts = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), {}
    for name, broken in (("healthy", None), ("stock", Stock)):
        with strategy.scope():
            model = type("Replicated", (Swapped,), {"dropout_class": broken})(**SMALL)
            model.compile(loss="mse")
        diagnosis = examine(Subject(model), ("replicas",))
        verdicts[name] = [(finding.check, finding.verdict, finding.fault) for finding in diagnosis.findings]
    print(json.dumps(verdicts))
