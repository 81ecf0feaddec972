"""First weights. The paper states none: Glorot is the default, the normal distribution of later models an option."""

from typing import Any

import keras

from keras_transformer.errors import InputError, did_you_mean

INITIALIZERS = ("glorot", "normal")


def another(initializer: Any, number: int) -> Any:
    """A copy of an initializer that draws other numbers: Keras's repeat theirs at every call.

    Args:
        initializer: a `keras.initializers.Initializer`.
        number: added to its seed, if it has one.

    Example:
        >>> another(keras.initializers.GlorotUniform(seed=1), 2).seed
        3
    """
    config = initializer.get_config()
    if isinstance(config.get("seed"), int):
        config = {**config, "seed": config["seed"] + number}
    return type(initializer).from_config(config)


def kernel_initializer(name: str) -> Any:
    """What the projections and the feed-forward network start from.

    Args:
        name: "glorot" is uniform within sqrt(6 / (fan_in + fan_out)); "normal" is N(0, 0.02^2) whatever the shape.

    Raises:
        InputError: another name.

    Example:
        >>> kernel_initializer("normal").stddev
        0.02
    """
    _check(name)
    return keras.initializers.GlorotUniform() if name == "glorot" else keras.initializers.RandomNormal(stddev=0.02)


def embedding_initializer(name: str, d_model: int) -> Any:
    """What embeddings, of tokens or of positions, start from.

    Args:
        name: "glorot" is N(0, 1 / d_model), so that times sqrt(d_model) the variance is 1; "normal" is N(0, 0.02^2).
        d_model: size of an embedding.

    Raises:
        InputError: another name.

    Example:
        >>> embedding_initializer("glorot", 64).stddev
        0.125
    """
    _check(name)
    return keras.initializers.RandomNormal(stddev=d_model**-0.5 if name == "glorot" else 0.02)


def _check(name: str) -> None:
    if name not in INITIALIZERS:
        raise InputError(f"there is no initializer {name!r}.{did_you_mean(name, INITIALIZERS)}")
