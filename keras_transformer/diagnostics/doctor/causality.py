"""Does the decoder see the past and the present, and nothing of the future? The paper's section 3.2.3."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.arrays import Floats
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

NAME, SOURCE = "causal mask", "section 3.2.3"
OTHER_LENGTH = 12
"""A target length at which heads split by a wrong reshape mix other positions than at the usual one."""


class Influence(NamedTuple):
    """Which target position changes which logits.

    Args:
        size: (T, T), row c, column o: change of the logits at o when the token at c is another, in spreads.
        seen: the same, whether it is more than none.
        others: (T,), the tokens that were put in.
    """

    size: Floats
    seen: npt.NDArray[np.bool_]
    others: Ids

    @property
    def future(self) -> npt.NDArray[np.bool_]:
        """(T, T): o sees c, which comes later."""
        return np.tril(self.seen, -1)

    @property
    def past(self) -> npt.NDArray[np.bool_]:
        """(T, T): o sees c, which came before."""
        return np.triu(self.seen, 1)


def influence(subject: Subject, source: Ids, target_in: Ids, first_others: Ids | None = None) -> Influence:
    """Change each target token in turn, each in a row of its own, and watch the logits.

    Args:
        subject: the model.
        source: ids (1, S).
        target_in: ids (1, T).
        first_others: tokens to put in at the first positions; None draws all.

    Returns:
        What changes what.
    """
    length = target_in.shape[1]
    rows = np.repeat(target_in, length + 1, axis=0)
    places = np.arange(length)
    others = subject.other_words(target_in[0])
    if first_others is not None:
        others[: len(first_others)] = first_others
    rows[places, places] = others
    logits = subject.logits(np.repeat(source, length + 1, axis=0), rows)
    size = subject.baseline.change(logits[:-1], logits[-1])
    return Influence(size, size > subject.baseline.exact, others)


def check_causality(subject: Subject) -> list[Finding]:
    """Change a future token, the present one and past ones, and watch the logits.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _from_logits(subject)


