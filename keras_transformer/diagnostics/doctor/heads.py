"""Are heads split so that a position stays a position? The paper's section 3.2.2."""

from typing import Any

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.causality import masked_wrongly
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.hooks import AttentionHook, Hooks
from keras_transformer.diagnostics.doctor.subject import Subject

NAME, SOURCE = "heads", "section 3.2.2"
LENGTH = 6
ONE = np.eye(LENGTH, dtype="bool")
SEEN = 1e-2
"""Weight on hidden keys, or change that they make, from which on the mask does not hide them."""

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
    unmasked = _unmasked(hooks, np.random.default_rng(subject.seed))
    if unmasked is not None:
        return [unmasked]
    rng = np.random.default_rng(subject.seed)
    tolerance = TOLERANCES[subject.baseline.epsilon]
    changes = {layer.name: _layer_change(layer, rng) for layer in hooks.attention_layers}
    if hooks.attention is not None:
        changes["attention"] = _function_change(hooks, rng)
    worst = max(changes, key=lambda name: changes[name][0])
    change, position, key = changes[worst]
    if change <= tolerance:
        mixed = _queries_or_keys_mixed(hooks, np.random.default_rng(subject.seed), tolerance)
        if mixed is not None:
            return [mixed]
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


def _unmasked(hooks: Hooks, rng: np.random.Generator) -> Finding | None:
    """Whether a mask hides nothing, or hides it wrongly: a key that is then seen tells nothing of heads."""
    hidden = np.broadcast_to(~ONE[:, None, None, :], (LENGTH, 1, LENGTH, LENGTH))
    for layer in hooks.attention_layers:
        if layer.weights is None:
            continue
        inputs, memory = rng.normal(size=(2, LENGTH, LENGTH, layer.d_model)).astype("float32")
        weights = to_numpy(layer.weights(inputs, memory if layer.cross else None, ~hidden[:, :, :1]))
        unseen = np.broadcast_to(hidden, weights.shape)
        finding = masked_wrongly(NAME, layer.name, weights, unseen)
        seen = float(np.where(unseen, weights, 0.0).max())
        if finding is None and (weights.sum(-1) > 0.5).all() and seen > SEEN:
            finding = _not_hidden(f"{layer.name}: with one key visible, hidden ones have weight {seen:.2g}")
        if finding is not None:
            return finding
    return None if hooks.attention is None else _function_unmasked(hooks, ~hidden, rng)


def _function_unmasked(hooks: Hooks, mask: Any, rng: np.random.Generator) -> Finding | None:
    """The same for a function: with one key visible all weight is on it, whatever queries and keys are."""
    assert hooks.attention is not None
    query, key, other_query, other_key, value = rng.normal(size=(5, LENGTH, LENGTH, 3, hooks.key_dim)).astype("float32")
    before = to_numpy(hooks.attention(query, key, value, mask))
    change = float(_differences(before, to_numpy(hooks.attention(other_query, other_key, value, mask))).max())
    if change <= SEEN or not np.isfinite(change):
        return None
    return _not_hidden(f"attention: with one key visible, other queries and keys change the output by {change:.2g}")


def _not_hidden(seen: str) -> Finding:
    return Finding(
        NAME,
        "fail",
        "mask-without-effect",
        seen,
        "The mask does not hide what it should: it is dropped, of another sense, too weak (a small number added to the "
        "scores), or applied after softmax. Heads cannot be judged before that is mended.",
        "Set hidden scores to a large negative number of the dtype, then take softmax over the keys.",
        "section 3.2.3",
    )


def _queries_or_keys_mixed(hooks: Hooks, rng: np.random.Generator, tolerance: float) -> Finding | None:
    """Whether the ratio of two weights depends on the vector at a third position, as no score of q and k makes it.

    It finds a wrong reshape of queries or keys alone, which one visible key cannot show, whatever scales, turns or
    shifts the scores by position.
    """
    everything = np.ones((LENGTH, 1, 1, LENGTH), "bool")
    for layer in hooks.attention_layers:
        if layer.weights is None:
            continue
        drawn = rng.normal(size=(4, 1, LENGTH, layer.d_model)).astype("float32")
        inputs, memory, others, other_memory = (np.repeat(x, LENGTH, 0) for x in drawn)
        at = ONE[:, :, None]  # row k has another vector at k
        changed = np.where(at, others, inputs), np.where(at, other_memory, memory) if layer.cross else None
        before = to_numpy(layer.weights(inputs, memory if layer.cross else None, everything))
        after = to_numpy(layer.weights(*changed, everything))
        ratios = _ratio_changes(before, after)  # (k, T)
        if ratios.max() > max(10 * tolerance, 0.1):
            place, position = np.unravel_index(int(ratios.argmax()), ratios.shape)
            return _mixed(layer.name, int(place), int(position), float(np.exp(ratios.max())))
    return None


