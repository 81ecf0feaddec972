"""Are heads split so that a position stays a position? The paper's section 3.2.2."""

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.hooks import AttentionHook, Hooks
from keras_transformer.diagnostics.doctor.subject import Subject

NAME, SOURCE = "heads", "section 3.2.2"
LENGTH = 6
TOLERANCES = {2.0**-23: 1e-4, 2.0**-11: 1e-2, 2.0**-8: 5e-2}


def check_heads(subject: Subject) -> list[Finding]:
    """Show attention one key and change everything at the other positions: the output may not change.

    Args:
        subject: the model.

    Returns:
        One finding for all layers.
    """
    hooks = subject.hooks
    if hooks.attention is None and not hooks.attention_layers:
        fix = "pass Hooks(attention_layers=[AttentionHook(...)]) or Hooks(attention=..., key_dim=...)"
        return [skipped(NAME, "no attention layer can be called by itself", fix=fix, source=SOURCE)]
    rng = np.random.default_rng(subject.seed)
    tolerance = TOLERANCES[subject.epsilon if subject.baseline.finite else 2.0**-23]
    changes = {layer.name: _layer_change(layer, rng) for layer in hooks.attention_layers}
    if hooks.attention is not None:
        changes["attention"] = _function_change(hooks, rng)
    worst = max(changes, key=lambda name: changes[name][0])
    change, position, key = changes[worst]
    if change <= tolerance:
        seen = f"with one key visible, the others change the output by {change:.1g} of its size at most, in all layers"
        return [passed(NAME, seen if len(changes) > 1 else seen.removesuffix(", in all layers"), source=SOURCE)]
    wrong = sum(size > tolerance for size, _, _ in changes.values())
    return [
        Finding(
            NAME,
            "fail",
            "heads-wrong-reshape",
            f"{worst}: with key {key} alone visible, other positions change the output at position {position} by "
            f"{change:.2g} of its size ({wrong} of {len(changes)} layers)",
            "Heads are split or joined by a reshape in the wrong order, so that a head mixes positions; or the mask is "
            "not applied. Such a model trains, to single-digit BLEU.",
            "Split by reshape to (B, T, h, d_k), then transpose to (B, h, T, d_k); join by the same steps backwards.",
            SOURCE,
        )
    ]


CHECKS = (check_heads,)


def _layer_change(layer: AttentionHook, rng: np.random.Generator) -> tuple[float, int, int]:
    """Largest change of a layer's output, in its largest number, the position and the visible key."""
    inputs, others = rng.normal(size=(2, 1, LENGTH, layer.d_model)).astype("float32")
    memory, other_memory = rng.normal(size=(2, 1, LENGTH + 1, layer.d_model)).astype("float32")
    worst = (0.0, 0, 0)
    for key in (0, LENGTH - 1):
        if layer.cross:
            changed = np.where(np.arange(LENGTH + 1)[:, None] == key, memory, other_memory)
            mask = (np.arange(LENGTH + 1) == key)[None, None, None, :]
            pair = (layer.output(inputs, memory, mask), layer.output(others, changed, mask))
        else:
            changed = np.where(np.arange(LENGTH)[:, None] == key, inputs, others)
            mask = (np.arange(LENGTH) == key)[None, None, None, :]
            pair = (layer.output(inputs, None, mask), layer.output(changed, None, mask))
        worst = max(worst, (*_difference(*map(to_numpy, pair)), key))
    return worst


def _function_change(hooks: Hooks, rng: np.random.Generator) -> tuple[float, int, int]:
    """The same for a function of queries, keys and values."""
    assert hooks.attention is not None
    shape = (1, LENGTH, 3, hooks.key_dim)
    query, key, value, *others = rng.normal(size=(6, *shape)).astype("float32")
    worst = (0.0, 0, 0)
    for visible in (0, LENGTH - 1):
        one = np.arange(LENGTH) == visible
        mask = np.broadcast_to(one, (1, 1, LENGTH, LENGTH))
        keep = one[:, None, None]
        before = hooks.attention(query, key, value, mask)
        after = hooks.attention(others[0], np.where(keep, key, others[1]), np.where(keep, value, others[2]), mask)
        worst = max(worst, (*_difference(to_numpy(before), to_numpy(after)), visible))
    return worst


def _difference(before: Floats, after: Floats) -> tuple[float, int]:
    """Largest difference, in the largest number, and its position on axis 1."""
    size = max(float(np.abs(before).max()), 1e-12)
    by_position = np.abs(after - before).reshape(*before.shape[:2], -1).max(axis=(0, 2)) / size
    by_position = np.where(np.isnan(by_position), np.inf, by_position)
    return float(by_position.max()), int(by_position.argmax())