def check_causal_weights(subject: Subject) -> list[Finding]:
    """Look at the weights of the present and the future, given a hook.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _from_weights(subject)


CHECKS = (check_causality, check_causal_weights)


@on_clear_answers(NAME, SOURCE)
def _from_logits(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    source, target_in = baseline.source[:1], baseline.target_in[:1]
    found = influence(subject, source, target_in)
    length = len(found.seen)
    pairs = length * (length - 1) // 2
    adjacent = np.diagonal(found.seen, 1)
    future, past = int(found.future.sum()), int(found.past.sum())
    patchy = (future or not adjacent.all()) and _is_patchy(found.size, baseline.loose, baseline.exact)
    if patchy and _depends_on_length(subject, source, target_in, found):
        return [_wrong_reshape(found, pairs)]
    if future and not past:
        return [_reversed(found)]
    if future:
        return [_sees_the_future(found, pairs)]
    if np.diagonal(found.seen).mean() < 0.5:
        return [_present_hidden(found)]
    if not past:
        return [_history_hidden(found)]
    quiet, clear = np.tril(found.size, -1).max(), np.median(np.diagonal(found.size, 1))
    evidence = (
        f"changing a later token changes logits by {quiet:.1g} of their spread at most, the token before by {clear:.2g}"
    )
    return [passed(NAME, evidence, source=SOURCE)]


def _depends_on_length(subject: Subject, source: Ids, target_in: Ids, found: Influence) -> bool:
    """Whether other positions see each other when the target is longer: no mask does that."""
    length = target_in.shape[1]
    words = subject.example_batch(1, source.shape[1], OTHER_LENGTH)[1]
    words[:, :length] = target_in
    if source.shape[1] == length:  # a model that failed on different lengths
        source = subject.example_batch(1, OTHER_LENGTH, OTHER_LENGTH)[0]
    longer = influence(subject, source, words, found.others).size[:length, :length]
    # A position that is hardly seen at one length may not be at another; a mask shows it or hides it at both.
    clear, none = subject.baseline.loose, subject.baseline.exact
    return bool((((longer > clear) & (found.size <= none)) | ((found.size > clear) & (longer <= none))).any())


def _is_patchy(size: Floats, clear: float, none: float) -> bool:
    """Whether some token is seen at a position and not at the next one.

    A causal mask that is missing, off by some positions or dropped for the last ones never does that, whatever the
    length; a reshape in the wrong order, which deals positions out to heads, does.
    """
    return bool(((size[:, :-1] > clear) & (size[:, 1:] <= none)).any())


def _largest(sizes: Floats) -> tuple[int, int, float]:
    """Changed position, position of the logits, and the size of the largest change."""
    changed, seen = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return int(changed), int(seen), float(sizes[changed, seen])


def _sees_the_future(found: Influence, pairs: int) -> Finding:
    changed, at, size = _largest(np.tril(found.size, -1))
    ahead = max(changed - at for changed, at in np.argwhere(found.future))
    near = ahead < len(found.seen) - 1 and bool(np.diagonal(found.seen, -1).all())
    seen = (
        f"changing the token at position {changed} changes the logits at {at}, before it, by {size:.2g} of their "
        f"spread; so in {int(found.future.sum())} of {pairs} pairs, up to {ahead} positions ahead"
    )
    if near:
        return Finding(
            NAME,
            "fail",
            "causal-mask-off-by-one",
            seen,
            "The mask lets each position see a few later ones, usually the next one in every layer.",
            "Let position i see j <= i: the mask is the lower triangle with its diagonal.",
            SOURCE,
        )
    return Finding(
        NAME,
        "fail",
        "causal-mask-missing",
        seen,
        "The decoder reads the word that it is to predict: training loss falls to nothing, translations are noise.",
        "Give the decoder's self-attention a mask in which position i sees j <= i, and look that no layer drops it.",
        SOURCE,
    )


def _reversed(found: Influence) -> Finding:
    changed, at, size = _largest(np.tril(found.size, -1))
    return Finding(
        NAME,
        "fail",
        "causal-mask-reversed",
        f"changing position {changed} changes the logits at {at}, before it, by {size:.2g} of their spread, and no "
        "change reaches a later position",
        "True and False, or rows and columns, are exchanged: the decoder sees the future and not the past.",
        "Keep j <= i, with i the query's position (rows) and j the key's (columns); know whether your attention takes "
        "True for visible (Keras) or for hidden (torch).",
        SOURCE,
    )


def _present_hidden(found: Influence) -> Finding:
    hidden = [int(i) for i in np.flatnonzero(~np.diagonal(found.seen))]
    return Finding(
        NAME,
        "fail",
        "causal-mask-diagonal",
        f"changing the token at position {hidden[0]} does not change the logits at {hidden[0]} "
        f"({len(hidden)} of {len(found.seen)} positions)",
        "The mask is j < i instead of j <= i, or the model shifts a target that was shifted already.",
        "Let each position see itself; shift the target once, in the pipeline or in the model.",
        SOURCE,
    )


def _history_hidden(found: Influence) -> Finding:
    return Finding(
        NAME,
        "fail",
        "target-history-ignored",
        f"none of {len(found.seen)} positions sees an earlier one: the largest change is "
        f"{np.triu(found.size, 1).max():.1g} of the spread",
        "Decoder self-attention sees the present position only: a mask that keeps the diagonal, or none of the past.",
        "Let position i see every j <= i.",
        SOURCE,
    )


def _wrong_reshape(found: Influence, pairs: int) -> Finding:
    return Finding(
        NAME,
        "fail",
        "heads-wrong-reshape",
        f"{int(found.future.sum())} of {pairs} later positions and {int(found.past.sum())} of {pairs} earlier ones are "
        f"seen, and others when the target is {OTHER_LENGTH} long instead of {len(found.seen)}",
        "What sees what depends on the length, which no mask does: heads are split or joined by a reshape in the wrong "
        "order, so that a head mixes positions.",
        "Split by reshape to (B, T, h, d_k), then transpose to (B, h, T, d_k); join by the same steps backwards.",
        "section 3.2.2",
    )


def _from_weights(subject: Subject) -> list[Finding]:
    name = f"{NAME}, weights"
    if subject.weights is None:
        fix = "pass Hooks(attention_weights=...) to see a diagonal shut out"
        return [skipped(name, "the weights cannot be seen", fix=fix, source=SOURCE)]
    layers = subject.weights["decoder"]
    if not layers:
        return [skipped(name, "the hook shows no decoder self-attention", source=SOURCE)]
    findings = []
    for number, weights in enumerate(layers, start=1):
        finding = _judge_weights(name, number, weights)
        if finding is not None:
            findings.append(finding)
    least = min(float(np.diagonal(weights, axis1=2, axis2=3).min()) for weights in layers)
    return findings[:1] or [passed(name, f"weight of the present position {least:.2g} at least", source=SOURCE)]


def _judge_weights(name: str, number: int, weights: Floats) -> Finding | None:
    """One decoder layer's weights (B, h, T, T)."""
    diagonal = np.diagonal(weights, axis1=2, axis2=3)  # (B, h, T)
    past = np.tril(weights, -1).max()
    # The first position is often let see itself, or mixes all evenly, as it would see nothing otherwise.
    if (diagonal[..., 1:] == 0).all() and past > 0:
        return Finding(
            name,
            "fail",
            "causal-mask-diagonal",
            f"decoder layer {number}: from position 1 on the present position has weight 0 in all {weights.shape[1]} "
            f"heads, earlier ones up to {past:.2g}",
            "The mask is j < i instead of j <= i. The first position then sees nothing, unless it is let see itself: "
            "zeros, an even mixture of all positions, or NaN, by how the mask is applied.",
            "Let each position see itself: a lower triangle with its diagonal.",
            SOURCE,
        )
    hidden = np.triu(np.ones(weights.shape[-2:], "bool"), 1)
    return masked_wrongly(name, f"decoder layer {number}", weights, np.broadcast_to(hidden, weights.shape))


