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


def check_source_padding(subject: Subject) -> list[Finding]:
    """Add padding to the source: neither logits nor, given a hook, the encoder's output at the words may change.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _source_padding(subject)


def check_target_padding(subject: Subject) -> list[Finding]:
    """Add padding to the target: the logits of the positions before it may not change.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _target_padding(subject)


def check_padding_weights(subject: Subject) -> list[Finding]:
    """Look at the weight of padding in every layer and head, given a hook.

    Args:
        subject: the model.

    Returns:
        Findings, one for each kind of attention that sees padding.
    """
    if not subject.baseline.finite:
        return [skipped(IN_WEIGHTS, "the logits are not finite", fix="first mend that", source=SOURCE)]
    hook = subject.hooks.attention_weights
    if hook is None:
        fix = "pass Hooks(attention_weights=...) to see which layer and head"
        return [skipped(IN_WEIGHTS, "the weights cannot be seen", fix=fix, source=SOURCE)]
    source, target_in = padded(subject)
    by_kind = hook(source, target_in)
    hidden = (source == subject.pad_id)[:, None, None, :]
    findings = []
    for kind, fault in (("encoder", "source-padding-visible"), ("cross", "cross-padding-visible")):
        layers = [to_numpy(layer) for layer in by_kind.get(kind, ())]
        for number, weights in enumerate(layers, start=1):
            finding = _judge_layer(kind, fault, number, weights, np.broadcast_to(hidden, weights.shape), subject)
            if finding is not None:
                findings.append(finding)
                break
    return findings or [passed(IN_WEIGHTS, "padding has weight 0 in every layer and head", source=SOURCE)]


CHECKS = (check_source_padding, check_target_padding, check_padding_weights)


def padded(subject: Subject) -> tuple[Ids, Ids]:
    """The baseline's sentence pair with padding added to both.

    Args:
        subject: the model.

    Returns:
        source (1, S + p) and target_in (1, T + p).
    """
    pads = np.full((1, PADDING), subject.pad_id, "int32")
    baseline = subject.baseline
    return np.concatenate([baseline.source[:1], pads], 1), np.concatenate([baseline.target_in[:1], pads], 1)


@on_clear_answers(IN_SOURCE, SOURCE)
def _source_padding(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    source, target_in = padded(subject)
    if baseline.failure is None:
        target_in = baseline.target_in[:1]
    length = baseline.target_in.shape[1]
    logits = subject.logits(source, target_in)[0, :length]
    changes = baseline.change(logits)
    seen = f"{PADDING} positions of padding change the logits by {changes.max():.2g} of their spread"
    memory = _memory_change(subject, source)
    if memory is not None:
        seen += f", the encoder's output at the words by {memory:.2g}"
    if changes.max() <= baseline.loose:
        return [passed(IN_SOURCE, seen, source=SOURCE)]
    if memory is not None and memory <= baseline.loose:
        return [
            Finding(
                IN_SOURCE,
                "fail",
                "cross-padding-visible",
                f"{seen}; most at target position {int(changes.argmax())}",
                "Cross-attention has no padding mask: a translation depends on how long the other sentences of its "
                "batch are.",
                "Give cross-attention the mask of the source's padding, made from the source ids.",
                SOURCE,
            )
        ]
    where = "The encoder's self-attention" if memory is not None else "The encoder or cross-attention"
    return [
        Finding(
            IN_SOURCE,
            "fail",
            "source-padding-visible",
            f"{seen}; most at target position {int(changes.argmax())}",
            f"{where} has no padding mask, or loses it on the way (arithmetic drops Keras's implicit masks); a "
            "translation depends on how long the other sentences of its batch are.",
            "Make the mask from the source ids, once, and pass it to every layer explicitly.",
            SOURCE,
        )
    ]


def _memory_change(subject: Subject, source: Ids) -> float | None:
    """How much padding changes the encoder's output at the words, in its spread; None without a hook."""
    if subject.hooks.encode is None:
        return None
    words = subject.baseline.source[:1]
    before = to_numpy(subject.hooks.encode(words))
    after = to_numpy(subject.hooks.encode(source))[:, : words.shape[1]]
    return float(np.abs(after - before).max() / max(float(before.std()), 1e-12))


@on_clear_answers(IN_TARGET, SOURCE)
def _target_padding(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    source, target_in = padded(subject)
    if baseline.failure is None:
        source = baseline.source[:1]
    length = baseline.target_in.shape[1]
    changes = baseline.change(subject.logits(source, target_in)[0, :length])
    seen = f"{PADDING} positions of padding change the logits before them by {changes.max():.2g} of their spread"
    if changes.max() <= baseline.loose:
        return [passed(IN_TARGET, seen, source=SOURCE)]
    return [
        Finding(
            IN_TARGET,
            "fail",
            "target-padding-visible",
            f"{seen}; most at position {int(changes.argmax())}",
            "Padding after the target is seen by the words before it: the causal mask is missing, or joined with a "
            "padding mask of opposite sense.",
            "Hide position j from position i wherever j > i; join masks with `and` where True is visible, with `or` "
            "where True is hidden.",
            SOURCE,
        )
    ]


def _judge_layer(
    kind: str, fault: str, number: int, weights: Floats, hidden: np.ndarray, subject: Subject
) -> Finding | None:
    """One layer's weights (B, h, T, S) where `hidden` marks padding."""
    where = f"{kind} attention of layer {number}"
    finding = masked_wrongly(IN_WEIGHTS, where, weights, hidden)
    mass = np.where(hidden, weights, 0.0).sum(-1).max(axis=(0, 2))  # (h,)
    if finding is not None or mass.max() <= 2 * subject.epsilon:
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
