"""Scheduled sampling: now and then the decoder reads its own prediction in training (Bengio et al. 2015)."""

from typing import Any

import keras
from keras import ops

from keras_transformer.registration import register

Tensor = Any


@register
class ScheduledSampling(keras.layers.Layer):
    """Replace a share of the target inputs by what the model would have said there.

    In training a decoder reads the reference's tokens, in decoding its own. Here a first pass over the reference gives
    the most probable token of every position, and each input after the first becomes the prediction for its place with
    probability p; the second pass, on that mixture, is the one that is trained. p rises in a line from 0 to `rate`
    over the first `ramp_steps` calls, since the predictions of a new model teach nothing.

    Args:
        rate: p after the ramp, in [0, 1).
        ramp_steps: calls in training until then; 0 begins with `rate`.
        pad_id: id of padding, which stays.

    Call arguments:
        target_in: (B, T) ids, the first column the begin-of-sentence token.
        logits: (B, T, V) of the first pass: those at t predict the input at t + 1.
        segments: (B, T), where several targets are packed into a row: the first token of each stays.

    Returns:
        When called: (B, T) ids.

    Example:
        >>> import numpy as np
        >>> target_in, logits = np.array([[1, 7, 8, 0]]), 9.0 * np.eye(10)[[5, 5, 5, 5]][None]
        >>> mixed = ScheduledSampling(rate=0.999, ramp_steps=0)(target_in, logits)
        >>> ops.convert_to_numpy(mixed).tolist()
        [[1, 5, 5, 0]]

    Reference:
        Bengio et al. 2015, "Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks"; Mihaylova and
        Martins 2019, "Scheduled Sampling for Transformers", for the two passes.
    """

    def __init__(self, rate: float, ramp_steps: int = 0, pad_id: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.ramp_steps = ramp_steps
        self.pad_id = pad_id
        self.seed_generator = keras.random.SeedGenerator()

    def build(self, *shapes: Any) -> None:
        """Create the counter of calls."""
        # Every replica counts the same calls.
        self.calls = self.add_weight(
            name="calls", shape=(), dtype="float32", initializer="zeros", trainable=False, autocast=False,
            aggregation="only_first_replica",
        )  # fmt: skip
        self.built = True

    def call(self, target_in: Tensor, logits: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T), (B, T, V) -> (B, T)."""
        probability = self.rate * ops.minimum(1.0, self.calls / self.ramp_steps) if self.ramp_steps else self.rate
        self.calls.assign(self.calls + 1.0)
        predicted = ops.cast(ops.argmax(logits, axis=-1), target_in.dtype)  # (B, T)
        own = ops.concatenate([target_in[:, :1], predicted[:, :-1]], axis=1)
        chosen = keras.random.uniform(ops.shape(target_in), seed=self.seed_generator) < probability
        replaced = ops.logical_and(chosen, ops.not_equal(target_in, self.pad_id))
        if segments is not None:
            before = ops.pad(segments[:, :-1], ((0, 0), (1, 0)))
            replaced = ops.logical_and(replaced, ops.equal(segments, before))
        return ops.where(replaced, own, target_in)

    def compute_output_shape(self, target_in_shape: Any, logits_shape: Any = None, segments_shape: Any = None) -> Any:
        """The shape of the ids."""
        return target_in_shape

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "rate": self.rate,
            "ramp_steps": self.ramp_steps,
            "pad_id": self.pad_id,
        }
