"""Whether the learning rate suits the model: sampled from the schedule, not believed by its name. Section 5.3."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Subject

WARMUP, PEAK, ADAM = "warm-up", "peak learning rate", "optimizer's constants"
SOURCE = "section 5.3"
PAPER_WARMUP = 4000
LEAST_WARMUP = 400
"""Steps that a shorter warm-up counts as, when its peak is compared: the paper's peak grows without bound below."""

_STEPS = sorted({int(step) for step in np.geomspace(1, 200_000, 80)} | {10, 100, 1000, 4000, 10_000, 100_000})


@dataclass(frozen=True)
class Recipe:
    """What is known of a training.

    Args:
        rate: step, from 1, -> learning rate.
        d_model: width, None if unknown.
        norm: "post", "pre", or None if unknown.
        optimizer: the Keras optimizer, if there is one.
    """

    rate: Callable[[int], float]
    d_model: int | None
    norm: str | None
    optimizer: Any = None


@dataclass(frozen=True)
class Curve:
    """The learning rate as sampled.

    Args:
        peak: the largest.
        step: where it is reached first.
        first: the rate of the first update.
    """

    peak: float
    step: int
    first: float

    @property
    def warms_up(self) -> bool:
        """Whether it begins well below its peak."""
        return self.first <= 0.2 * self.peak and self.step > 1

    def __str__(self) -> str:
        return f"{self.first:.3g} at step 1, largest {self.peak:.3g} at about step {self.step:,}"


def check_recipe(subject: Subject) -> list[Finding]:
    """Warm-up, peak and Adam's constants.

    Args:
        subject: its recipe (a `RunConfig`, a schedule, a rate, or step -> rate), or its optimizer.

    Returns:
        Findings.
    """
    recipe = find_recipe(subject)
    if recipe is None:
        fix = "pass optimizer=, or recipe= (a RunConfig, a schedule or a rate), or compile the model"
        return [skipped("recipe", "no optimizer or schedule given", fix=fix, source=SOURCE)]
    curve = sample(recipe)
    if not curve.peak > 0 or np.isnan(curve.first):
        return [_not_positive(curve), *_adam(recipe.optimizer)]
    return [_warmup(recipe, curve), _peak(recipe, curve), *_adam(recipe.optimizer)]


