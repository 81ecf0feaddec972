"""The paper's learning-rate curve and the optimizer it drives."""

import math
from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.registration import register
from keras_transformer.training.adam import Adam


def _positive_integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name} is {value!r}; it must be a whole number of at least 1.")
    return value


@register
class TransformerSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, then decay with the inverse square root of the step (equation 3, section 5.3).

        lrate = d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)

    The paper counts steps from 1 and Keras counts `optimizer.iterations` from 0, so the call adds one. The
    largest value, at step `warmup_steps`, is `1 / sqrt(d_model * warmup_steps)`; `peak_learning_rate` scales
    the whole curve so that this maximum is the given one. With `cooldown_steps` the rate leaves the curve at
    `total_steps - cooldown_steps` and falls on a straight line to 0, which it reaches after `total_steps`
    updates (an addition to the paper).

    Args:
        d_model: width of the model; sets the height of the curve when `peak_learning_rate` is None.
        warmup_steps: updates of linear rise.
        peak_learning_rate: height of the curve at `warmup_steps`; None for the paper's.
        total_steps: updates in the whole run; needed by the cool-down only.
        cooldown_steps: length of the straight fall to 0 before `total_steps`; 0 for none.
        gradient_accumulation_steps: the optimizer's value of the same name. Keras hands a schedule the number
            of batches, not of updates; the paper's curve counts updates.

    Returns:
        When called with `optimizer.iterations` (from 0): a float32 scalar, the rate of the update about to be
        made.

    Raises:
        InputError: a count is not a positive whole number, the peak is not a positive number, or the
            cool-down does not fit into `total_steps`.

    Example:
        >>> schedule = TransformerSchedule(d_model=512)
        >>> [f"{float(schedule(step - 1)):.4e}" for step in (1, 4000, 100_000)]
        ['1.7469e-07', '6.9877e-04', '1.3975e-04']

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 5.3.
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int = 4000,
        peak_learning_rate: float | None = None,
        total_steps: int | None = None,
        cooldown_steps: int = 0,
        gradient_accumulation_steps: int = 1,
    ) -> None:
        super().__init__()
        self.d_model = _positive_integer("d_model", d_model)
        self.warmup_steps = _positive_integer("warmup_steps", warmup_steps)
        self.gradient_accumulation_steps = _positive_integer("gradient_accumulation_steps", gradient_accumulation_steps)
        self.peak_learning_rate = _checked_peak(peak_learning_rate)
        self.total_steps = None if total_steps is None else _positive_integer("total_steps", total_steps)
        self.cooldown_steps = _checked_cooldown(cooldown_steps, self.total_steps)

    @property
    def maximum(self) -> float:
        """Height of the curve at `warmup_steps`."""
        if self.peak_learning_rate is not None:
            return self.peak_learning_rate
        return 1.0 / math.sqrt(self.d_model * self.warmup_steps)

    def __call__(self, step: Any) -> Any:
        """Rate of the update that follows `step` finished ones."""
        if self.gradient_accumulation_steps > 1:
            step = ops.floor_divide(step, self.gradient_accumulation_steps)
        done = ops.cast(step, "float32")
        if not self.cooldown_steps or self.total_steps is None:
            return self._curve(done)
        start = float(self.total_steps - self.cooldown_steps)
        left = ops.clip((float(self.total_steps) - done) / float(self.cooldown_steps), 0.0, 1.0)
        return self._curve(ops.minimum(done, start)) * left

    def _curve(self, done: Any) -> Any:
        # Equation 3 divided by its maximum: both branches are exactly 1 at the peak, and no power of a large
        # step or of the warm-up is ever formed in float32.
        step, warmup = done + 1.0, float(self.warmup_steps)
        return ops.minimum(step / warmup, ops.sqrt(warmup / step)) * self.maximum

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "d_model": self.d_model,
            "warmup_steps": self.warmup_steps,
            "peak_learning_rate": self.peak_learning_rate,
            "total_steps": self.total_steps,
            "cooldown_steps": self.cooldown_steps,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
        }


def _checked_peak(peak: Any) -> float | None:
    if peak is None:
        return None
    if isinstance(peak, bool) or not isinstance(peak, int | float) or not 0 < peak < math.inf:
        raise InputError(f"peak_learning_rate is {peak!r}; it must be a positive number, or None for the paper's.")
    return float(peak)


def _checked_cooldown(cooldown: Any, total_steps: int | None) -> int:
    if cooldown == 0 and not isinstance(cooldown, bool):
        return 0
    _positive_integer("cooldown_steps", cooldown)
    if total_steps is None:
        raise InputError(
            f"cooldown_steps is {cooldown} but total_steps is not given; the fall must know where it ends."
        )
    if cooldown > total_steps:
        raise InputError(
            f"cooldown_steps is {cooldown}, more than the {total_steps} of total_steps; give at most that."
        )
    return int(cooldown)


def paper_adam(schedule: Any, **options: Any) -> keras.optimizers.Adam:
    """Adam with the paper's constants: beta1 0.9, beta2 0.98, epsilon 1e-9 (section 5.3).

    Args:
        schedule: a `TransformerSchedule`, or anything Keras takes as a learning rate.
        **options: further arguments of `keras.optimizers.Adam`; they win over the paper's.

    Returns:
        A `keras.optimizers.Adam`, ready for `compile`.

    Raises:
        InputError: the optimizer accumulates gradients over a number of batches that the schedule was not
            told.

    Example:
        >>> paper_adam(TransformerSchedule(512)).beta_2
        0.98

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 5.3.
    """
    accumulated = options.get("gradient_accumulation_steps") or 1
    if isinstance(schedule, TransformerSchedule) and schedule.gradient_accumulation_steps != accumulated:
        raise InputError(
            f"gradient_accumulation_steps is {accumulated} in the optimizer and "
            f"{schedule.gradient_accumulation_steps} in the schedule; give both the same number, because the "
            "curve counts updates and not batches."
        )
    constants = {"beta_1": 0.9, "beta_2": 0.98, "epsilon": 1e-9}
    return Adam(learning_rate=schedule, **(constants | options))