def _ratio_changes(before: Floats, after: Floats) -> Floats:
    """By changed position k and query, the largest change of the logarithm of a ratio of weights, k left out."""
    clear = (before > 1e-4) & (after > 1e-4) & ~ONE[:, None, None, :] & ~ONE[:, None, :, None]
    logs = np.log(np.where(clear, after, 1.0)) - np.log(np.where(clear, before, 1.0))
    most, least = np.where(clear, logs, -np.inf).max(-1), np.where(clear, logs, np.inf).min(-1)
    return np.where(clear.any(-1), most - np.where(np.isfinite(least), least, 0.0), 0.0).max(axis=1).astype("float32")


def _mixed(name: str, place: int, position: int, factor: float) -> Finding:
    return Finding(
        NAME,
        "fail",
        "heads-wrong-reshape",
        f"{name}: another vector at position {place} changes the ratio of the weights that position {position} gives "
        f"to two others by a factor of {factor:.2g}",
        "Queries or keys are split by a reshape in the wrong order, so that a head mixes positions.",
        "Split by reshape to (B, T, h, d_k), then transpose to (B, h, T, d_k), queries and keys alike.",
        SOURCE,
    )


def _layer_change(layer: AttentionHook, rng: np.random.Generator) -> tuple[float, int, int]:
    """Largest change of a layer's output, in its largest number, its position and the key visible there.

    Row k of the batch shows key k alone, and keeps the vector at k.
    """
    shape = (1, LENGTH, layer.d_model)
    inputs, others, memory, other_memory = (np.repeat(x, LENGTH, 0) for x in rng.normal(size=(4, *shape)))
    if not layer.cross:
        memory, other_memory = inputs, others
    changed = np.where(ONE[:, :, None], memory, other_memory)
    before, after = _outputs(layer, (inputs, memory), (others, changed), ONE[:, None, None, :])
    worst = _largest(before, after)
    own = np.where(ONE[:, :, None], inputs, others)
    try:
        before, after = _outputs(layer, (inputs, memory), (own, changed), np.repeat(ONE[None, None], LENGTH, 0))
    except ValueError:  # attention to neighbours takes no mask that differs between queries
        return worst
    return max(worst, _largest_at_own(before, after))


def _outputs(layer: AttentionHook, first: tuple[Any, Any], second: tuple[Any, Any], mask: Any) -> tuple[Floats, Floats]:
    """The layer's outputs for two pairs of queries' and keys' vectors; in self-attention they are the keys' alone."""

    def output(inputs: Any, memory: Any) -> Floats:
        inputs, memory = inputs.astype("float32"), memory.astype("float32")
        return to_numpy(layer.output(inputs, memory, mask) if layer.cross else layer.output(memory, None, mask))

    return output(*first), output(*second)


def _function_change(hooks: Hooks, rng: np.random.Generator) -> tuple[float, int, int]:
    """The same for a function of queries, keys and values."""
    attention = hooks.attention
    assert attention is not None
    drawn = rng.normal(size=(6, 1, LENGTH, 3, hooks.key_dim)).astype("float32")
    query, key, value, *others = (np.repeat(x, LENGTH, 0) for x in drawn)
    keep = ONE[:, :, None, None]
    changed = (others[0], np.where(keep, key, others[1]), np.where(keep, value, others[2]))
    one_for_all = np.broadcast_to(ONE[:, None, None, :], (LENGTH, 1, LENGTH, LENGTH))
    before, after = (to_numpy(attention(*each, one_for_all)) for each in ((query, key, value), changed))
    worst = _largest(before, after)
    own = np.repeat(ONE[None, None], LENGTH, 0)
    before, after = (to_numpy(attention(*each, own)) for each in ((query, key, value), changed))
    return max(worst, _largest_at_own(before, after))


def _differences(before: Floats, after: Floats) -> Floats:
    """By row and position (k, T), in the largest number of all."""
    change = np.abs(after - before).reshape(*before.shape[:2], -1).max(-1) / max(float(np.abs(before).max()), 1e-12)
    return np.where(np.isnan(change), np.inf, change).astype("float32")


def _largest(before: Floats, after: Floats) -> tuple[float, int, int]:
    change = _differences(before, after)
    key, position = np.unravel_index(int(change.argmax()), change.shape)
    return float(change.max()), int(position), int(key)


def _largest_at_own(before: Floats, after: Floats) -> tuple[float, int, int]:
    """Where each query sees its own key, row k has kept what query k sees: heads joined in the wrong order show too."""
    change = np.diagonal(_differences(before, after))
    return float(change.max()), int(change.argmax()), int(change.argmax())
