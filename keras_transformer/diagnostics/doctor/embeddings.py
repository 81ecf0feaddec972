"""Do words and positions enter in proportion, and do positions enter at all? The paper's sections 3.4 and 3.5."""

import math

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

ORDER, SPREADS = "source order", "embeddings and positions"
SCALE_SOURCE, POSITION_SOURCE = "section 3.4", "section 3.5"

DROWNING = 4.0
"""Spread of positions over spread of embeddings from which on words are hard to tell apart; the paper's is 0.7."""

DROWNED = 0.1
"""The same ratio from which on positions are hard to tell apart; 0.45 in a tiny model trained on Multi30k."""


def check_order(subject: Subject) -> list[Finding]:
    """Permute the words of the source: logits that stay the same know of no order.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _order(subject)


def check_spreads(subject: Subject) -> list[Finding]:
    """Compare embeddings, as they are before positions come in, with what enters the first layers.

    Args:
        subject: the model.

    Returns:
        Findings for the encoder's input and the decoder's.
    """
    hooks = subject.hooks
    if not hooks.embed or hooks.first_inputs is None:
        fix = "pass Hooks(embed={'source': ..., 'target': ...}, first_inputs=...)"
        return [skipped(SPREADS, "embeddings cannot be seen", fix=fix, source=SCALE_SOURCE)]
    shape = (len(subject.baseline.source), subject.baseline.source.shape[1], subject.baseline.target_in.shape[1])
    source, target_in = subject.example_batch(*shape)
    entering = hooks.first_inputs(source, target_in)
    findings = []
    for side, ids, vectors in zip(("source", "target"), (source, target_in), entering, strict=True):
        if side in hooks.embed and vectors is not None:
            findings.append(_judge_side(subject, side, ids, to_numpy(hooks.embed[side](ids)), to_numpy(vectors)))
    return findings


CHECKS = (check_order, check_spreads)


@on_clear_answers(ORDER, POSITION_SOURCE)
def _order(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    source, target_in = baseline.source.copy(), baseline.target_in
    if not baseline.reads_source:
        return [skipped(ORDER, "the source has no influence", fix="first mend that", source=POSITION_SOURCE)]
    words = source.shape[1] - 1  # the end-of-sentence token stays where it is
    for row in source[1:]:
        row[:words] = row[subject.rng.permutation(words)]
    changes = baseline.change(subject.logits(source, target_in)[1:])
    seen = f"permuting the words of the source changes the logits by {changes.max():.2g} of their spread"
    # The same numbers are added in another order, so that a rounding error is left.
    if changes.max() > 5 * baseline.exact:
        return [passed(ORDER, seen, source=POSITION_SOURCE)]
    if subject.hooks.positions == "none":
        return [skipped(ORDER, f"{seen}, as is meant: position is 'none'", source=POSITION_SOURCE)]
    return [
        Finding(
            ORDER,
            "warn" if subject.hooks.positions is None else "fail",
            "positions-absent",
            seen,
            "The encoder has no positions: to it a sentence is a bag of words.",
            "Add positions to the source's embeddings, before the first layer. If none are meant, say so with "
            "Hooks(positions='none').",
            POSITION_SOURCE,
        )
    ]


def _judge_side(subject: Subject, side: str, ids: Ids, embedded: Floats, entering: Floats) -> Finding:
    positions = entering - embedded  # (B, T, d_model)
    spreads = float(embedded.std()), float(positions.std())
    ratio = spreads[1] / max(spreads[0], 1e-12)
    seen = f"{side}: embeddings have spread {spreads[0]:.2g}, positions {spreads[1]:.2g}"
    kind = subject.hooks.positions
    if ratio < 1e-6:
        return _without_positions(side, kind, seen)
    times = _times_sinusoids(positions)
    if times is not None and times > 1.5 and kind in (None, "sinusoidal"):
        if times > 3.5 or abs(times - round(times)) > 0.15:
            return _multiplied(f"{seen}; they are {times:.3g} times the sinusoids")
        return Finding(
            SPREADS,
            "fail",
            "positions-added-twice",
            f"{seen}; they are {times:.3g} times the sinusoids",
            "Positions are added more than once: in the embedding layer and again in the stack, say.",
            "Add them once, after the embedding is scaled.",
            POSITION_SOURCE,
        )
    return _judge_ratio(subject, side, ids, embedded, ratio, seen)


def _multiplied(seen: str) -> Finding:
    return Finding(
        SPREADS,
        "fail",
        "positions-scaled",
        seen,
        "Positions are multiplied by a number, by sqrt(d_model) together with the embedding, say: words are hard to "
        "tell apart beside them.",
        "Scale the embedding first, then add the sinusoids as they are.",
        POSITION_SOURCE,
    )


def _without_positions(side: str, kind: str | None, seen: str) -> Finding:
    if kind in ("none", "rotary"):
        return passed(SPREADS, f"{seen}: nothing is added, as {kind!r} positions mean", source=POSITION_SOURCE)
    return Finding(
        SPREADS,
        "warn" if kind is None else "fail",
        "positions-absent",
        f"{seen}: nothing is added to the embeddings",
        f"The {'encoder' if side == 'source' else 'decoder'} gets no positions.",
        "Add them before the first layer. If they come in elsewhere, say so with Hooks(positions='rotary').",
        POSITION_SOURCE,
    )


def _judge_ratio(subject: Subject, side: str, ids: Ids, embedded: Floats, ratio: float, seen: str) -> Finding:
    factor = _factor(subject, side, ids, embedded)
    root = math.sqrt(embedded.shape[-1])
    seen += f" (ratio {ratio:.2g}, 0.7 at the start in the paper)"
    if factor is not None:
        seen += f"; rows of the matrix times {factor:.3g}, sqrt(d_model) is {root:.3g}"
    scaled = factor is not None and 0.8 < factor / root < 1.25
    twice = factor is not None and factor / root > 1.25
    # Unscaled embeddings may have been drawn large instead: only a ratio out of order makes it a fault.
    if (ratio > DROWNING or (factor is not None and ratio > DROWNING / 2)) and not scaled:
        return Finding(
            SPREADS,
            "fail",
            "embedding-not-scaled",
            seen,
            "Embeddings are much smaller than what is added to them, so that words are hard to tell apart: they are "
            "not multiplied by sqrt(d_model).",
            "Multiply by sqrt(d_model) before positions are added.",
            SCALE_SOURCE,
        )
    if ratio < DROWNED or (twice and ratio < 4 * DROWNED):
        # Positions that are learned start small and may grow.
        return Finding(
            SPREADS,
            "warn" if subject.hooks.positions == "learned" else "fail",
            "positions-drowned",
            seen,
            "Embeddings are so much larger than positions that order is hard to see: scaled twice, or scaled although "
            "drawn with variance 1.",
            "Draw embeddings with variance 1/d_model and multiply them by sqrt(d_model), once.",
            SCALE_SOURCE,
        )
    return passed(SPREADS, seen, source=SCALE_SOURCE)


def _times_sinusoids(positions: Floats) -> float | None:
    """Which multiple of the sinusoids the positions (B, T, d_model) are; None if they are something else."""
    from keras_transformer.layers.positions import angular_frequencies

    length, size = positions.shape[1:]
    if size % 2:
        return None
    angles = np.arange(length)[:, None] * angular_frequencies(size)
    mean = positions.mean(axis=0)
    pairs = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, size)
    halves = np.concatenate([np.sin(angles), np.cos(angles)], -1)  # the other common order of components
    for sinusoids in (pairs, halves):
        times = float((mean * sinusoids).sum() / (sinusoids**2).sum())
        if np.abs(mean - times * sinusoids).max() < 0.1 * abs(times):
            return times
    return None


def _factor(subject: Subject, side: str, ids: Ids, embedded: Floats) -> float | None:
    """By how much the rows of the embedding matrix are multiplied; None without a hook to the matrix."""
    if side not in subject.hooks.embeddings:
        return None
    rows = to_numpy(subject.hooks.embeddings[side])[ids]
    return float((rows * embedded).sum() / max(float((rows * rows).sum()), 1e-12))
