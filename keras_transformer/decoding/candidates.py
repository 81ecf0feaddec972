"""The small pure functions of the beam search, each on tensors of any Keras backend.

B sentences, K beams, C candidates (2K, or 1 for greedy search), V vocabulary entries, L positions.
"""

from typing import Any, NamedTuple

import keras
import numpy as np
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
        values: (B, N) float32 with N >= k.
        k: how many.

    Returns:
        values (B, k) and their int32 positions (B, k).

    Example:
        >>> _, positions = stable_top_k(ops.array([[1.0, 3.0, 3.0]]), 2)
        >>> ops.convert_to_numpy(positions).tolist()
        [[1, 2]]
    """
    if keras.backend.backend() != "torch":
        largest, order = ops.top_k(values, k)
        return largest, ops.cast(order, "int32")
    # PyTorch's top-k leaves the order of equal ones open.
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


def block_size(vocab_size: int) -> int:
    """Entries in a block of the vocabulary: its largest divisor up to 128; 1, so no blocks, where that is below 8.

    Example:
        >>> block_size(8000), block_size(37000), block_size(7)
        (125, 125, 1)
    """
    largest = max(size for size in range(1, 129) if vocab_size % size == 0)
    return largest if largest >= 8 else 1


def best_continuations(
    logits: Tensor, log_prob: Tensor, count: int, forbidden: tuple[int, ...]
) -> tuple[Candidates, Tensor]:
    """The `count` best one-token continuations of the alive hypotheses, over beams and vocabulary together.

    A sort of the whole vocabulary is the dearest part of a step, so there is none. The vocabulary is cut into blocks;
    the best N entries of all lie in the N blocks with the best maxima, of equal ones the first, and only those blocks
    are sorted. The forbidden tokens are left out of the maxima and keep their share of the probability, so what is
    returned are log-probabilities under the model as it is.

    Args:
        logits: (B, K, V), any float dtype.
        log_prob: (B, K) float32, log-probabilities of the alive hypotheses.
        count: C.
        forbidden: token ids that never continue a hypothesis.

    Returns:
        The candidates (B, C), and log Z (B, K) float32, the log-sum-exp of each beam's logits.
    """
    logits = ops.cast(logits, "float32")
    beams, vocab_size = logits.shape[1:]
    size = block_size(vocab_size)
    blocks = vocab_size // size
    parts = ops.reshape(logits, (-1, beams, blocks, size))
    maxima = ops.max(parts, axis=-1)  # (B, K, blocks)
    log_z = _log_normaliser(logits, maxima)  # (B, K)
    offset = ops.expand_dims(log_prob, -1) - ops.expand_dims(log_z, -1)  # (B, K, 1)
    wanted = min(count, beams * blocks)
    scores = _real(ops.reshape(_without(forbidden, parts, maxima) + offset, (-1, beams * blocks)))
    chosen = ops.sort(ops.cast(ops.top_k(scores, wanted)[1], "int32"), axis=-1)  # (B, N), in order: the first wins
    values = take_beams(ops.reshape(parts, (-1, beams * blocks, size)), chosen)  # (B, N, size)
    values = values + take_beams(ops.reshape(offset, (-1, beams, 1)), chosen // blocks)
    values = _real(ops.reshape(values, (-1, wanted * size)))
    more = min(count + beams * len(forbidden), wanted * size)  # the forbidden ones are left out of these few
    best, place = stable_top_k(values, more)
    entry = ops.take_along_axis(chosen, place // size, axis=1) * size + place % size
    token, parent = entry % vocab_size, entry // vocab_size
    for token_id in forbidden:
        best = ops.where(ops.equal(token, token_id), IMPOSSIBLE, best)
    best, order = stable_top_k(best, min(count, more))
    missing = ((0, 0), (0, count - best.shape[1]))  # where a tiny vocabulary has fewer
    return Candidates(
        ops.pad(best, missing, constant_values=IMPOSSIBLE),
        ops.pad(ops.take_along_axis(token, order, axis=-1), missing),
        ops.pad(ops.take_along_axis(parent, order, axis=-1), missing),
    ), log_z


def _log_normaliser(logits: Tensor, maxima: Tensor) -> Tensor:
    """Log Z (B, K) of logits (B, K, V) whose blocks have these maxima, (B, K, blocks).

    1 / Z is the softmax of the largest logit; backends have a faster kernel for a softmax than for its sum. It is
    looked for in one block alone.
    """
    beams, blocks = maxima.shape[1:]
    weights = ops.reshape(ops.softmax(logits), (-1, blocks, logits.shape[-1] // blocks))
    block = ops.cast(ops.argmax(maxima, axis=-1), "int32")  # (B, K)
    largest = ops.max(take_beams(weights, ops.reshape(block, (-1, 1))), axis=(1, 2))  # (B K,)
    return ops.max(maxima, axis=-1) - ops.log(ops.reshape(largest, (-1, beams)))


def _without(forbidden: tuple[int, ...], parts: Tensor, maxima: Tensor) -> Tensor:
    """The `maxima` (B, K, blocks) of `parts` (B, K, blocks, size) as they are without some of the entries."""
    blocks, size = parts.shape[2:]
    for block in {token_id // size for token_id in forbidden}:
        usable = np.isin(block * size + np.arange(size), forbidden, invert=True)
        largest = ops.max(ops.where(usable, parts[:, :, block], IMPOSSIBLE), axis=-1)  # (B, K)
        maxima = ops.where(np.arange(blocks) == block, ops.expand_dims(largest, -1), maxima)
    return maxima


def _real(scores: Tensor) -> Tensor:
    """`IMPOSSIBLE` for what is no log-probability of a hypothesis, NaN among it."""
    return ops.where(exists(scores), scores, IMPOSSIBLE)
