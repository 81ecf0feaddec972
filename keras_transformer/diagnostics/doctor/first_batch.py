"""What the first batch does inside of the model: attention heads and feed-forward units."""

from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.arrays import to_numpy
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.recording import recording
from keras_transformer.diagnostics.doctor.start import is_fresh
from keras_transformer.diagnostics.doctor.subject import Ids, Subject
from keras_transformer.diagnostics.doctor.training_batches import read_batches

ON_PADDING, ALIKE, UNITS = "attention on padding", "heads differ", "feed-forward units"
ROWS, COLUMNS = 8, 16
MOST_SILENT = 0.75
"""Share of silent units that passes: in a trained model many are silent on one batch, and not on the next."""


def layer_name(path: str) -> str:
    """The stack and layer of a variable or layer.

    Args:
        path: such as "transformer/encoder/layer_0/feed_forward/inner/kernel".

    Returns:
        Such as "encoder/layer_0"; the first part of a path without a layer.
    """
    parts = path.split("/")
    layers = [index for index, part in enumerate(parts) if part.startswith("layer_")]
    return "/".join(parts[max(0, layers[0] - 1) : layers[0] + 1]) if layers else parts[0]


def first_batch(subject: Subject, most_rows: int = ROWS) -> tuple[Ids, Ids, Ids]:
    """Source, target_in and target_out: the first rows of the first batch given, else random text with padding.

    Args:
        subject: the subject.
        most_rows: B, at most.

    Returns:
        ids (B, S), (B, T), (B, T).
    """
    for batch in read_batches(subject):
        rows = np.flatnonzero(batch.real.any(axis=1))[:most_rows]
        if len(rows):
            return (
                batch.source[rows, : 4 * COLUMNS],
                batch.target_in[rows, : 4 * COLUMNS],
                batch.target_out[rows, : 4 * COLUMNS],
            )
    source, target = subject.example_batch(most_rows, COLUMNS, COLUMNS + 1, padding=4)
    return source, target[:, :-1], np.where(target[:, 1:] == subject.pad_id, subject.pad_id, target[:, 1:])


def check_heads_on_padding(subject: Subject) -> list[Finding]:
    """No head puts weight on padding, and not all heads of a layer do the same.

    Args:
        subject: its hook `attention_weights`.

    Returns:
        Two findings.
    """
    if subject.hooks.attention_weights is None:
        fix = "pass Hooks(attention_weights=...)"
        return [skipped(name, "attention weights cannot be seen", fix=fix) for name in (ON_PADDING, ALIKE)]
    source, target_in, _ = first_batch(subject)
    weights = {
        kind: [to_numpy(layer) for layer in layers]
        for kind, layers in subject.hooks.attention_weights(source, target_in).items()
    }
    return [_on_padding(weights, source, target_in, subject.pad_id), _alike(weights, source, target_in, subject.pad_id)]


Weights = dict[str, list[npt.NDArray[np.float32]]]


def _keys_and_queries(kind: str, source: Ids, target_in: Ids) -> tuple[Ids, Ids]:
    return (target_in if kind == "decoder" else source), (source if kind == "encoder" else target_in)


def _on_padding(weights: Weights, source: Ids, target_in: Ids, pad_id: int) -> Finding:
    """The largest mean weight that the real positions of a head put on padding."""
    worst, place = 0.0, "no head"
    for kind, layers in weights.items():
        keys, queries = _keys_and_queries(kind, source, target_in)
        if not (keys == pad_id).any():
            continue
        for number, layer in enumerate(layers):  # (B, h, T, S)
            mass = (layer * (keys == pad_id)[:, None, None, : layer.shape[-1]]).sum(-1)  # (B, h, T)
            real = (queries != pad_id)[:, None, : mass.shape[-1]]
            heads = (mass * real).sum(axis=(0, 2)) / max(1, real.sum())
            if heads.max() > worst:
                worst, place = float(heads.max()), f"{kind} layer {number + 1}, head {int(heads.argmax()) + 1}"
    if not (source == pad_id).any() and not (target_in == pad_id).any():
        return skipped(ON_PADDING, "the first batch has no padding", fix="pass batches= with padding")
    if worst < 1e-4:
        return passed(ON_PADDING, f"at most {worst:.1g} of the weight of a real position", source="section 3.2.3")
    return Finding(
        ON_PADDING,
        "fail",
        "head-on-padding",
        f"{place} puts {100 * worst:.1f} % of its weight on padding",
        "Padding is not hidden there; what a sentence means depends on how much it is padded.",
        "Set the scores of padding to a large negative number before softmax, from ids != pad_id.",
        "section 3.2.3",
    )


