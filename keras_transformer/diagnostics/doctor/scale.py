"""Are scores divided by the root of d_k? The paper's section 3.2.1, equation 1."""

import math

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.hooks import AttentionHook, Hooks
from keras_transformer.diagnostics.doctor.subject import Subject

NAME, SOURCE = "scale of scores", "section 3.2.1"
QUERIES = 256
SMALLEST_WEIGHT = 1e-5
"""Weights below it are left out: their logarithm says more about rounding than about the score."""


WORST_FIT = 0.8
"""Share of the scores' variance that a multiple of q.k must explain; less, and they are something else (see heads)."""


def check_scale(subject: Subject) -> list[Finding]:
    """Recover scores from attention weights and compare them with the products q.k, on vectors of variance 1.

    The logarithm of the ratio of two weights of a query is the difference of their scores, whatever softmax divided by.

    Args:
        subject: the model.

    Returns:
        One finding for all layers.
    """
    hooks = subject.hooks
    rng = np.random.default_rng(subject.seed)
    measured = {}
    if hooks.attention is not None:
        measured["attention"] = (_of_function(hooks, rng), hooks.key_dim, hooks.d_model)
    for layer in hooks.attention_layers:
        if layer.weights is not None and layer.projections is not None:
            scale, key_dim = _of_layer(layer, rng)
            measured[layer.name] = (scale, key_dim, layer.d_model)
    measured = {name: each for name, each in measured.items() if np.isfinite(each[0])}
    if not measured:
        fix = "pass Hooks(attention=..., key_dim=...), or AttentionHook with weights= and projections="
        return [skipped(NAME, "no scores can be measured", fix=fix, source=SOURCE)]
    ratios = {name: scale * math.sqrt(key_dim) for name, (scale, key_dim, _) in measured.items()}
    worst = max(ratios, key=lambda name: abs(math.log(max(ratios[name], 1e-9))))
    scale, key_dim, d_model = measured[worst]
    if 0.9 < ratios[worst] < 1.1:
        seen = f"scores are q.k times {scale:.4g}, and 1/sqrt(d_k) is {key_dim**-0.5:.4g}"
        return [passed(NAME, seen, source=SOURCE)]
    return [_fault(worst, scale, key_dim, d_model)]


CHECKS = (check_scale,)


def _fault(name: str, scale: float, key_dim: int, d_model: int | None) -> Finding:
    seen = (
        f"{name}: scores are q.k times {scale:.4g}, expected 1/sqrt(d_k) = {key_dim**-0.5:.4g} with d_k = {key_dim}; "
        f"for queries and keys of variance 1 their standard deviation is {scale * math.sqrt(key_dim):.2g}, expected 1"
    )
    known = {
        "scores-not-scaled": (1.0, "Scores are not divided at all: softmax saturates and its gradient vanishes."),
        "scores-scaled-by-d-model": (
            (d_model or math.nan) ** -0.5,
            "Scores are divided by the root of d_model, the whole width, not of one head's: attention is too even.",
        ),
        "scores-scaled-by-key-dim": (1 / key_dim, "Scores are divided by d_k, not by its root: attention is too even."),
    }
    fits = [name for name, (expected, _) in known.items() if abs(math.log(max(scale, 1e-9) / expected)) < 0.1]
    fault = fits[0] if fits else "scores-scaled-wrongly"
    meaning = known[fault][1] if fits else "Scores are multiplied by another number than the paper's."
    return Finding(
        NAME, "fail", fault, seen, meaning, "Divide by sqrt(d_k), the size of one head's keys, exactly once.", SOURCE
    )


def _of_function(hooks: Hooks, rng: np.random.Generator) -> float:
    """Scale of a function of queries, keys and values: with a unit matrix as values its output is the weights."""
    assert hooks.attention is not None
    size = hooks.key_dim
    query, key = rng.normal(size=(2, 1, size, 2, size)).astype("float32")
    query = query / math.sqrt(size)  # small scores, so that unscaled ones do not saturate
    value = np.broadcast_to(np.eye(size, dtype="float32")[None, :, None], (1, size, 2, size)).copy()
    mask = np.ones((1, 1, size, size), "bool")
    weights = to_numpy(hooks.attention(query, key, value, mask)).transpose(0, 2, 1, 3)  # (1, h, T, S)
    products = np.einsum("bthd,bshd->bhts", query, key)
    return _slope(products[..., :-1] - products[..., 1:], weights[..., :-1], weights[..., 1:])


def _of_layer(layer: AttentionHook, rng: np.random.Generator) -> tuple[float, int]:
    """Scale of a layer and its d_k. Two keys, of which the other is the zero vector, so that its score is about 0.

    The query stands at the key's own position, where rotary positions turn both alike.
    """
    assert layer.weights is not None
    assert layer.projections is not None
    vectors = rng.normal(size=(QUERIES, 2, layer.d_model)).astype("float32")
    vectors[:, 0] = 0.0
    inputs, memory = vectors, None
    if layer.cross:
        inputs, memory = rng.normal(size=(QUERIES, 2, layer.d_model)).astype("float32"), vectors
    query, key = (to_numpy(x) for x in layer.projections(inputs, memory))
    weights = to_numpy(layer.weights(inputs, memory, np.ones((1, 1, 1, 2), "bool")))[:, :, 1]  # (N, h, 2)
    products = np.einsum("bhd,bshd->bhs", query[:, 1], key)
    return _slope(products[..., 1] - products[..., 0], weights[..., 1], weights[..., 0]), query.shape[-1]


def _slope(products: Floats, weights: Floats, others: Floats) -> float:
    """Least-squares factor from differences of products to differences of scores; NaN where it does not fit."""
    clear = (weights > SMALLEST_WEIGHT) & (others > SMALLEST_WEIGHT)
    if clear.sum() < 20:
        return math.nan
    x = products[clear]
    y = np.log(weights[clear]) - np.log(others[clear])
    slope = float((x * y).sum() / max(float((x * x).sum()), 1e-12))
    explained = 1 - float(((y - slope * x) ** 2).sum()) / max(float((y * y).sum()), 1e-12)
    return slope if explained > WORST_FIT else math.nan
