"""Is padding invisible, in the source, in the target and through cross-attention? The paper's section 3.2.3."""

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.causality import masked_wrongly
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

SOURCE = "section 3.2.3"
IN_SOURCE, IN_TARGET, IN_WEIGHTS = "source padding", "target padding", "padding, weights"
PADDING = 9
"""Padding added to the end of a sentence: enough that it outweighs the words if it is visible."""


def check_padding(subject: Subject) -> list[Finding]:
    """Add padding to source and target: the logits of the positions before it may not change.

    Args:
        subject: the model.

    Returns:
        A finding for the source's padding and one for the target's.
    """
    return _padding(subject)


def check_padding_weights(subject: Subject) -> list[Finding]:
    """Look at the weight of padding in every layer and head, given a hook.

    Args:
        subject: the model.

    Returns:
        Findings, one for each kind of attention that sees padding.
    """
    if not subject.baseline.finite:
        return [skipped(IN_WEIGHTS, "the logits are not finite", fix="first mend that", source=SOURCE)]
    if subject.weights is None:
        fix = "pass Hooks(attention_weights=...) to see which layer and head"
        return [skipped(IN_WEIGHTS, "the weights cannot be seen", fix=fix, source=SOURCE)]
    hidden = (subject.half_padded_source == subject.pad_id)[:, None, None, :]
    findings = []
    for kind, fault in (("encoder", "source-padding-visible"), ("cross", "cross-padding-visible")):
        for number, weights in enumerate(subject.weights[kind], start=1):
            if weights.shape[-1] != hidden.shape[-1]:
                continue  # keys that are not the source's: see the check whether it is read
            finding = _judge_layer(kind, fault, number, weights, np.broadcast_to(hidden, weights.shape), subject)
            if finding is not None:
                findings.append(finding)
                break
    return findings or [passed(IN_WEIGHTS, "padding has weight 0 in every layer and head", source=SOURCE)]


CHECKS = (check_padding, check_padding_weights)


@on_clear_answers(IN_SOURCE, SOURCE)
def _padding(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    pads = np.full((len(baseline.source), PADDING), subject.pad_id, "int32")
    source, target_in = np.concatenate([baseline.source, pads], 1), np.concatenate([baseline.target_in, pads], 1)
    both = _change(subject, source, target_in)
    if both.max() <= baseline.loose:
        seen = f"{PADDING} positions of padding change the logits by {both.max():.1g} of their spread"
        return [passed(IN_SOURCE, seen, source=SOURCE), passed(IN_TARGET, seen, source=SOURCE)]
    if baseline.failure is not None:  # lengths must be the same, so that one cannot be lengthened alone
        return [_judge_source(subject, source, both)]
    in_target = _change(subject, baseline.source, target_in)
    return [
        _judge_source(subject, source, _change(subject, source, baseline.target_in)),
        _judge_target(in_target, baseline.loose),
    ]


def _change(subject: Subject, source: Ids, target_in: Ids) -> Floats:
    """By position of the baseline's target, how much its logits change."""
    length = subject.baseline.target_in.shape[1]
    return subject.baseline.change(subject.logits(source, target_in)[:, :length]).max(axis=0)


def _judge_source(subject: Subject, source: Ids, changes: Floats) -> Finding:
    seen = f"{PADDING} positions of padding change the logits by {changes.max():.2g} of their spread"
    if changes.max() <= subject.baseline.loose:
        return passed(IN_SOURCE, seen, source=SOURCE)
    memory = _memory_change(subject, source)
    where = "The encoder or cross-attention" if memory is None else "The encoder's self-attention"
    if memory is not None:
        seen += f", the encoder's output at the words by {memory:.2g}"
    seen += f"; most at target position {int(changes.argmax())}"
    batch = "so that a translation depends on how long the other sentences of its batch are."
    if _encoder_is_clean(subject) if memory is None else memory <= subject.baseline.loose:
        return Finding(
            IN_SOURCE,
            "fail",
            "cross-padding-visible",
            seen,
            f"Cross-attention has no padding mask, {batch}",
            "Give cross-attention the mask of the source's padding, made from the source ids.",
            SOURCE,
        )
    return Finding(
        IN_SOURCE,
        "fail",
        "source-padding-visible",
        seen,
        f"{where} has no padding mask, or loses it on the way (arithmetic drops Keras's implicit masks), {batch}",
        "Make the mask from the source ids, once, and pass it to every layer explicitly.",
        SOURCE,
    )


def _judge_target(changes: Floats, none: float) -> Finding:
    seen = f"{PADDING} positions of padding change the logits before them by {changes.max():.2g} of their spread"
    if changes.max() <= none:
        return passed(IN_TARGET, seen, source=SOURCE)
    return Finding(
        IN_TARGET,
        "fail",
        "target-padding-visible",
        f"{seen}; most at position {int(changes.argmax())}",
        "Padding after the target is seen by the words before it: the causal mask is missing, or joined with a padding "
        "mask of opposite sense.",
        "Hide position j from position i wherever j > i; join masks with `and` where True is visible, with `or` where "
        "True is hidden.",
        SOURCE,
    )


def _memory_change(subject: Subject, source: Ids) -> float | None:
    """How much padding changes the encoder's output at the words, in its spread; None without a hook."""
    if subject.hooks.encode is None:
        return None
    words = subject.baseline.source
    before = to_numpy(subject.hooks.encode(words))
    after = to_numpy(subject.hooks.encode(source))[:, : words.shape[1]]
    return float(np.abs(after - before).max() / max(float(before.std()), 1e-12))


def _encoder_is_clean(subject: Subject) -> bool:
    """Whether weights show that the encoder hides padding and cross-attention does not."""
    try:
        weights = subject.weights
    except Exception:  # a hook that fails is told by the checks of weights
        return False
    if weights is None or not weights["encoder"] or not weights["cross"]:
        return False
    hidden = (subject.half_padded_source == subject.pad_id)[:, None, None, :]
    none = 2 * subject.baseline.epsilon
    seen = {
        kind: [float(np.where(hidden, layer, 0.0).sum(-1).max()) > none for layer in weights[kind]]
        for kind in ("encoder", "cross")
        if all(layer.shape[-1] == hidden.shape[-1] for layer in weights[kind])
    }
    return not any(seen.get("encoder", [True])) and any(seen.get("cross", [False]))


def _judge_layer(
    kind: str, fault: str, number: int, weights: Floats, hidden: np.ndarray, subject: Subject
) -> Finding | None:
    """One layer's weights (B, h, T, S) where `hidden` marks padding."""
    where = f"{kind} attention of layer {number}"
    finding = masked_wrongly(IN_WEIGHTS, where, weights, hidden)
    mass = np.where(hidden, weights, 0.0).sum(-1).max(axis=(0, 2))  # (h,)
    if finding is not None or mass.max() <= 2 * subject.baseline.epsilon:
        return finding
    return Finding(
        IN_WEIGHTS,
        "fail",
        fault,
        f"{where}: head {int(mass.argmax())} gives padding up to {mass.max():.2g} of its weight",
        "The padding mask does not reach this layer.",
        "Make the mask from the source ids, once, and pass it to every layer explicitly.",
        SOURCE,
    )
