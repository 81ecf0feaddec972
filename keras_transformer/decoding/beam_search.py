"""Batched beam search with a key-value cache, in `keras.ops` only."""

import math
from dataclasses import dataclass
from typing import Any

from keras import ops

from keras_transformer.decoding.candidates import (
    IMPOSSIBLE,
    Candidates,
    best_continuations,
    exists,
    length_penalty,
    reorder,
    stable_top_k,
    take_beams,
)
from keras_transformer.decoding.checks import check_whole
from keras_transformer.decoding.protocols import StepModel
from keras_transformer.decoding.search_state import (
    CACHE_STEP,
    SearchState,
    as_size,
    run,
    shapes_may_change,
    smaller,
    without_done,
)
from keras_transformer.errors import InputError

Tensor = Any


@dataclass(frozen=True)
class BeamSearch:
    r"""The paper's decoder: beam search with a length penalty (section 6.1).

    The hypotheses of a sentence are two sets of K = `beam_size`, alive and finished. Each step takes the best 2K
    one-token continuations of the alive ones, over beams and vocabulary together. Those that end in the
    end-of-sentence token join the finished set, which keeps the K with the best score
    $$ s(Y, X) = \log P(Y | X) / lp(Y), \quad lp(Y) = ((5 + |Y|) / 6)^\alpha $$
    where |Y| counts the end-of-sentence token; the best K of the others are alive. Padding and the
    begin-of-sentence token are never generated, and keep their share of the probability.

    *Length.* A sentence of n tokens that are not padding has at most n + `max_length_offset` target tokens, and no
    more than the model has positions if they are learned. At that limit each alive hypothesis is ended, at the price
    the model puts on ending there, so whatever is returned ends in the end-of-sentence token.

    *Stopping.* log P only falls and lp only grows, so an alive hypothesis of log-probability p, in a sentence with the
    limit m, can reach no more than p / lp(m). A sentence is done when the best alive one's bound is no better than
    the `n_best`-th finished score: stopping early never changes a result. The loop ends when all are done.

    *Independence.* Nothing in this depends on the padding or on the other sentences of the batch. Of equal
    candidates the one of the better beam wins, and in one beam the one that the backend's top-k puts first (the
    smaller id on TensorFlow and JAX); a newcomer never displaces an equal finished hypothesis.

    *Special cases.* `beam_size` 1 is greedy search: one continuation a step, and the first end-of-sentence token
    ends it. A row of padding alone gives an empty first hypothesis with score 0. `beam_size` may exceed the vocabulary.
    Where there are fewer hypotheses than `n_best`, the rest are empty rows with the score minus infinity, and so is
    every row of a sentence whose logits are not numbers.

    Args:
        beam_size: K; 1 is greedy search. The paper takes 4.
        length_penalty: alpha, at least 0; 0 compares plain log-probabilities. The paper takes 0.6.
        max_length_offset: target tokens allowed beyond the number of source tokens. The paper takes 50.
        n_best: hypotheses returned for each sentence, at most `beam_size`.

    Raises:
        InputError: for a value out of its range.

    Example:
        >>> import numpy as np
        >>> from types import SimpleNamespace
        >>> class Copy:  # says each source token again
        ...     config = SimpleNamespace(pad_id=0, bos_id=1, eos_id=2)
        ...     def encode(self, source, training=False):
        ...         return 20.0 * ops.one_hot(source, 6)
        ...     def init_cache(self, memory, source, beam_size, length):
        ...         return {"self": [], "memory": memory}
        ...     def decode_step(self, ids, index, cache):
        ...         logits = ops.take(cache["memory"], index, axis=1)[:, None]
        ...         return ops.broadcast_to(logits, (*ops.shape(ids), 6)), cache
        >>> ids, scores = BeamSearch(beam_size=2, max_length_offset=0)(Copy(), np.array([[5, 4, 2], [3, 2, 0]]))
        >>> ops.convert_to_numpy(ids)[:, 0].tolist()
        [[5, 4, 2], [3, 2, 0]]

    Reference:
        Wu et al. 2016, "Google's Neural Machine Translation System", section 7.
    """

    beam_size: int = 4
    length_penalty: float = 0.6
    max_length_offset: int = 50
    n_best: int = 1

    def __post_init__(self) -> None:
        check_whole("beam_size", self.beam_size, 1, "use 1 for greedy search")
        check_whole("n_best", self.n_best, 1, "use 1 for the best translation alone")
        check_whole("max_length_offset", self.max_length_offset, 0, "the paper takes 50")
        if self.n_best > self.beam_size:
            raise InputError(
                f"n_best is {self.n_best} and beam_size {self.beam_size}; a beam holds at most beam_size "
                f"hypotheses, so set beam_size to {self.n_best} or more."
            )
        alpha = self.length_penalty
        if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not math.isfinite(alpha) or alpha < 0:
            raise InputError(f"length_penalty is {alpha!r}; expected a number of at least 0: the paper takes 0.6.")

    def __call__(self, model: StepModel, source: Any) -> tuple[Tensor, Tensor]:
        """Translate a batch.

        Args:
            model: encodes, and predicts one position at a time; see `StepModel`.
            source: (B, S) int32, each row `pieces + [eos]`, then padding.

        Returns:
            ids (B, n_best, L) int32, L = S + max_length_offset or the model's `max_length` if that is less: each
            hypothesis with its end-of-sentence token, then padding, best first;
            scores (B, n_best) float32, length-normalised log-probabilities.
        """
        source = ops.cast(ops.convert_to_tensor(source), "int32")
        most = getattr(model, "max_length", None)
        total = smaller(ops.shape(source)[1] + self.max_length_offset, most)
        state = everybody = self._start(model, source, total)
        length = smaller(CACHE_STEP, total)
        if shapes_may_change():  # then rows and columns of nothing but padding cost nothing
            state = without_done(state)
            source = ops.take(source, state.row, axis=0)
            columns = ops.where(ops.equal(source, model.config.pad_id), 0, 1 + ops.arange(ops.shape(source)[1]))
            width = as_size(ops.cast(ops.max(columns, initial=0), "int32"))
            source, length = source[:, :width], smaller(smaller(CACHE_STEP, width + self.max_length_offset), total)
        cache = model.init_cache(model.encode(source, training=False), source, self.beam_size, length)
        state = state._replace(cache=cache)
        step = lambda now: self._step(model, now)  # noqa: E731
        results = everybody.finished_ids, everybody.finished_score
        return self._result(model, run(step, state, results, length, total, getattr(model, "cache_limit", None)))

    def _start(self, model: StepModel, source: Tensor, total: Any) -> SearchState:
        """The state before the first step, without a cache. The limit of a row of padding is 0."""
        rows, beams = ops.shape(source)[0], self.beam_size
        used = ops.sum(ops.cast(ops.not_equal(source, model.config.pad_id), "int32"), axis=1)  # (B,)
        limit = ops.where(used > 0, used + self.max_length_offset, 0)
        no_ids = ops.full((rows, beams, total), model.config.pad_id, dtype="int32")
        none = ops.full((rows, beams), IMPOSSIBLE, dtype="float32")
        first_beam = ops.arange(beams, dtype="int32") == 0  # the K beams start out the same: only one is alive
        return SearchState(
            index=ops.convert_to_tensor(0, dtype="int32"),
            last=ops.full((rows, beams), model.config.bos_id, dtype="int32"),
            alive_ids=no_ids,
            alive_log_prob=ops.where(first_beam, 0.0, none),
            finished_ids=no_ids,
            # The translation of nothing is nothing, for certain.
            finished_score=ops.where(ops.logical_and(ops.expand_dims(limit == 0, 1), first_beam), 0.0, none),
            done=limit == 0,
            limit=smaller(limit, getattr(model, "max_length", None)),
            row=ops.arange(rows, dtype="int32"),
            cache={},
        )

    def _step(self, model: StepModel, state: SearchState) -> SearchState:
        """Predict one position of every alive hypothesis."""
        config, limit = model.config, state.limit
        logits, cache = model.decode_step(state.last, state.index, state.cache)
        count = 2 * self.beam_size if self.beam_size > 1 else 1
        candidates, log_z = best_continuations(logits, state.alive_log_prob, count, (config.pad_id, config.bos_id))
        end = state.alive_log_prob + (ops.cast(logits[..., config.eos_id], "float32") - log_z)  # (B, K)
        at_limit = state.index + 1 >= limit  # (B,)
        candidates = _end_at_limit(candidates, end, at_limit, config.eos_id)
        possible = ops.logical_and(exists(candidates.log_prob), ops.expand_dims(ops.logical_not(state.done), 1))
        candidates = candidates._replace(log_prob=ops.where(possible, candidates.log_prob, IMPOSSIBLE))

        finished_ids, finished_score = self._finish(state, candidates, config.eos_id)
        continues = ops.not_equal(candidates.token, config.eos_id)
        alive_log_prob, order = stable_top_k(ops.where(continues, candidates.log_prob, IMPOSSIBLE), self.beam_size)
        token = ops.take_along_axis(candidates.token, order, axis=1)  # (B, K)
        parent = ops.take_along_axis(candidates.parent, order, axis=1)
        # No alive hypothesis can score better than this, however it goes on.
        bound = alive_log_prob[:, 0] / length_penalty(limit, self.length_penalty)
        decided = ops.logical_or(
            ops.logical_not(exists(alive_log_prob[:, 0])), finished_score[:, self.n_best - 1] >= bound
        )
        return state._replace(
            index=state.index + 1,
            last=token,
            alive_ids=_write(take_beams(state.alive_ids, parent), state.index, token),
            alive_log_prob=alive_log_prob,
            finished_ids=finished_ids,
            finished_score=finished_score,
            done=ops.logical_or(ops.logical_or(state.done, at_limit), decided),
            cache={**cache, "self": reorder(cache["self"], parent)},
        )

    def _finish(self, state: SearchState, candidates: Candidates, eos_id: int) -> tuple[Tensor, Tensor]:
        """The best K of the finished hypotheses so far and of the candidates that end here."""
        ends = ops.logical_and(exists(candidates.log_prob), ops.equal(candidates.token, eos_id))
        scores = candidates.log_prob / length_penalty(state.index + 1, self.length_penalty)
        pool = ops.concatenate([state.finished_score, ops.where(ends, scores, IMPOSSIBLE)], axis=1)  # (B, K + C)
        score, order = stable_top_k(pool, self.beam_size)
        old = ops.broadcast_to(ops.arange(self.beam_size, dtype="int32"), ops.shape(state.finished_score))
        rows = ops.concatenate([old, self.beam_size + candidates.parent], axis=1)  # rows of the 2K hypotheses
        hypotheses = ops.concatenate([state.finished_ids, state.alive_ids], axis=1)  # (B, 2K, L)
        ids = take_beams(hypotheses, ops.take_along_axis(rows, order, axis=1))
        new = ops.expand_dims(order >= self.beam_size, -1)
        return ops.where(new, _write(ids, state.index, ops.full_like(order, eos_id)), ids), score

    def _result(self, model: StepModel, state: SearchState) -> tuple[Tensor, Tensor]:
        ids, score = state.finished_ids[:, : self.n_best], state.finished_score[:, : self.n_best]
        found = exists(score)
        return (
            ops.where(ops.expand_dims(found, -1), ids, model.config.pad_id),
            ops.where(found, score, -math.inf),
        )


def _end_at_limit(candidates: Candidates, end: Tensor, at_limit: Tensor, eos_id: int) -> Candidates:
    """Where a sentence is at its limit, its only candidates are its alive hypotheses, ended."""
    count, beams = candidates.token.shape[1], end.shape[1]
    at_limit = ops.expand_dims(at_limit, 1)
    return Candidates(
        log_prob=ops.where(at_limit, _pad_columns(end, count), candidates.log_prob),
        token=ops.where(at_limit, eos_id, candidates.token),
        parent=ops.where(at_limit, ops.arange(count, dtype="int32") % beams, candidates.parent),
    )


def _pad_columns(values: Tensor, count: int) -> Tensor:
    """Append impossible hypotheses to (B, N) until there are `count`."""
    missing = count - values.shape[1]
    return ops.pad(values, ((0, 0), (0, missing)), constant_values=IMPOSSIBLE) if missing > 0 else values


def _write(ids: Tensor, index: Tensor, token: Tensor) -> Tensor:
    """Put `token` (B, K) at position `index` of `ids` (B, K, L)."""
    here = ops.arange(ops.shape(ids)[2], dtype="int32") == index
    return ops.where(here, ops.expand_dims(token, -1), ids)
