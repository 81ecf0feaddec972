"""The state of a beam search, and the loops that carry it from step to step."""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
from keras import ops, tree

Tensor = Any

LEAVING = 0.25
"""Share of a batch that is done when it leaves."""

CACHE_STEP = 16
"""Positions the cache holds at first, and by which it grows, since most sentences end long before the limit."""


class SearchState(NamedTuple):
    """What one step of the search hands to the next: B sentences, K beams, L positions, C <= L cached ones.

    Args:
        index: () int32, the position read next; the tokens so far.
        last: (B, K) int32, the newest token of each alive hypothesis.
        alive_ids: (B, K, L) int32, the alive hypotheses.
        alive_log_prob: (B, K) float32, best first.
        finished_ids: (B, K, L) int32, the finished hypotheses, each with its end-of-sentence token.
        finished_score: (B, K) float32, best first.
        done: (B,) bool, whether the best finished hypotheses are final.
        limit: (B,) int32, the most target tokens.
        row: (B,) int32, which sentence of the batch it is.
        cache: the model's.
    """

    index: Tensor
    last: Tensor
    alive_ids: Tensor
    alive_log_prob: Tensor
    finished_ids: Tensor
    finished_score: Tensor
    done: Tensor
    limit: Tensor
    row: Tensor
    cache: Any


Step = Callable[[SearchState], SearchState]


def shapes_may_change() -> bool:
    """Whether a loop may change the shapes of its state: not where each shape is compiled anew."""
    return keras.backend.backend() != "jax"


def run(
    step: Step,
    state: SearchState,
    results: tuple[Tensor, Tensor],
    length: Any,
    total: Any,
    cache_limit: int | None = None,
) -> SearchState:
    """Search until every sentence is done.

    Where shapes may change, sentences that are done leave the batch whenever a quarter of it is; the cache grows when
    it is full. Elsewhere all stay to the end, and the cache doubles: one loop after another.

    Args:
        step: reads one position of every alive hypothesis.
        state: the first state of the sentences that are not done, with a cache of `length` positions.
        results: finished_ids (B, K, L) and finished_score (B, K) of all sentences; `state.row` says where to put more.
        length: an int, or a scalar tensor.
        total: the most positions there can be; an int, or a scalar tensor.
        cache_limit: the most positions the cache needs; None for all there can be.

    Returns:
        The last state, with the results of all sentences.
    """
    if not shapes_may_change():
        state = _fill(step, state, length, 1.0)
        while length < total:
            longer = total if 3 * length >= total else 2 * length  # no last loop for a few positions
            state = _fill(step, _grow(state, smaller(longer, cache_limit) - smaller(length, cache_limit)), longer, 1.0)
            length = longer
        return state

    def unfinished(length: Tensor, results: Any, state: SearchState) -> Tensor:
        return _unfinished(state, total, 1.0)

    def stage(length: Tensor, results: Any, state: SearchState) -> Any:
        state = _fill(step, state, length, LEAVING)
        where, found = ops.expand_dims(state.row, 1), (state.finished_ids, state.finished_score)
        results = tuple(map(ops.scatter_update, results, (where, where), found))
        state = without_done(state)
        longer = ops.where(state.index < length, length, ops.minimum(length + CACHE_STEP, total))
        return longer, results, _grow(state, smaller(longer, cache_limit) - smaller(length, cache_limit))

    length = ops.convert_to_tensor(length, dtype="int32")
    _, (ids, score), state = _while(unfinished, stage, (length, results, state))
    return state._replace(finished_ids=ids, finished_score=score)


def _fill(step: Step, state: SearchState, length: Any, share: float) -> SearchState:
    """Search until this share of the sentences is done or the cache of `length` positions is full."""
    return _while(lambda now: _unfinished(now, length, share), lambda now: (step(now),), (state,))[0]


def _unfinished(state: SearchState, length: Any, share: float) -> Tensor:
    done = ops.sum(ops.cast(state.done, "int32"))
    rows = ops.shape(state.done)[0]
    wait = done < rows if share == 1.0 else done < ops.maximum(1, ops.cast(share * ops.cast(rows, "float32"), "int32"))
    return ops.logical_and(ops.logical_and(done < rows, wait), state.index < length)


def _while(unfinished: Callable[..., Tensor], body: Callable[..., Any], start: tuple[Any, ...]) -> Any:
    """`ops.while_loop` on nested structures."""

    def unpacked(leaves: tuple[Tensor, ...]) -> Any:
        return tree.pack_sequence_as(start, list(leaves))

    leaves = ops.while_loop(
        lambda *leaves: unfinished(*unpacked(leaves)),
        lambda *leaves: tuple(tree.flatten(body(*unpacked(leaves)))),
        tuple(tree.flatten(start)),
    )
    return unpacked(leaves)


def without_done(state: SearchState) -> SearchState:
    """The sentences that are not done: these rows of everything but the index and what the cache shares."""
    alive = ops.nonzero(ops.logical_not(state.done))[0]

    def take(entry: Tensor) -> Tensor:
        return ops.take(entry, alive, axis=0) if len(entry.shape) else entry

    own = {name: entry for name, entry in state.cache.items() if name != "shared"}
    shorter = tree.map_structure(take, state._replace(cache=own))
    return shorter._replace(cache={**state.cache, **shorter.cache})


def _grow(state: SearchState, extra: Any) -> SearchState:
    """Append `extra` empty positions to the cache."""

    def longer(entry: Tensor) -> Tensor:  # (B, ..., C, size)
        shape = ops.shape(entry)
        room = ops.zeros((*shape[:-2], as_size(extra), shape[-1]), dtype=entry.dtype)
        return ops.concatenate([entry, room], axis=-2)

    grown = {name: tree.map_structure(longer, state.cache[name]) for name in ("self", "slots") if name in state.cache}
    return state._replace(cache={**state.cache, **grown})


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two lengths, each an int or, in a graph with dynamic shapes, a tensor; `b` None is no limit."""
    if b is None:
        return a
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else ops.minimum(a, b)


def as_size(length: Any) -> Any:
    """A length as shapes take it: PyTorch wants an int, a graph can only have a tensor."""
    return int(length) if keras.backend.backend() == "torch" else length
