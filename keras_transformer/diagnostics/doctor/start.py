"""The loss before the first update: near ln V, because nothing is known yet."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.arrays import to_numpy
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject
from keras_transformer.diagnostics.doctor.training_batches import read_batches

START, OUTPUTS = "loss at the start", "logits, not probabilities"
MOST_ABOVE, MOST_BELOW = 2.0, 0.5
"""Nats by which the loss may differ from ln V: logits of variance s^2 cost s^2 / 2 more, and s is 1 in the paper's
model with embeddings of N(0, 1 / d_model); 2 nats are s = 2."""


def check_start(subject: Subject) -> list[Finding]:
    """A fresh model gives every word about the same probability, so its loss on random text is ln V and a little.

    Tied embeddings make a fresh model favour the very token it has just read, through the residual path; that says
    nothing of the others, so the logit of the token read is left out of the sum.

    Args:
        subject: the model; whether it is fresh is told by its gains and biases, which are 1 and 0 until trained.

    Returns:
        Findings on the form of the output and on the loss.
    """
    source, target_in = subject.example_batch(16, 8, 9)
    logits = subject.logits(source, target_in[:, :-1]).astype("float64")
    if not np.isfinite(logits).all():
        return [skipped(START, "the logits are not finite", fix="first mend that")]
    sums = logits.sum(-1)
    if logits.min() >= 0 and np.allclose(sums, 1.0, atol=1e-2):
        return [_probabilities(), skipped(START, "the outputs are probabilities", fix="first mend that")]
    loss = mean_loss(logits, target_in[:, 1:], read=target_in[:, :-1])
    fresh, size = is_fresh(subject.model), subject.vocab_size
    evidence = f"{loss:.2f} nats on random text, ln V = {math.log(size):.2f}"
    if fresh is False:
        return [_trained(subject, evidence)]
    above = loss - math.log(size)
    if -MOST_BELOW <= above <= MOST_ABOVE:
        return [passed(START, f"{evidence}; from {MOST_BELOW} below to {MOST_ABOVE} above is usual")]
    if fresh is None:
        fix = "pass a fresh Keras model or torch.nn.Module, or batches= of its text"
        return [skipped(START, f"{evidence}, but the model may be trained", fix=fix)]
    return [
        Finding(
            START,
            "fail",
            "loss-at-start",
            f"{evidence}, {abs(above):.2f} {'above' if above > 0 else 'below'}; {MOST_BELOW} below to {MOST_ABOVE} "
            f"above is usual; logits spread {logits.std(-1).mean():.2f}",
            "The first logits are too large: embeddings drawn too wide for a tied softmax (N(0, 1) instead of "
            "N(0, 1 / d_model)), a missing last norm, or a factor too many. The first steps only undo it."
            if above > 0
            else "A fresh model cannot know random text: its targets leak into it.",
            "Draw tied embeddings from N(0, 1 / d_model), multiply by sqrt(d_model) going in only, and end pre-norm "
            "stacks in a norm.",
            "section 3.4",
        )
    ]


def mean_loss(logits: npt.NDArray[np.float64], targets: Ids, read: Ids | None = None) -> float:
    """Mean negative log-likelihood in nats.

    Args:
        logits: (B, T, V).
        targets: ids (B, T).
        read: ids (B, T) whose logit is left out of each sum, where they are not the target.

    Returns:
        Nats a token.

    Example:
        >>> mean_loss(np.zeros((1, 1, 8)), np.array([[3]], "int32"))
        2.0794...
    """
    z = logits - logits.max(-1, keepdims=True)
    wanted = np.take_along_axis(z, targets[..., None].astype("int64"), -1)[..., 0]
    left_out = np.zeros(z.shape, bool)
    if read is not None:
        np.put_along_axis(left_out, np.where(read == targets, 0, read)[..., None].astype("int64"), True, -1)
    masked = np.where(left_out, -np.inf, z)
    largest = masked.max(-1, keepdims=True)
    total = np.log(np.exp(masked - largest).sum(-1)) + largest[..., 0]
    return float((total - wanted).mean())


def is_fresh(model: Any) -> bool | None:
    """Whether a model was never trained: then the gains of its norms are all 1.

    Args:
        model: any.

    Returns:
        None if it cannot be told.
    """
    named = [(v.path, v) for v in getattr(model, "trainable_variables", [])]
    if not named and hasattr(model, "named_modules"):
        named = [
            (f"{name}.gamma", module.weight)
            for name, module in model.named_modules()
            if "Norm" in type(module).__name__ and getattr(module, "weight", None) is not None
        ]
    gains = [to_numpy(_value(v)) for name, v in named if name.endswith(("gamma", "scale"))]
    return all((gain == 1).all() for gain in gains) if gains else None


def _value(variable: Any) -> Any:
    return getattr(variable, "value", variable)


def _trained(subject: Subject, evidence: str) -> Finding:
    batches = [batch for batch in read_batches(subject) if batch.real.any()][:2]
    if not batches:
        return skipped(START, f"the model is trained ({evidence})", fix="pass a fresh one, or batches= of its text")
    losses = []
    for batch in batches:
        logits = subject.logits(batch.source[:16], batch.target_in[:16]).astype("float64")
        real = batch.real[:16]
        losses.append(mean_loss(logits[real][None], batch.target_out[:16][real][None]))
    told = f"the model is trained: {np.mean(losses):.2f} nats on its batches, ln V = {math.log(subject.vocab_size):.2f}"
    if np.mean(losses) < math.log(subject.vocab_size):
        return passed(START, told)
    return Finding(
        START,
        "warn",
        "worse-than-chance",
        told,
        "After training it should know more than nothing: other batches, another tokenizer, or a training that "
        "diverged.",
        "Pass the batches it was trained with.",
    )


def _probabilities() -> Finding:
    return Finding(
        OUTPUTS,
        "fail",
        "outputs-are-probabilities",
        "the outputs are positive and sum to 1 at every position",
        "The model ends in a softmax. A loss on logits applies another one, beyond which it cannot learn: no "
        "probability can exceed e / (e + V - 1).",
        "Leave the last softmax out, and give the loss logits.",
        "section 3.4",
    )


CHECKS = (check_start,)