def sample(recipe: Recipe) -> Curve:
    """The curve at 1, 10, ... 200,000 steps, and more closely around its largest.

    Args:
        recipe: the recipe.

    Returns:
        The curve.

    Example:
        >>> print(sample(Recipe(lambda step: min(step / 500, 1.0) * 1e-3, None, None)))
        2e-06 at step 1, largest 0.001 at about step 500
    """
    rates = {step: recipe.rate(step) for step in _STEPS}
    if np.isnan(list(rates.values())).all():
        return Curve(float("nan"), 1, float("nan"))
    around = _STEPS.index(max(rates, key=lambda step: _height(rates[step])))
    low, high = _STEPS[max(0, around - 1)], _STEPS[min(len(_STEPS) - 1, around + 1)]
    rates |= {step: recipe.rate(step) for step in range(low, high, max(1, (high - low) // 100))}
    step = max(sorted(rates), key=lambda each: _height(rates[each]))
    return Curve(rates[step], step, rates[1])


def _height(rate: float) -> float:
    return -np.inf if np.isnan(rate) else rate


def _not_positive(curve: Curve) -> Finding:
    return Finding(
        PEAK,
        "fail",
        "learning-rate-not-positive",
        f"learning rate {curve}",
        "A rate of 0 leaves the weights as they are, one below 0 climbs, and one that is no number spoils them.",
        "Use kt.TransformerSchedule(d_model, warmup_steps=4000), or a rate above 0.",
        SOURCE,
    )


def find_recipe(subject: Subject) -> Recipe | None:
    """The learning rate that training would use, from whatever was given.

    Args:
        subject: the subject.

    Returns:
        The recipe, None if nothing was given.
    """
    width = getattr(subject.config, "d_model", None) or subject.hooks.d_model
    norm = getattr(subject.config, "norm", None)
    given, optimizer = subject.recipe, subject.optimizer
    optimizer = getattr(subject.model, "optimizer", None) if optimizer is None else optimizer
    if hasattr(given, "training") and hasattr(given, "model"):
        return _from_run(given)
    if isinstance(given, keras.optimizers.Optimizer):
        given, optimizer = None, given
    if given is None and optimizer is not None:
        given = getattr(optimizer, "_learning_rate", getattr(optimizer, "learning_rate", None))
    if given is None:
        return None
    return Recipe(_rate_of(given), width, norm, optimizer)


def _from_run(config: Any) -> Recipe:
    """As the trainer makes them from a `RunConfig`."""
    from keras_transformer.training import TransformerSchedule

    training, model = config.training, config.transformer(config.tokenizer.vocab_size)
    schedule = TransformerSchedule(
        model.d_model,
        training.warmup_steps,
        training.peak_learning_rate,
        total_steps=training.max_steps,
        cooldown_steps=training.cooldown_steps,
    )
    return Recipe(_rate_of(schedule), model.d_model, model.norm)


def _rate_of(given: Any) -> Callable[[int], float]:
    if isinstance(given, keras.optimizers.schedules.LearningRateSchedule):
        return lambda step: float(given(step - 1))  # Keras counts finished steps
    if callable(given) and not isinstance(given, keras.Variable):
        return lambda step: float(given(step))
    rate = float(given)
    return lambda step: rate


def _paper_peak(width: int, warmup: int) -> float:
    return float((width * warmup) ** -0.5)


def _warmup(recipe: Recipe, curve: Curve) -> Finding:
    evidence = f"learning rate {curve}; {recipe.norm or 'unknown'}-norm"
    if curve.warms_up and (curve.step >= 50 or recipe.norm == "pre"):
        return passed(WARMUP, evidence, source=SOURCE)
    if recipe.norm == "pre":
        return passed(WARMUP, f"{evidence}, which trains without one", source=SOURCE)
    width = recipe.d_model or 512
    # At a rate that is low from the start even post-norm may train.
    severe = recipe.norm == "post" and not curve.warms_up and curve.peak > 0.2 * _paper_peak(width, PAPER_WARMUP)
    return Finding(
        WARMUP,
        "fail" if severe else "warn",
        "post-norm-without-warmup",
        evidence,
        "With the norm after the residual sum, gradients near the output are large at first and Adam's moments are "
        "not settled: without warm-up training diverges or stays at the loss of word frequencies.",
        "Use kt.TransformerSchedule(d_model, warmup_steps=4000), or norm='pre'.",
        SOURCE,
    )


def _peak(recipe: Recipe, curve: Curve) -> Finding:
    if recipe.d_model is None:
        return skipped(PEAK, f"{curve}; the model's width is unknown", fix="pass Hooks(d_model=...)", source=SOURCE)
    warmup = max(curve.step, LEAST_WARMUP) if curve.warms_up else PAPER_WARMUP
    paper = _paper_peak(recipe.d_model, warmup)
    ratio = curve.peak / paper
    evidence = (
        f"{curve.peak:.3g}, {ratio:.2g} times d_model^-0.5 warmup^-0.5 = {paper:.3g} (d_model {recipe.d_model}, "
        f"warm-up {warmup:,})"
    )
    if ratio <= 2.5:
        return passed(PEAK, evidence, source=SOURCE)
    return Finding(
        PEAK,
        "fail" if ratio > 5 else "warn",
        "peak-learning-rate-too-high",
        evidence,
        "The updates are larger than the model stands: the loss jumps and then stays high. Often the factor "
        "d_model^-0.5 was left out, or steps are counted in another unit.",
        "Use kt.TransformerSchedule(d_model, warmup_steps); its peak_learning_rate sets another height.",
        SOURCE,
    )


def _adam(optimizer: Any) -> list[Finding]:
    if optimizer is None:
        return []
    constants = {name: getattr(optimizer, name, None) for name in ("beta_1", "beta_2", "epsilon")}
    if constants["beta_2"] is None:
        return [passed(ADAM, f"{type(optimizer).__name__}; the paper's is Adam", source=SOURCE)]
    evidence = ", ".join(f"{name} {value:g}" for name, value in constants.items() if value is not None)
    paper = {"beta_1": 0.9, "beta_2": 0.98, "epsilon": 1e-9}
    if all(value is None or np.isclose(value, paper[name], rtol=1e-3) for name, value in constants.items()):
        return [passed(ADAM, evidence, source=SOURCE)]
    return [
        Finding(
            ADAM,
            "warn",
            "adam-constants",
            f"{evidence}; the paper's are 0.9, 0.98, 1e-09",
            "beta_2 0.999 averages over 1,000 steps and lags while the rate still rises.",
            "Use kt.paper_adam(schedule), unless these were chosen.",
            SOURCE,
        )
    ]


CHECKS = (check_recipe,)
