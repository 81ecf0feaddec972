"""Our Adam against Keras's and against algorithm 1 in float64."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.training import TransformerSchedule, paper_adam

SCHEDULE = TransformerSchedule(d_model=16, warmup_steps=3)


def descend(optimizer, gradients, start, graph=False):
    variable = keras.Variable(start)
    optimizer.build([variable])

    def step(gradient):
        optimizer.apply([gradient], [variable])

    if graph:
        import tensorflow as tf

        step = tf.function(step)
    for gradient in gradients:
        step(ops.convert_to_tensor(gradient))
    return ops.convert_to_numpy(variable)


@pytest.mark.parametrize("graph", [False, pytest.param(True, marks=pytest.mark.tensorflow_backend)])
def test_ten_updates_are_those_of_the_algorithm(graph):
    random = np.random.default_rng(0)
    start = random.normal(size=(3, 4)).astype("float32")
    gradients = random.normal(size=(10, 3, 4)).astype("float32") * 10.0 ** random.integers(-6, 1, size=(10, 3, 4))
    gradients = gradients.astype("float32")
    expected, m, v = start.astype("float64"), 0.0, 0.0
    for step, gradient in enumerate(gradients.astype("float64"), 1):
        m, v = 0.9 * m + 0.1 * gradient, 0.98 * v + 0.02 * gradient**2
        rate = 16**-0.5 * min(step**-0.5, step * 3**-1.5)
        # The paper's source, and Keras, correct the bias of both moments in the rate.
        expected -= rate * np.sqrt(1 - 0.98**step) / (1 - 0.9**step) * m / (np.sqrt(v) + 1e-9)
    ours = descend(paper_adam(SCHEDULE), gradients, start, graph)
    np.testing.assert_allclose(ours, expected, atol=2e-6)
    keras_adam = keras.optimizers.Adam(SCHEDULE, beta_2=0.98, epsilon=1e-9)
    np.testing.assert_allclose(ours, descend(keras_adam, gradients, start), atol=2e-6)


def test_it_is_saved_by_its_own_name():
    optimizer = paper_adam(SCHEDULE)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(optimizer))
    assert type(again) is type(optimizer)
    assert again.beta_2 == 0.98
