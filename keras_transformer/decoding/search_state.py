"""The state of a beam search, and the loops that carry it from step to step."""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops, tree

Tensor = Any

FIRST_CACHE_LENGTH = 16
"""Positions the cache holds at first; it doubles when it is full, since most sentences end long before the limit."""


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
        cache: the self-attention keys and values (B, K, h, C, d), per layer.
    """

    index: Tensor
    last: Tensor
    alive_ids: Tensor
    alive_log_prob: Tensor
    finished_ids: Tensor
    finished_score: Tensor
    done: Tensor
    cache: Any


def run(
    step: Callable[[SearchState], SearchState],
    state: SearchState,
    length: Any,
    total: Any,
    cache_limit: int | None = None,
) -> SearchState:
    """Search until every sentence is done, in a cache that doubles whenever it is full.

    Where lengths are known (JAX, PyTorch, a TensorFlow graph for one shape) this is one loop after another; where
    they are not (a TensorFlow graph for any shape) the loops are inside a loop.

    Args:
        step: reads one position of every alive hypothesis.
        state: the first state, with a cache of `length` positions.
        length: an int, or a scalar tensor.
        total: the most positions there can be; an int, or a scalar tensor.
        cache_limit: the most positions the cache needs; None for all there can be.

    Returns:
        The last state.
    """
    if isinstance(total, int):
        state = _fill(step, state, length)
        while length < total:
            longer = total if 3 * length >= total else 2 * length  # no last loop for a few positions
            state = _fill(step, _grow(state, smaller(longer, cache_limit) - smaller(length, cache_limit)), longer)
            length = longer
        return state

    def unfinished(length: Tensor, *leaves: Tensor) -> Tensor:
        return _unfinished(_unpack(state, leaves), total)

    def stage(length: Tensor, *leaves: Tensor) -> tuple[Tensor, ...]:
        now = _fill(step, _unpack(state, leaves), length)
        longer = ops.minimum(2 * length, total)
        return longer, *_pack(_grow(now, smaller(longer, cache_limit) - smaller(length, cache_limit)))

    return _unpack(state, ops.while_loop(unfinished, stage, (length, *_pack(state)))[1:])


def _fill(step: Callable[[SearchState], SearchState], state: SearchState, length: Any) -> SearchState:
    """Search until every sentence is done or the cache of `length` positions is full."""

    def unfinished(*leaves: Tensor) -> Tensor:
        return _unfinished(_unpack(state, leaves), length)

    def body(*leaves: Tensor) -> tuple[Tensor, ...]:
        return _pack(step(_unpack(state, leaves)))

    return _unpack(state, ops.while_loop(unfinished, body, _pack(state)))


def _unfinished(state: SearchState, length: Any) -> Tensor:
    return ops.logical_and(ops.logical_not(ops.all(state.done)), state.index < length)


def _pack(state: SearchState) -> tuple[Tensor, ...]:
    return tuple(tree.flatten(tuple(state)))


def _unpack(like: SearchState, leaves: tuple[Tensor, ...]) -> SearchState:
    return SearchState(*tree.pack_sequence_as(tuple(like), list(leaves)))


def _grow(state: SearchState, extra: Any) -> SearchState:
    """Append `extra` empty positions to the cache."""

    def longer(entry: Tensor) -> Tensor:  # (B, K, h, C, d)
        shape = ops.shape(entry)
        room = ops.zeros((*shape[:-2], extra, shape[-1]), dtype=entry.dtype)
        return ops.concatenate([entry, room], axis=-2)

    return state._replace(cache=tree.map_structure(longer, state.cache))


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two lengths, each an int or, in a graph with dynamic shapes, a tensor; `b` None is no limit."""
    if b is None:
        return a
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else ops.minimum(a, b)
