"""Whether the weights of a batch are 1 / (its target tokens) at tokens and 0 at padding."""

import numpy as np

from keras_transformer.diagnostics.doctor.findings import Finding, passed
from keras_transformer.diagnostics.doctor.training_batches import TrainingBatch

WEIGHTS = "weights of tokens"


def check_weights(batches: list[TrainingBatch]) -> Finding:
    """Weights are 1 / (tokens of the batch) at tokens and 0 at padding.

    Args:
        batches: with tokens.

    Returns:
        A finding.
    """
    padded = [batch for batch in batches if not batch.real.all()]
    if any(batch.weights is None for batch in batches):
        if not padded:
            return passed(WEIGHTS, "none given, and none needed: there is no padding")
        return Finding(
            WEIGHTS,
            "warn",
            "weights-missing",
            f"none given, and {100 * np.mean([1 - b.real.mean() for b in padded]):.0f} % of the targets are padding",
            "Padding counts like words, unless the loss leaves it out by itself.",
            "Give weights of 1 / (target tokens of the batch) at tokens and 0 at padding.",
        )
    counted = [float(b.weights[~b.real].sum() / b.weights.sum()) for b in padded if b.weights is not None]
    if counted and max(counted) > 1e-6:
        return Finding(
            WEIGHTS,
            "fail",
            "padding-weighted",
            f"padding has {100 * max(counted):.1f} % of the weight of a batch",
            "The model learns to write padding, and the loss looks lower the more of it there is.",
            "Set the weight to 0 wherever target_out is pad_id.",
        )
    return _token_weights(batches)


def _token_weights(batches: list[TrainingBatch]) -> Finding:
    sums = np.array([batch.weights.sum() for batch in batches if batch.weights is not None])
    inside = [batch.weights[batch.real] for batch in batches if batch.weights is not None]
    evidence = f"they sum to {sums.min():.4g} .. {sums.max():.4g} a batch"
    spread = max(float(w.max() / max(w.min(), 1e-30)) for w in inside)
    if spread > 1.01:
        equal = all(_equal_rows(batch) for batch in batches)
        return Finding(
            WEIGHTS,
            "fail" if equal else "warn",
            "weights-per-sentence" if equal else "weights-uneven",
            f"{evidence}; the largest weight of a token is {spread:.3g} times the smallest of its batch",
            "Each sentence weighs the same: words of short sentences count more than those of long ones."
            if equal
            else "Some tokens count more than others.",
            "Divide by the number of target tokens of the whole batch.",
        )
    if np.allclose(sums, 1.0, atol=1e-3):
        return passed(WEIGHTS, f"1 / tokens at tokens, 0 at padding; {evidence}")
    ones = all(np.allclose(w, 1.0) for w in inside)
    return Finding(
        WEIGHTS,
        "warn" if ones else "fail",
        "weights-not-normalised",
        evidence + (": 1 at tokens, 0 at padding" if ones else ""),
        "A summed loss grows with the tokens of a batch; only a loss that divides by the tokens itself is right."
        if ones
        else "Batches weigh by something else than their tokens: often the padded area, or the number of rows.",
        "Give weights of 1 / (target tokens of the whole batch), and a loss that sums.",
    )


def _equal_rows(batch: TrainingBatch) -> bool:
    assert batch.weights is not None
    rows = batch.weights.sum(axis=1)[batch.real.any(axis=1)]
    return bool(rows.max() < 1.01 * rows.min())
