"""Watch what enters and leaves a Keras layer while its model runs, without changing the model."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def recording(layer: Any) -> Iterator[list[tuple[tuple[Any, ...], dict[str, Any], Any]]]:
    """Keep the arguments and the result of every call of a layer's `call` inside the `with` block.

    Args:
        layer: a built Keras layer that runs eagerly.

    Yields:
        A list that grows by (positional arguments, keyword arguments, result) at each call.

    Example:
        >>> import keras, numpy as np
        >>> dense = keras.layers.Dense(3)
        >>> _ = dense(np.ones((1, 2), "float32"))
        >>> with recording(dense) as calls:
        ...     _ = dense(np.ones((5, 2), "float32"))
        >>> [(arguments[0].shape == (5, 2), result.shape == (5, 3)) for arguments, _, result in calls]
        [(True, True)]
    """
    original, calls = layer.call, []

    def call(*arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        calls.append((arguments, options, result))
        return result

    # Not through Keras's __setattr__, which would look into the function for state to track.
    object.__setattr__(layer, "call", call)
    try:
        yield calls
    finally:
        object.__delattr__(layer, "call")