def masked_wrongly(name: str, where: str, weights: Floats, hidden: npt.NDArray[np.bool_]) -> Finding | None:
    """How a mask was misapplied, if the weights of hidden positions tell.

    Args:
        name: of the check.
        where: the layer, for the evidence.
        weights: (B, h, T, S).
        hidden: the same shape, True where a key should be invisible.

    Returns:
        A finding "masked-with-zero", where all hidden keys of a query have one positive weight, as a score of 0 gives
        it; "mask-after-softmax", where the visible weights do not sum to 1; or None.
    """
    several = (hidden.sum(-1) >= 2) & (~hidden).any(-1)  # (B, h, T)
    if not several.any():
        return None
    rows = np.where(hidden, weights, np.nan)[several]
    low, high = np.nanmin(rows, axis=-1), np.nanmax(rows, axis=-1)
    if high.min() > 1e-8 and ((high - low) <= 1e-3 * high).all():
        return Finding(
            name,
            "fail",
            "masked-with-zero",
            f"{where}: hidden positions have weight {high.max():.2g}, each of them the same",
            "Hidden scores were set to 0 (multiplied by the mask) before softmax: exp(0) is 1, so they stay visible.",
            "Set hidden scores to a large negative number of the dtype, then take softmax.",
            SOURCE,
        )
    sums = weights.sum(-1)[several]
    sums = sums[sums > 0]  # a query may see nothing at all, as padding does whose neighbours are padding
    if high.max() == 0 and sums.size and sums.min() < 0.99:
        return Finding(
            name,
            "fail",
            "mask-after-softmax",
            f"{where}: the weights of visible positions sum to {sums.min():.2g}, expected 1",
            "The mask was applied after softmax: hidden positions still take their share of the sum.",
            "Mask the scores before softmax.",
            SOURCE,
        )
    return None
