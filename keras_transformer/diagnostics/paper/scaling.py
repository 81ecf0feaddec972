"""Why scores are divided by sqrt(d_k): their variance, and what softmax makes of them, in the real layers."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section
from keras_transformer.layers import MultiHeadAttention
from keras_transformer.layers.scaled_dot_product import attention_weights, masked_softmax

Array = npt.NDArray[Any]

KEY_SIZES = (16, 32, 64, 128, 256, 512)
QUERIES, KEYS = 4096, 64
SEED = 20170612


def scaling() -> Section:
    """Measure scores and attention weights for d_k from 16 to 512.

    Returns:
        The section: variances, softmax before and after the division, and the same inside `MultiHeadAttention`.

    Reference:
        Vaswani et al. 2017, section 3.2.1 and its footnote 4.
    """
    samples = [_sample(d_k) for d_k in KEY_SIZES]
    scaled, unscaled = ([_softmax_figures(sample[kind]) for sample in samples] for kind in ("scaled", "unscaled"))
    return Section(
        name="scaling",
        title="Scaled dot products",
        source="section 3.2.1, footnote 4",
        parts=(_before(samples), _after(samples), _in_layers(), _softmax(scaled, unscaled), _spread(scaled)),
        notes=(
            "The paper says that for large d_k softmax is pushed into regions of extremely small gradients, and "
            f"gives no figure. Without the division the largest of {KEYS} weights is {unscaled[-1]['largest']:.2f} on "
            f"average at d_k = 512 and the slope of softmax {unscaled[-1]['slope']:.2f}; with it they are "
            f"{scaled[-1]['largest']:.2f} and {scaled[-1]['slope']:.2f} at every d_k.",
        ),
        curves={
            "d_k": list(KEY_SIZES),
            "scaled": scaled,
            "unscaled": unscaled,
            "variance_before": [float(np.var(sample["product"])) for sample in samples],
            "variance_after": [_score_variance(sample["scaled"]) for sample in samples],
        },
    )


def _sample(d_k: int) -> dict[str, Array]:
    """Products of independent queries and keys, and the weights that the real functions make of them."""
    rng = np.random.default_rng([SEED, d_k])
    query = rng.standard_normal((QUERIES // KEYS, KEYS, 1, d_k)).astype("float32")
    key = rng.standard_normal((QUERIES // KEYS, KEYS, 1, d_k)).astype("float32")
    product = np.einsum("bthd,bshd->bhts", query.astype("float64"), key.astype("float64"))
    weights = ops.convert_to_numpy(attention_weights(ops.convert_to_tensor(query), ops.convert_to_tensor(key)))
    unscaled = ops.convert_to_numpy(masked_softmax(ops.convert_to_tensor(product.astype("float32")), None))
    return {"product": product, "scaled": weights, "unscaled": unscaled}


def _score_variance(weights: Array) -> float:
    """Variance of the scores that softmax turned into these weights (..., keys).

    The logarithm of a weight is its score less a constant of the row, so the variance within rows is the scores'.
    """
    return float(np.var(np.log(np.maximum(weights, 1e-38).astype("float64")), axis=-1, ddof=1).mean())


def _before(samples: list[dict[str, Array]]) -> Block:
    return Block(
        title="Variance of q.k before scaling",
        how=f"Products of {QUERIES:,} queries with {KEYS} keys each, components independent with mean 0 and variance "
        "1. Paper: d_k. Within: 3% of sampling.",
        rows=tuple(
            Row(f"d_k = {d_k}", ours=float(np.var(sample["product"])), paper=d_k, tolerance=0.03 * d_k, digits=".4g")
            for d_k, sample in zip(KEY_SIZES, samples, strict=True)
        ),
    )


def _after(samples: list[dict[str, Array]]) -> Block:
    rows = []
    for d_k, sample in zip(KEY_SIZES, samples, strict=True):
        expected = float(np.var(sample["product"] / math.sqrt(d_k), axis=-1, ddof=1).mean())
        ours = _score_variance(sample["scaled"])
        rows.append(Row(f"d_k = {d_k}", ours, paper=1, tolerance=0.03, formula=expected, formula_tolerance=1e-3))
    return Block(
        title="Variance of the scores that softmax sees",
        how="From the logarithm of the weights of the real attention_weights, same queries and keys. Paper: 1; "
        "within: 3% of sampling. Formula: variance of q.k / sqrt(d_k) in float64, same draws.",
        rows=tuple(rows),
    )


def _in_layers() -> Block:
    """The rows (A) of table 3: h d_k = d_model = 512, so that Glorot's projections keep the variance of their input."""
    return Block(
        title="Variance of the scores inside MultiHeadAttention, d_model = 512, h = 512 / d_k",
        how="Real layer with Glorot-distributed weights on input of mean 0 and variance 1, which LayerNorm gives; "
        "weights as returned, and as found in the output of the path without returned weights. Paper: 1; within: 5% "
        "of sampling.",
        rows=tuple(
            Row(f"d_k = {d_k}, {path}", ours, paper=1, tolerance=0.05)
            for d_k in KEY_SIZES
            for path, ours in _layer_variances(d_k).items()
        ),
    )


