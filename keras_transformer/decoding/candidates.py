"""The small pure functions of the beam search, each on tensors of any Keras backend.

B sentences, K beams, C candidates (2K, or 1 for greedy search), V vocabulary entries, L positions.
"""

from typing import Any, NamedTuple

from keras import ops, tree

Tensor = Any

IMPOSSIBLE = -1e9
"""Log-probability of a hypothesis that does not exist. Finite, so that no step can turn it into NaN."""


class Candidates(NamedTuple):
    """Continuations of the alive hypotheses of each sentence, best first.

    Args:
        log_prob: (B, C) float32, log-probability of the whole hypothesis.
        token: (B, C) int32, its newest token.
        parent: (B, C) int32, the beam it continues.
    """

    log_prob: Tensor
    token: Tensor
    parent: Tensor


def length_penalty(length: Tensor, alpha: float) -> Tensor:
    """GNMT's length penalty, lp(Y) = ((5 + |Y|) / 6) ** alpha.

    Args:
        length: number of target tokens, the end-of-sentence token included; any shape.
        alpha: 0 for none; the paper takes 0.6.

    Returns:
        float32 of the shape of `length`, at least 1 for a length of at least 1.

    Example:
        >>> round(float(length_penalty(7, 1.0)), 6)
        2.0

    Reference:
        Wu et al. 2016, "Google's Neural Machine Translation System", equation 14.
    """
    return ops.power((5.0 + ops.cast(length, "float32")) / 6.0, alpha)


def exists(log_prob: Tensor) -> Tensor:
    """True where a hypothesis is one; False at `IMPOSSIBLE` and at NaN."""
    return log_prob > 0.5 * IMPOSSIBLE


def stable_top_k(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest entries of the last axis; of equal ones the first.

    Args:
        values: (B, N) float32 with N >= k, N small.
        k: how many.

    Returns:
        values (B, k) and their int32 positions (B, k).

    Example:
        >>> _, positions = stable_top_k(ops.array([[1.0, 3.0, 3.0]]), 2)
        >>> ops.convert_to_numpy(positions).tolist()
        [[1, 2]]
    """
    order = ops.cast(ops.argsort(-values, axis=-1), "int32")[:, :k]
    return ops.take_along_axis(values, order, axis=-1), order


def take_beams(values: Tensor, beams: Tensor) -> Tensor:
    """Choose and reorder the beams of each sentence.

    Args:
        values: (B, N, ...).
        beams: (B, M) int32, positions along axis 1.

    Returns:
        (B, M, ...). One gather of whole rows: no index tensor as large as `values`.
    """
    shape = ops.shape(values)
    rows, count = shape[0], shape[1]
    flat = ops.reshape(values, (rows * count, *shape[2:]))  # (B * N, ...)
    index = ops.expand_dims(ops.arange(rows, dtype="int32") * count, 1) + beams  # (B, M)
    taken = ops.take(flat, ops.reshape(index, (-1,)), axis=0)  # (B * M, ...)
    return ops.reshape(taken, (rows, ops.shape(beams)[1], *shape[2:]))


def reorder(cache: Any, beams: Tensor) -> Any:
    """`take_beams` on every tensor of a nested structure."""
    return tree.map_structure(lambda entry: take_beams(entry, beams), cache)


def best_continuations(
    logits: Tensor, log_prob: Tensor, count: int, forbidden: tuple[int, ...]
) -> tuple[Candidates, Tensor]:
    """The `count` best one-token continuations of the alive hypotheses, over beams and vocabulary together.

    The vocabulary is passed over twice: once for the best logits of each beam, once for the log-sum-exp that
    normalises them. Only K * (count + forbidden) numbers are then left to compare. The forbidden tokens keep their
    share of the probability, so what is returned are log-probabilities under the model as it is.

    Args:
        logits: (B, K, V), any float dtype.
        log_prob: (B, K) float32, log-probabilities of the alive hypotheses.
        count: C.
        forbidden: token ids that never continue a hypothesis.

    Returns:
        The candidates (B, C), and log Z (B, K) float32, the log-sum-exp of each beam's logits.
    """
    logits = ops.cast(logits, "float32")
    vocab_size = logits.shape[-1]
    width = min(count + len(forbidden), vocab_size)
    values, tokens = ops.top_k(logits, width)  # (B, K, W)
    tokens = ops.cast(tokens, "int32")
    peak = values[..., :1]  # (B, K, 1)
    log_z = peak + ops.log(ops.sum(ops.exp(logits - peak), axis=-1, keepdims=True))  # (B, K, 1)
    scores = ops.expand_dims(log_prob, -1) + (values - log_z)  # (B, K, W)
    allowed = exists(scores)
    for token in forbidden:
        allowed = ops.logical_and(allowed, ops.not_equal(tokens, token))
    flat = (-1, log_prob.shape[1] * width)
    best, order = stable_top_k(ops.reshape(ops.where(allowed, scores, IMPOSSIBLE), flat), count)
    tokens = ops.take_along_axis(ops.reshape(tokens, flat), order, axis=-1)
    return Candidates(best, tokens, order // width), ops.squeeze(log_z, -1)
