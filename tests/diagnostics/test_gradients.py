"""Gradients equal what differences say, for variables and for arrays, on every backend."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.diagnostics.gradients import value_and_gradients
from keras_transformer.errors import InputError
from keras_transformer.layers import TokenEmbedding


def test_gradients_of_variables_and_arrays_at_once() -> None:
    weight = keras.Variable(np.array([1.0, -2.0], "float32"))
    unused = keras.Variable(np.ones((2, 3), "float32"))
    x = np.array([3.0, 5.0], "float32")
    value, (of_weight, of_x, of_unused) = value_and_gradients(lambda x: ops.sum(weight * x * x), [weight, x, unused])
    assert value == pytest.approx(9.0 - 50.0)
    np.testing.assert_allclose(of_weight, x * x)
    np.testing.assert_allclose(of_x, [6.0, -20.0])
    np.testing.assert_array_equal(of_unused, np.zeros((2, 3)))


def test_gradients_of_layers_equal_differences() -> None:
    """A lookup and a product with one matrix, a layer between them: for the lookup TensorFlow has sparse gradients."""
    keras.utils.set_random_seed(1)
    embedding, dense = TokenEmbedding(11, 8), keras.layers.Dense(8, activation="gelu")
    embedding.build((None, None))
    dense.build((None, None, 8))
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(1, 3, 11)).astype("float32")

    def loss() -> object:
        logits = embedding.logits(dense(embedding(np.array([[4, 5, 4]]))))
        return ops.sum(ops.multiply(ops.tanh(logits), weights))

    variables = [*embedding.trainable_variables, *dense.trainable_variables]
    value, gradients = value_and_gradients(loss, variables)
    assert value == pytest.approx(float(ops.convert_to_numpy(loss())), rel=1e-5)
    step = 1e-3
    direction = [rng.normal(size=variable.shape).astype("float32") for variable in variables]
    values = [ops.convert_to_numpy(variable).copy() for variable in variables]
    ends = []
    for sign in (1, -1):
        for variable, start, way in zip(variables, values, direction, strict=True):
            variable.assign(start + sign * step * way)
        ends.append(float(ops.convert_to_numpy(loss())))
    slope = sum(float((g * d).sum()) for g, d in zip(gradients, direction, strict=True))
    assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=0.01)


def test_a_function_must_give_one_number() -> None:
    with pytest.raises(InputError, match="one number"):
        value_and_gradients(lambda x: x * x, [np.ones(3, "float32")])