def _layer_variances(d_k: int, d_model: int = 512, tokens: int = 64, rows: int = 16) -> dict[str, float]:
    rng = np.random.default_rng([SEED, d_k, d_model])
    heads = d_model // d_k
    layer = MultiHeadAttention(num_heads=heads, key_dim=d_k, dtype="float32")
    layer.build((None, tokens, d_model))
    limit = math.sqrt(6 / (2 * d_model))  # of Glorot's uniform distribution
    layer.set_weights([rng.uniform(-limit, limit, weight.shape).astype("float32") for weight in layer.weights])
    inputs = ops.convert_to_tensor(rng.standard_normal((rows, tokens, d_model)).astype("float32"))
    output, weights = (ops.convert_to_numpy(each) for each in layer(inputs, return_weights=True))
    fused = ops.convert_to_numpy(layer(inputs))
    # The fused path shows no weights; its output is theirs if it equals the output that was computed with them.
    same = np.abs(fused - output).max() <= 1e-2 * np.abs(output).max()
    variance = _score_variance(weights)
    return {"returned": variance, "fused": variance if same else math.nan}


def _softmax_figures(weights: Array) -> dict[str, float]:
    """Entropy in nats, largest weight, and slope (trace of softmax's Jacobian): means over rows of (..., keys)."""
    weights = weights.astype("float64")
    entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum(axis=-1)
    return {
        "entropy": float(entropy.mean()),
        "largest": float(weights.max(axis=-1).mean()),
        "slope": float((1 - np.square(weights).sum(axis=-1)).mean()),
    }


def _softmax(scaled: list[dict[str, float]], unscaled: list[dict[str, float]]) -> Listing:
    names = ("entropy", "largest", "slope")
    return Listing(
        title=f"Softmax over {KEYS} keys: entropy (nats; {math.log(KEYS):.2f} is uniform), largest weight, slope 1 - "
        "sum w^2",
        how="Means over rows: the real softmax of q.k itself, and the real attention_weights, which divide by "
        "sqrt(d_k).",
        header=("d_k", *(f"{name}, unscaled" for name in names), *(f"{name}, scaled" for name in names)),
        lines=tuple(
            (str(d_k), *(f"{figures[name]:.3f}" for figures in (before, after) for name in names))
            for d_k, before, after in zip(KEY_SIZES, unscaled, scaled, strict=True)
        ),
    )


def _spread(scaled: list[dict[str, float]]) -> Block:
    """With variance 1 whatever d_k, softmax must look the same whatever d_k."""
    rows = []
    for name, tolerance in (("entropy", 0.03), ("largest", 0.01), ("slope", 0.01)):
        values = [figures[name] for figures in scaled]
        rows.append(Row(name, max(values) - min(values), paper=0, tolerance=tolerance, digits=".3f"))
    return Block(
        title="Scaled softmax: largest difference between two d_k",
        how="Range of the scaled columns above. Paper: 0, since scaled scores have variance 1 at every d_k; within: "
        "sampling.",
        rows=tuple(rows),
    )
