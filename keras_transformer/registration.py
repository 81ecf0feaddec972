"""One way to make a class known to `keras.saving`."""

from typing import TypeVar

import keras

T = TypeVar("T")


def register(cls: T) -> T:
    """Register `cls` under the package name `keras_transformer`, so that saved models find it.

    Args:
        cls: a Keras layer, model, loss, metric or schedule with `get_config`.

    Returns:
        The same class.
    """
    registered: T = keras.saving.register_keras_serializable(package="keras_transformer")(cls)
    return registered
