"""Which padded shapes batches have: few enough to compile, close enough to the text to waste little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# How the longer side is told, relative to the ratio of all source to all target tokens.
_TILTS = (0.8, 0.9, 1.0, 1.1, 1.25)


@dataclass(frozen=True, order=True)
class Bucket:
    """One static batch shape.

    Args:
        source_edge: columns of the source, in tokens.
        target_edge: columns of the target, in tokens.
        rows: rows of a batch, the same for every batch of this shape: pairs, unless several are packed into a row.

    Example:
        >>> bucket = Bucket(source_edge=16, target_edge=24, rows=170)
        >>> bucket.area, str(bucket)
        (6800, '170 x (16, 24)')
    """

    source_edge: int
    target_edge: int
    rows: int

    @property
    def edges(self) -> tuple[int, int]:
        """(source edge, target edge)."""
        return self.source_edge, self.target_edge

    @property
    def area(self) -> int:
        """Padded tokens of a batch, source and target together."""
        return self.rows * (self.source_edge + self.target_edge)

    def __str__(self) -> str:
        return f"{self.rows} x ({self.source_edge}, {self.target_edge})"


def rows_for(source_edge: int, target_edge: int, tokens_per_batch: int, row_multiple: int) -> int:
    """Rows of a batch whose longer side keeps to the budget.

    Args:
        source_edge: columns of the source.
        target_edge: columns of the target.
        tokens_per_batch: most padded tokens on either side.
        row_multiple: the rows are a multiple of this, so that replicas get equal shares.

    Returns:
        The number of rows, 0 when even `row_multiple` rows are over the budget.

    Example:
        >>> rows_for(16, 24, 4096, 1), rows_for(16, 24, 4096, 8), rows_for(16, 600, 4096, 8)
        (170, 168, 0)
    """
    return tokens_per_batch // max(source_edge, target_edge) // row_multiple * row_multiple


def choose_edges(source_lengths: np.ndarray, target_lengths: np.ndarray, most: int) -> Iterator[list[tuple[int, int]]]:
    """The best edges for 1, 2, ... `most` buckets, by dynamic programming over the length histogram.

    The buckets are a chain: each holds everything that fits the one before, so pairs left over from one can move
    to the next. Pairs are ordered by `max(source, r * target)`, where r is near the ratio of source to target tokens;
    the chain is cut where the padded area, the sum over pairs of (source edge + target edge), is least.

    Args:
        source_lengths: (N,) int, tokens of each source.
        target_lengths: (N,) int, tokens of each target.
        most: largest number of buckets.

    Returns:
        An iterator over chains, from one bucket to `most`; each is a list of (source edge, target edge), small to
        large, whose last edges are the longest lengths.

    Example:
        >>> lengths = np.array([3, 3, 3, 9, 9])
        >>> list(choose_edges(lengths, lengths, most=3))
        [[(9, 9)], [(3, 3), (9, 9)]]
    """
    ratio = source_lengths.sum() / target_lengths.sum()
    chains = [_Chain(source_lengths, target_lengths, ratio * tilt, most) for tilt in _TILTS]
    for number in range(1, most + 1):
        able = [chain for chain in chains if number <= chain.levels]
        if able:
            yield min(able, key=lambda chain: chain.area(number)).edges(number)


class _Chain:
    """The table of the dynamic programme for one order of the pairs."""

    def __init__(self, source_lengths: np.ndarray, target_lengths: np.ndarray, ratio: float, most: int) -> None:
        order = np.maximum(source_lengths, np.ceil(target_lengths * ratio).astype(np.int64))
        keys, level, counts = np.unique(order, return_inverse=True, return_counts=True)
        self.levels = len(keys)
        self.source_edges = _highest(level, source_lengths, self.levels)
        self.target_edges = _highest(level, target_lengths, self.levels)
        below = np.concatenate([[0], counts.cumsum()])
        # cost[k, end]: least area of the pairs below level `end` in k buckets; begin: where the last one starts
        self.cost = np.full((most + 1, self.levels + 1), np.inf)
        self.begin = np.zeros((most + 1, self.levels + 1), np.int64)
        self.cost[0, 0] = 0.0
        for end in range(1, self.levels + 1):
            width = self.source_edges[end - 1] + self.target_edges[end - 1]
            totals = self.cost[:most, :end] + (below[end] - below[:end]) * width
            self.begin[1:, end] = totals.argmin(axis=1)
            self.cost[1:, end] = totals.min(axis=1)

    def area(self, number: int) -> float:
        return float(self.cost[number, -1])

    def edges(self, number: int) -> list[tuple[int, int]]:
        chain: list[tuple[int, int]] = []
        end = self.levels
        for buckets in range(number, 0, -1):
            chain.append((int(self.source_edges[end - 1]), int(self.target_edges[end - 1])))
            end = int(self.begin[buckets, end])
        return chain[::-1]


def _highest(level: np.ndarray, lengths: np.ndarray, levels: int) -> np.ndarray:
    """Longest length on each level or below it."""
    highest = np.zeros(levels, np.int64)
    np.maximum.at(highest, level, lengths)
    return np.maximum.accumulate(highest)


def assign(source_lengths: np.ndarray, target_lengths: np.ndarray, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """The first bucket of a chain that each pair fits.

    Args:
        source_lengths: (N,) int.
        target_lengths: (N,) int.
        edges: (source edge, target edge) of each bucket, small to large.

    Returns:
        (N,) int, `len(edges)` for a pair that fits none.

    Example:
        >>> assign(np.array([2, 2, 9]), np.array([3, 5, 1]), [(3, 3), (4, 6)])
        array([0, 1, 2])
    """
    source_edges, target_edges = np.array(edges, np.int64).reshape(-1, 2).T
    return np.maximum(np.searchsorted(source_edges, source_lengths), np.searchsorted(target_edges, target_lengths))
