"""Training somebody's model for a few steps, and leaving no trace of it."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.training.loss import token_cross_entropy
from keras_transformer.training.state import restore_torch_random_state, torch_random_state

Ids = npt.NDArray[np.int32]

_GLOBAL = keras.src.backend.common.global_state


@contextmanager
def untouched(model: Any) -> Iterator[None]:
    """Put back a model's weights and every random state when the block ends, however it ends.

    Args:
        model: a Keras model, whose own optimizer is not part of it: nothing here uses that. Of anything else only
            the random states are put back.

    Yields:
        None.

    Example:
        >>> layer = keras.layers.Dense(1)
        >>> layer.build((None, 2))
        >>> before = layer.get_weights()
        >>> with untouched(layer):
        ...     layer.set_weights([2 * weights for weights in before])
        >>> bool((layer.get_weights()[0] == before[0]).all())
        True
    """
    generator = _global_seed()
    own = list(model.variables) if isinstance(model, keras.layers.Layer) else []
    variables = own if generator is None else [*own, generator.state]
    values = [np.array(ops.convert_to_numpy(variable)) for variable in variables]
    states = random.getstate(), np.random.get_state(), torch_random_state()  # noqa: NPY002 (a user's may depend on it)
    try:
        yield
    finally:
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
            if getattr(variable.value, "grad", None) is not None:
                variable.value.grad = None
        if generator is None:  # one that was made meanwhile had its seed from Python's random state
            _GLOBAL.set_global_attribute("global_seed_generator", None)
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        restore_torch_random_state(states[2])


def _global_seed() -> Any:
    """Keras's global generator, which is there only once it was used."""
    return _GLOBAL.get_global_attribute("global_seed_generator")


class Practice(keras.Model):
    """A model to train in the place of another: it shares the weights, and brings its own optimizer and loss.

    Dropout is off, so that the loss says what the model can do. It trains with Adam, gradients clipped, on the mean
    negative log-likelihood of the weighted tokens.

    Args:
        model: a built Keras model called with (source, target_in).
        learning_rate: of Adam.
    """

    def __init__(self, model: keras.layers.Layer, learning_rate: float) -> None:
        super().__init__(dtype=model.dtype_policy)
        self.model = model
        jit = keras.backend.backend() == "jax"
        self.built = True  # by its owner: Keras need not trace it once more to build it
        self.compile(keras.optimizers.Adam(learning_rate, 0.9, 0.98, 1e-9, clipnorm=1.0), jit_compile=jit)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """The other model's logits."""
        return self.model(inputs, training=False)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """Weighted mean of the tokens' negative log-likelihood, in nats."""
        losses = token_cross_entropy(y, y_pred)
        return ops.sum(losses * sample_weight) / ops.sum(sample_weight)

    def step(self, inputs: Sequence[Ids], targets: Ids, weights: npt.NDArray[np.float32], rate: float) -> float:
        """One update.

        Args:
            inputs: source (B, S) and target_in (B, T).
            targets: (B, T).
            weights: (B, T), 0 where there is nothing to learn.
            rate: of Adam, for this update.

        Returns:
            The loss before it.
        """
        self.optimizer.learning_rate = rate
        x, y, sample_weight = tuple(map(ops.convert_to_tensor, inputs)), *map(ops.convert_to_tensor, (targets, weights))
        return float(self.train_on_batch(x, y, sample_weight=sample_weight))

    def forget(self) -> None:
        """Set the optimizer back to its first step."""
        for variable in self.optimizer.variables:
            if variable is not self.optimizer._learning_rate:
                variable.assign(np.zeros(tuple(variable.shape), variable.dtype))
