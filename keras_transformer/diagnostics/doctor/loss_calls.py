"""Calling anybody's loss, and reading from its gradient what each position counts and what it should predict."""

import inspect
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.diagnostics.gradients import value_and_gradients

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A loss on one example.

    Args:
        value: the scalar.
        counts: c, (B, T): how much each position counts.
        targets: q, (B, T, V): the distribution each position should have; flat where it does not count.
        misfit: the share of the gradient that c (softmax(z) - q) does not explain.
    """

    value: float
    counts: Doubles
    targets: Doubles
    misfit: float


class Loss:
    """A loss function of any form, called with weights if it takes them.

    Args:
        function: (y_true, y_pred) or (y_true, y_pred, sample_weight) -> a number, or one for each token or sentence,
            which is averaged as Keras's `compile` does.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.takes_weights = "sample_weight" in _parameters(function) or len(_required(function)) > 2
        smoothing = getattr(function, "label_smoothing", None)
        self.label_smoothing = float(smoothing) if isinstance(smoothing, int | float) else None

    def __call__(self, targets: Any, logits: Any, weights: Any) -> Any:
        """The scalar loss, differentiable in the logits."""
        if "sample_weight" in _parameters(self.function):
            return ops.mean(self.function(targets, logits, sample_weight=weights))
        if self.takes_weights:
            return ops.mean(self.function(targets, logits, weights))
        values = ops.convert_to_tensor(self.function(targets, logits))
        if not isinstance(self.function, keras.losses.Loss) and tuple(values.shape) == tuple(weights.shape):
            values = values * ops.cast(weights, values.dtype)  # as Keras weighs what a plain function returns
        return ops.mean(values)

    def measure(self, example: Any) -> Measured:
        """Value and gradient on an example of targets, logits and weights."""
        targets, weights = ops.convert_to_tensor(example.targets), ops.convert_to_tensor(example.weights)
        value, (gradient,) = value_and_gradients(lambda logits: self(targets, logits, weights), [example.logits])
        counts, wanted, misfit = explain(gradient.astype("float64"), example.logits, example.targets)
        return Measured(value, counts, wanted, misfit)


def explain(gradient: Doubles, logits: npt.NDArray[Any], targets: npt.NDArray[Any]) -> tuple[Doubles, Doubles, float]:
    """Counts c and distributions q with gradient = c (softmax(logits) - q), by a line through the other symbols.

    Args:
        gradient: (B, T, V).
        logits: (B, T, V).
        targets: (B, T) ids.

    Returns:
        c (B, T), q (B, T, V), and the share of the gradient that does not lie on the lines.

    Example:
        >>> logits = np.array([[[1.0, 2.0, 0.0, 1.5, 0.5, -1.0]]])
        >>> p = np.exp(logits) / np.exp(logits).sum()
        >>> counts, wanted, misfit = explain(0.5 * (p - np.eye(6)[2]), logits, np.array([[2]]))
        >>> counts.round(3).tolist(), wanted.round(3)[0, 0].tolist(), misfit < 1e-6
        ([[0.5]], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], True)
    """
    z = logits.astype("float64")
    p = np.exp(z - z.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    other = np.ones(p.shape, bool)
    np.put_along_axis(other, targets[..., None].astype("int64"), False, -1)
    counts, left = _lines(p, gradient, other)
    # A symbol or two may be treated apart, as padding or the end are in some losses: the line is that of the rest.
    apart = np.argsort(-np.abs(left), axis=-1)[..., :2]
    np.put_along_axis(other, apart, False, -1)
    counts, left = _lines(p, gradient, other)
    # Both softmax(z) and q sum to the same, so the gradient of a position sums to 0.
    size = max(np.abs(gradient).sum(), 1e-300)
    misfit = max(np.abs(left).sum(), np.abs(gradient.sum(-1)).sum()) / size
    largest = np.abs(counts).max()
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.where(np.abs(counts[..., None]) > 1e-6 * largest, p - gradient / counts[..., None], 0.0)
    return counts, wanted, float(misfit)


def _lines(p: Doubles, gradient: Doubles, among: npt.NDArray[np.bool_]) -> tuple[Doubles, Doubles]:
    """Slopes (B, T) of the gradient against p, by least squares among some symbols, and what is left over there."""
    size = among.sum(-1, keepdims=True)
    centred_p, centred_g = (np.where(among, x - (x * among).sum(-1, keepdims=True) / size, 0.0) for x in (p, gradient))
    slopes = (centred_p * centred_g).sum(-1) / np.maximum((centred_p**2).sum(-1), 1e-300)
    return slopes, centred_g - slopes[..., None] * centred_p


def resolve_loss(loss: Any) -> Loss:
    """A `Loss` from a function, a Keras loss or the name of one.

    Args:
        loss: what was given to `compile`.

    Returns:
        The loss.

    Example:
        >>> resolve_loss("sparse_categorical_crossentropy").takes_weights
        False
    """
    return Loss(keras.losses.get(loss) if isinstance(loss, str | dict) else loss)


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some callables of C have no signature
        return {}


def _required(function: Any) -> list[str]:
    return [name for name, each in _parameters(function).items() if each.default is inspect.Parameter.empty]