def _alike(weights: Weights, source: Ids, target_in: Ids, pad_id: int) -> Finding:
    """The least difference between heads of a layer, as half the sum of absolute differences of their weights."""
    least, place = np.inf, ""
    for kind, layers in weights.items():
        _, queries = _keys_and_queries(kind, source, target_in)
        for number, layer in enumerate(layers):
            if layer.shape[1] < 2:
                continue
            real = (queries != pad_id)[:, None, : layer.shape[2]]
            apart = 0.5 * np.abs(layer - layer[:, :1]).sum(-1) * real  # (B, h, T), from the first head
            difference = float(apart[:, 1:].max())
            if difference < least:
                least, place = difference, f"{kind} layer {number + 1}"
    if not place:
        return skipped(ALIKE, "there is one head a layer", fix="nothing to do", source="section 3.2.2")
    if least > 1e-3:
        return passed(ALIKE, f"by {least:.2g} of their weight at least, in {place}", source="section 3.2.2")
    return Finding(
        ALIKE,
        "fail",
        "heads-alike",
        f"all heads of {place} have the same weights, to {least:.1g}",
        "They were given the same numbers at the start, or one projection is repeated for all: gradients keep them "
        "alike, and h heads do the work of one.",
        "Draw each head's projection by itself: one (d_model, h d_k) matrix, no seed shared between heads.",
        "section 3.2.2",
    )


def check_units(subject: Subject) -> list[Finding]:
    """Feed-forward units answer to some of the positions.

    Args:
        subject: a Keras model whose feed-forward networks are `kt.layers.FeedForward`.

    Returns:
        One finding.
    """
    layers = _feed_forward_layers(subject.model) if subject.is_keras else {}
    if not layers:
        fix = "use kt.layers.FeedForward, or watch the activations yourself"
        return [skipped(UNITS, "no feed-forward layer is known", fix=fix, source="section 3.3")]
    if not read_batches(subject) and is_fresh(subject.model) is False:
        # Trained units answer to what they were trained on, and hardly to random text.
        return [skipped(UNITS, "the model is trained", fix="pass batches= of its text", source="section 3.3")]
    source, target_in, _ = first_batch(subject, 64)
    silent: dict[str, float] = {}
    with ExitStack() as stack:  # the second layer of each network receives what the units answer
        recorded = {name: stack.enter_context(recording(layer)) for name, layer in layers.items()}
        subject.logits(source, target_in)
    for name, calls in recorded.items():
        if calls:
            answers = to_numpy(calls[0][0][0])
            active = np.abs(answers.reshape(-1, answers.shape[-1])) > 1e-6
            silent[name] = float((~active.any(axis=0)).mean())
    worst = max(silent, key=lambda name: silent[name])
    evidence = f"{100 * silent[worst]:.0f} % silent in {worst}, {100 * np.mean(list(silent.values())):.1f} % in all"
    if silent[worst] < MOST_SILENT:
        return [passed(UNITS, evidence, source="section 3.3")]
    return [
        Finding(
            UNITS,
            "fail" if silent[worst] > 0.95 else "warn",
            "dead-units",
            f"{evidence}, at {source.size + target_in.size} positions",
            "Their input is negative everywhere, so relu passes neither values nor gradients: a bias far below 0, or a "
            "learning rate that threw them there.",
            "Begin with biases of 0; warm up; look at the step where they fell silent.",
            "section 3.3",
        )
    ]


def _feed_forward_layers(model: Any) -> dict[str, Any]:
    from keras_transformer.layers import FeedForward

    found = [layer for layer in model._flatten_layers() if isinstance(layer, FeedForward)]
    return {layer_name(layer.path): layer.outer for layer in found}


CHECKS = (check_heads_on_padding, check_units)
