"""Whether the model can learn, and only what can be learned: loss at the start, random text, one batch by heart.

Weights, optimizer and random state of the model are put back; its own optimizer and loss are not used.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.practice import Practice, untouched
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

RANDOM, ONE_BATCH = "loss on random text", "one batch by heart"
ROWS, LENGTH, WORDS = 8, 4, 4
STEPS = 200
LEAK_STEPS = {64: 40, 256: 30, 1 << 20: 20}
"""Steps on random text, by the width below which they hold: a wide model finds a leak in 10, one of 16 in 35."""

SETTLED = 10
ENOUGH = 0.3
"""Nats a token at which a batch counts as known by heart: three in four tokens certain."""


def check_learning(subject: Subject) -> list[Finding]:
    """Random text must stay unpredictable, and one batch must become predictable.

    Random text: four words in random order, new ones at every step, in sentences that repeat their first word. Only the
    first word is counted: no honest model can know it, so its loss stays at ln 4. A decoder that sees the token it must
    predict learns to copy it within these 20 to 40 steps.

    One batch: four sentences of four tokens, learned again and again, with dropout off. Every Transformer that is wired
    to its loss reaches less than 0.3 nats a token in far less than 200 steps.

    Args:
        subject: a built Keras model.

    Returns:
        Two findings.
    """
    model, fix = subject.model, "pass a built Keras model with trainable weights"
    if not subject.is_keras or not getattr(model, "built", False) or not model.trainable_variables:
        why = "only a Keras model can be trained here and put back"
        return [skipped(name, why, fix=fix) for name in (RANDOM, ONE_BATCH)]
    first = subject.logits(*subject.example_batch(2, LENGTH, LENGTH))
    if not np.isfinite(first).all():
        return [skipped(name, "the logits are not finite", fix="first mend that") for name in (RANDOM, ONE_BATCH)]
    rng = np.random.default_rng(subject.seed)
    with untouched(model):
        peak = learning_rate(subject)
        practice = Practice(model, peak)
        start = [np.array(variable) for variable in map(_value, model.variables)]
        random_text = _random_text(subject, practice, peak, rng)
        for attempt in (peak, peak / 5):  # a rate too high for this model is no fault of the model
            _rewind(model.variables, start)
            practice.forget()
            reached, steps, began = _learn_one_batch(subject, practice, attempt, rng)
            if reached < ENOUGH:
                break
    return [random_text, _one_batch(reached, steps, began)]


def learning_rate(subject: Subject) -> float:
    """A rate at which models of this width learn in tens of steps: 0.02 d_model^-0.5.

    Args:
        subject: its width is d_model if known, else guessed from its largest matrix.

    Returns:
        The rate after ten steps of warm-up.
    """
    width = getattr(subject.config, "d_model", None) or subject.hooks.d_model
    if width is None:
        shapes = [tuple(variable.shape) for variable in subject.model.trainable_variables if len(variable.shape) == 2]
        width = min((min(shape) for shape in shapes if max(shape) >= subject.vocab_size), default=256)
    return float(0.02 * width**-0.5)


def _random_text(subject: Subject, practice: Practice, peak: float, rng: np.random.Generator) -> Finding:
    known = _words(subject, subject.vocab_size)
    words = rng.choice(known, min(WORDS, len(known)), replace=False)
    losses: list[float] = []
    weights, least = np.zeros((ROWS, LENGTH), "float32"), math.log(len(words))
    weights[:, 0] = 1.0
    width = (0.02 / peak) ** 2
    for step in range(next(steps for below, steps in LEAK_STEPS.items() if width < below)):
        targets = np.repeat(rng.choice(words, (ROWS, 1)), LENGTH, axis=1).astype("int32")
        source = rng.choice(_words(subject, subject.source_vocab_size), (ROWS, LENGTH)).astype("int32")
        losses.append(practice.step((source, _shifted(targets, subject.bos_id)), targets, weights, _rate(peak, step)))
        if np.mean(losses[-5:]) < 0.25 * least:
            break
    last = float(np.mean(losses[-5:]))
    evidence = f"{last:.2f} nats after {len(losses)} steps on text where ln {len(words)} = {least:.2f} is the least"
    if last >= 0.6 * least:
        return passed(RANDOM, evidence, source="section 3.1")
    return Finding(
        RANDOM,
        "fail",
        "label-leak",
        evidence,
        "The model reads the token it must predict: no causal mask, or the targets reach the decoder unshifted. In "
        "training its loss collapses; in translation, where the future is not there, it writes noise.",
        "Hide later positions in the decoder's self-attention; feed target_in = [bos] + pieces.",
        "section 3.1",
    )


def _learn_one_batch(
    subject: Subject, practice: Practice, peak: float, rng: np.random.Generator
) -> tuple[float, int, float]:
    """Loss reached, steps made, loss at the start."""
    source = rng.choice(_words(subject, subject.source_vocab_size), (ROWS, LENGTH)).astype("int32")
    targets = rng.choice(_words(subject, subject.vocab_size), (ROWS, LENGTH)).astype("int32")
    weights = np.zeros((ROWS, LENGTH), "float32")
    weights[: ROWS // 2] = 1.0
    inputs = source, _shifted(targets, subject.bos_id)
    losses: list[float] = []
    for step in range(STEPS):
        losses.append(practice.step(inputs, targets, weights, _rate(peak, step)))
        if losses[-1] < ENOUGH or not math.isfinite(losses[-1]):
            break
    return min((loss for loss in losses if math.isfinite(loss)), default=math.inf), len(losses), losses[0]


def _one_batch(reached: float, steps: int, began: float) -> Finding:
    evidence = f"from {began:.2f} to {reached:.2f} nats a token in {steps} steps"
    if reached < ENOUGH:
        return passed(ONE_BATCH, evidence)
    return Finding(
        ONE_BATCH,
        "fail",
        "cannot-overfit",
        evidence,
        "What cannot be learned by heart cannot be learned: gradients do not reach the weights (stop_gradient, frozen "
        "layers, a saturated softmax), or the inputs do not reach the output.",
        "Look at the gradient norms by layer below; layers with none are cut off.",
    )


def _rate(peak: float, step: int) -> float:
    return peak * min(1.0, (step + 1) / SETTLED)


def _shifted(targets: Ids, bos_id: int) -> Ids:
    return np.concatenate([np.full((len(targets), 1), bos_id, "int32"), targets[:, :-1]], axis=1)


def _words(subject: Subject, size: int) -> npt.NDArray[np.int64]:
    return np.setdiff1d(np.arange(size), (subject.pad_id, subject.bos_id, subject.eos_id))


def _value(variable: Any) -> Any:
    from keras import ops

    return ops.convert_to_numpy(variable)


def _rewind(variables: list[Any], values: list[npt.NDArray[Any]]) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)


CHECKS = (check_learning,)
