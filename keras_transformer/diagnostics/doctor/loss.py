"""Whether a loss is the mean over the real tokens of the whole batch, of a cross entropy with a whole target.

The gradient of a cross entropy with respect to the logits z of one position is c (softmax(z) - q): c is what the
position counts, q the distribution it should have (section 5.4). Over the symbols that are not the target q is flat, so
a straight line through the gradient against softmax(z) gives c as its slope, and then q. Nothing has to be known of how
the loss is written.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.loss_calls import Loss, resolve_loss
from keras_transformer.diagnostics.doctor.loss_target import check_target
from keras_transformer.diagnostics.doctor.replicas import count_replicas
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

PADDING, SHARES, TARGET = "loss and padding", "loss of a split batch", "target distribution of the loss"
SOURCE = "section 5.4"
LENGTHS = (8, 6, 4, 1)
EXTRA_COLUMNS = 3

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """Random logits and targets of different lengths.

    Args:
        targets: (B, T) ids, padding at the end.
        logits: (B, T, V) float32.
        weights: (B, T), 1 / tokens at tokens and 0 at padding.
    """

    targets: Ids
    logits: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]

    def rows(self, chosen: slice) -> "Example":
        """Some of the rows, with the weights they have in the whole."""
        return Example(self.targets[chosen], self.logits[chosen], self.weights[chosen])

    def padded(self, pad_id: int, rng: np.random.Generator) -> "Example":
        """The same with three columns of padding more."""
        rows, length = self.targets.shape
        shape = rows, length + EXTRA_COLUMNS
        targets, weights = np.full(shape, pad_id, "int32"), np.zeros(shape, "float32")
        logits = rng.normal(scale=2.0, size=(*shape, self.logits.shape[-1])).astype("float32")
        targets[:, :length], weights[:, :length], logits[:, :length] = self.targets, self.weights, self.logits
        return Example(targets, logits, weights)


def make_example(subject: Subject, vocab_size: int, rng: np.random.Generator) -> Example:
    """Four sentences of 8, 6, 4 and 1 tokens.

    Args:
        subject: its special ids.
        vocab_size: V.
        rng: the draw.

    Returns:
        The example.
    """
    shape = len(LENGTHS), max(LENGTHS)
    words = np.setdiff1d(np.arange(vocab_size), (subject.pad_id, subject.bos_id, subject.eos_id))
    real = np.arange(shape[1]) < np.array(LENGTHS)[:, None]
    targets = np.where(real, rng.choice(words, shape), subject.pad_id).astype("int32")
    logits = rng.normal(scale=2.0, size=(*shape, vocab_size)).astype("float32")
    return Example(targets, logits, (real / real.sum()).astype("float32"))


def check_loss(subject: Subject) -> list[Finding]:
    """All checks of the loss that the subject is trained with.

    Args:
        subject: its `loss`, or the one its model was compiled with.

    Returns:
        Findings on padding, on split batches and on the target distribution.
    """
    given = subject.loss if subject.loss is not None else getattr(subject.model, "loss", None)
    if given is None:
        return [skipped("loss", "no loss given", fix="pass loss=, or compile the model", source=SOURCE)]
    loss = resolve_loss(given)
    rng = np.random.default_rng(subject.seed)
    # A small vocabulary shows what is missing from the mass of a target; some losses insist on their own.
    example = make_example(subject, min(subject.vocab_size, 16), rng)
    try:
        whole = loss.measure(example)
    except Exception:  # whatever anyone's loss raises
        example = make_example(subject, subject.vocab_size, rng)
        whole = loss.measure(example)
    if whole.misfit > 0.05:
        return [_no_cross_entropy(f"{100 * whole.misfit:.0f} % of it is something else")]
    real = example.targets != subject.pad_id
    flattened = _softmax_twice(loss, example, whole, real)
    if flattened:
        return [_no_cross_entropy(flattened)]
    padding = _padding(loss, example, subject.pad_id, whole, rng)
    shares = _shares(loss, example, whole, real, count_replicas(subject))
    return [padding, shares, check_target(whole, example, real, subject.pad_id, loss.label_smoothing)]


def _softmax_twice(loss: Loss, example: Example, whole: Any, real: npt.NDArray[np.bool_]) -> str:
    """How c depends on the logits; "" where it does not. After a second softmax it grows with p(target)."""
    halved = Example(example.targets, 0.5 * example.logits, example.weights)
    counts, shares = (
        [one[real] for one in pair]
        for pair in ((whole.counts, loss.measure(halved).counts), (_on_target(example), _on_target(halved)))
    )
    moved, grown = counts[0] - counts[1], shares[0] - shares[1]
    largest = float(np.abs(moved).max() / np.abs(counts[0]).max())
    if largest < 0.01 or moved.std() == 0 or np.corrcoef(moved, grown)[0, 1] < 0.5:
        return ""
    return f"c changes by up to {100 * largest:.0f} % with the logits, and grows with the probability of the target"


def _on_target(example: Example) -> Doubles:
    """Softmax of the logits at the target, (B, T)."""
    p = np.exp(example.logits.astype("float64"))
    true = np.take_along_axis(p, example.targets[..., None].astype("int64"), -1)[..., 0]
    return np.asarray(true / p.sum(-1))


def _no_cross_entropy(told: str) -> Finding:
    return Finding(
        TARGET,
        "fail",
        "loss-not-softmax",
        f"its gradient is not c (softmax(logits) - target): {told}",
        "The loss takes the logits for probabilities, or applies softmax to probabilities.",
        "Give logits to a loss that expects them: from_logits=True in Keras.",
        SOURCE,
    )


def _padding(loss: Loss, example: Example, pad_id: int, whole: Any, rng: np.random.Generator) -> Finding:
    real = example.targets != pad_id
    more = loss.measure(example.padded(pad_id, rng))
    before, after = whole.counts, more.counts[:, : real.shape[1]]
    unit = before[real].mean()
    on_padding = float(np.abs(whole.counts[~real]).max() / unit)
    evidence = f"{whole.value:.4f}, and {more.value:.4f} with {EXTRA_COLUMNS} columns of padding more"
    flat = np.ptp(whole.targets[~real], axis=-1).max() < 0.01
    if on_padding > 1e-3 and flat:
        return Finding(
            PADDING,
            "fail",
            "smoothing-on-padding",
            f"{evidence}; a position of padding counts {on_padding:.2g} times a token, spread over all symbols",
            "The mask is applied to the true token's part of the loss, not to the smoothed rest.",
            "Multiply the whole loss of a position by its weight.",
            SOURCE,
        )
    moved = float(np.abs(after[real] - before[real]).max() / unit)
    if on_padding > 1e-3 or moved > 1e-3:
        where = (
            f"a position of padding counts {on_padding:.2g} times a token"
            if on_padding > 1e-3
            else f"each token counts {after[real].mean() / unit:.3g} of what it did: the divisor counts padding"
        )
        return Finding(
            PADDING,
            "fail",
            "loss-counts-padding",
            f"{evidence}; {where}",
            "The loss depends on how much a sentence is padded: it looks low where there is much, and batches weigh "
            "unequally.",
            "Sum the loss of the tokens, with weights of 1 / (target tokens of the batch) and 0 at padding.",
            "section 5.1",
        )
    return passed(PADDING, evidence, source="section 5.1")


def _shares(loss: Loss, example: Example, whole: Any, real: npt.NDArray[np.bool_], replicas: int) -> Finding:
    parts = [loss.measure(example.rows(rows)) for rows in (slice(0, 2), slice(2, None))]
    counts, inside = np.concatenate([part.counts for part in parts]), whole.counts[real]
    total = sum(part.value for part in parts)
    evidence = f"the whole batch gives {whole.value:.4f}, its two halves {' + '.join(f'{p.value:.4f}' for p in parts)}"
    rows = (whole.counts * real).sum(axis=1)
    if inside.max() > 1.01 * inside.min() and rows.max() < 1.01 * rows.min():
        return Finding(
            SHARES,
            "fail",
            "loss-averaged-per-sentence",
            f"{evidence}; a token counts up to {inside.max() / inside.min():.3g} times another: each sentence "
            "weighs the same",
            "Words of short sentences count more than words of long ones; perplexity is not what is minimised.",
            "Divide by the tokens of the batch, not of the sentence.",
            "section 5.1",
        )
    if np.abs(counts[real] - inside).max() > 1e-3 * inside.mean():
        halves = [
            float(part[mask].mean() / inside.mean())
            for part, mask in zip((counts[:2], counts[2:]), (real[:2], real[2:]), strict=True)
        ]
        if abs(halves[0] - halves[1]) < 1e-3 * halves[0]:
            return passed(SHARES, f"{evidence}, whose mean is the whole; halves of one shape", source="section 5.1")
        return Finding(
            SHARES,
            "fail" if replicas > 1 else "warn",  # right where there is one share
            "loss-averaged-per-replica",
            f"{evidence} (sum {total:.4f}); in its half a token counts {halves[0]:.3g} and {halves[1]:.3g} times "
            "as much as in the whole",
            "The loss divides by what it finds in its share of the batch: right on one device, but over replicas or "
            "accumulated batches the tokens of short shares weigh more.",
            "Sum, with weights of 1 / (target tokens of the whole batch) made in the pipeline.",
            "section 5.1",
        )
    return passed(SHARES, evidence, source="section 5.1")


CHECKS = (check_loss,)
