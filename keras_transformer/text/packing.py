"""Which lengths stand together in rows that hold several pairs, so that almost nothing is padding."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from keras_transformer.text.buckets import Bucket, rows_for
from keras_transformer.text.epochs import Epoch

_USUAL_EDGE = 64
_STEP = 8
_MANY_LENGTHS = 2_000  # kinds of pairs from which packing for a second shape takes seconds
_ATTENTION = 1 / 2_400  # what a column costs beyond its area, by the edge: 64 against 16 was 1 to 3 % of a step
_NEAR = 64  # room from which the end of a row is planned two pairs ahead
_NONE = np.float32(-1e9)

Kind = tuple[int, int]


@dataclass(frozen=True)
class Packing:
    """Places for pairs in rows, by the pairs' lengths.

    Args:
        source_lengths: (P,) int, tokens of the source that stands at each place, row after row.
        target_lengths: (P,) int.
        rows: (P,) int, the row of each place, rising.
    """

    source_lengths: np.ndarray
    target_lengths: np.ndarray
    rows: np.ndarray

    @property
    def number(self) -> int:
        """Rows that hold anything."""
        return int(self.rows[-1]) + 1


def pack_lengths(source_lengths: np.ndarray, target_lengths: np.ndarray, edges: tuple[int, int]) -> Packing:
    """Bin packing in two dimensions, of kinds of pairs (their two lengths) and not of pairs.

    A row starts with the longest pair left and is filled so that nothing remains: far from the end with the kind of
    which most are left, near it with the two pairs that together leave least. The same row is then repeated for as long
    as there are such pairs, so the work grows with the number of different lengths, not of pairs: 4.5 million pairs of
    up to 256 tokens take seconds.

    Args:
        source_lengths: (N,) int, tokens of each source, at most the source edge.
        target_lengths: (N,) int, at most the target edge.
        edges: (source edge, target edge) of a row.

    Returns:
        N places.

    Example:
        >>> packing = pack_lengths(np.array([5, 3, 3, 2]), np.array([4, 4, 3, 3]), edges=(8, 8))
        >>> packing.rows.tolist(), packing.source_lengths.tolist()
        ([0, 0, 1, 1], [5, 3, 3, 2])
    """
    left = _Left(source_lengths, target_lengths)
    kinds: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    number = 0
    for longest in left.longest_first():
        while left.counts[longest]:
            row = _fill(left, longest, edges)
            counted = Counter(row)
            repeats = 1 + min(int(left.counts[kind]) // times for kind, times in counted.items())
            for kind, times in counted.items():
                left.take(kind, times * (repeats - 1))
            kinds.append(np.tile(np.array(row, np.int64), (repeats, 1)))
            rows.append(np.repeat(np.arange(number, number + repeats), len(row)))
            number += repeats
    source, target = np.concatenate(kinds).T
    return Packing(source, target, np.concatenate(rows))


def _fill(left: "_Left", longest: Kind, edges: tuple[int, int]) -> list[Kind]:
    """The kinds of one row, taken away from what is left."""
    row: list[Kind] = []
    room, kind = edges, longest
    while True:
        row.append(kind)
        left.take(kind, 1)
        room = room[0] - kind[0], room[1] - kind[1]
        if min(room) < 1:
            return row
        chosen = left.most_frequent() if min(room) > _NEAR else None
        chosen = chosen or left.best_two(room)
        if chosen is None:
            return row
        kind = chosen


class _Left:
    """How many pairs of each kind are not packed yet, as a table by source and target length."""

    def __init__(self, source_lengths: np.ndarray, target_lengths: np.ndarray) -> None:
        source, target = int(source_lengths.max()) + 1, int(target_lengths.max()) + 1
        flat = np.bincount(source_lengths * target + target_lengths, minlength=source * target)
        self.counts = flat.reshape(source, target)
        self._sizes = np.add.outer(np.arange(source), np.arange(target)).astype(np.float32)
        self._present = np.where(self.counts > 0, self._sizes, _NONE)
        # Of equally good choices the one of which there are most: the next rows have as many to choose from.
        self._preference = (0.3 * np.log1p(self.counts) / np.log1p(self.counts.max())).astype(np.float32)

    def longest_first(self) -> Iterator[Kind]:
        source, target = np.nonzero(self.counts)
        order = np.argsort(-self._sizes[source, target], kind="stable")
        yield from zip(source[order].tolist(), target[order].tolist(), strict=True)

    def take(self, kind: Kind, times: int) -> None:
        self.counts[kind] -= times
        if not self.counts[kind]:
            self._present[kind] = _NONE

    def most_frequent(self) -> Kind | None:
        """Of the short kinds, one of which most are left."""
        short = self.counts[: _NEAR + 1, : _NEAR + 1]
        source, target = divmod(int(short.argmax()), short.shape[1])
        return (source, target) if short[source, target] else None

    def best_two(self, room: tuple[int, int]) -> Kind | None:
        """The first of the two pairs that fill most of the room; None if there is none that fits."""
        height, width = (min(space + 1, edge) for space, edge in zip(room, self.counts.shape, strict=True))
        present = self._present[:height, :width]
        # largest[i, j]: the size of the largest pair that fits into (i, j)
        largest = np.maximum.accumulate(np.maximum.accumulate(np.maximum(present, 0), axis=0), axis=1)
        rest = (np.minimum(space - np.arange(n), n - 1) for space, n in zip(room, (height, width), strict=True))
        filled = present + largest[np.ix_(*rest)] + self._preference[:height, :width]
        source, target = divmod(int(filled.argmax()), width)
        return (source, target) if present[source, target] > 0 else None


def choose_packing(
    source_lengths: np.ndarray, target_lengths: np.ndarray, tokens_per_batch: int, row_multiple: int
) -> tuple[Bucket, Packing]:
    """The one shape of a run, and the rows of an epoch.

    The longer edge is a multiple of 8 near 64, or what the longest pair needs; the other follows from the ratio of
    source to target tokens. Among the few that come into question the one of least area is taken, a longer one being
    charged for its attention, and one that does not use the budget for that.

    Args:
        source_lengths: (N,) int, none over `tokens_per_batch // row_multiple`.
        target_lengths: (N,) int, likewise.
        tokens_per_batch: most padded tokens of a batch on its longer side.
        row_multiple: the rows are a multiple of this.

    Returns:
        The shape, as a bucket, and the packing for its edges.

    Example:
        >>> shape, packing = choose_packing(np.full(100, 9), np.full(100, 10), 512, 1)
        >>> str(shape), packing.number
        ('5 x (64, 72)', 15)
    """
    options = []
    for edges in _edges(source_lengths, target_lengths, tokens_per_batch // row_multiple):
        packing = pack_lengths(source_lengths, target_lengths, edges)
        shape = shape_for(packing, Bucket(*edges, rows_for(*edges, tokens_per_batch, row_multiple)), row_multiple)
        unused = 1 - rows_for(*edges, tokens_per_batch, row_multiple) * max(edges) / tokens_per_batch
        area = steps_for(packing, shape) * shape.area
        options.append((area * (1 + max(edges) * _ATTENTION) * (1 + unused), shape, packing))
    _, shape, packing = min(options, key=lambda option: option[0])
    return shape, packing


def _edges(source_lengths: np.ndarray, target_lengths: np.ndarray, limit: int) -> list[tuple[int, int]]:
    """The row shapes to choose from: one where packing takes seconds, else a few."""
    totals = int(source_lengths.sum()), int(target_lengths.sum())
    longest = int(source_lengths.max()), int(target_lengths.max())
    needed = -(-max(longest) // _STEP) * _STEP
    if len(np.unique(source_lengths * (longest[1] + 1) + target_lengths)) > _MANY_LENGTHS:
        long_edges = [max(needed, _USUAL_EDGE)]
    else:
        first = max(needed, _USUAL_EDGE - 2 * _STEP)
        long_edges = list(range(first, max(first, _USUAL_EDGE) + _STEP + 1, _STEP))
    shapes = []
    for edge in sorted({min(edge, limit) for edge in long_edges}):
        # An even number: the ratio is met closely, and attention kernels take it.
        shares = (2 * round(edge * total / max(totals) / 2) for total in totals)
        source, target = (min(max(share, most), edge) for share, most in zip(shares, longest, strict=True))
        shapes.append((source, target))
    return shapes


def steps_for(packing: Packing, shape: Bucket) -> int:
    """Batches of an epoch.

    Args:
        packing: the rows of an epoch.
        shape: has the rows of a batch.

    Returns:
        As many as hold all rows.
    """
    return -(-packing.number // shape.rows)


def shape_for(packing: Packing, most: Bucket, row_multiple: int) -> Bucket:
    """The rows shared out evenly: as few per batch as the number of batches allows.

    Args:
        packing: the rows of an epoch.
        most: the shape with as many rows as the budget allows.
        row_multiple: the rows stay a multiple of this.

    Returns:
        The shape, with almost no row of an epoch empty.
    """
    rows = -(-packing.number // (steps_for(packing, most) * row_multiple)) * row_multiple
    return Bucket(*most.edges, rows)


class PackedPlan:
    """Which pairs are in which row and which row is in which batch: every pair once an epoch, the same steps always.

    Which lengths share a row is settled once. Each epoch draws anew which pairs of these lengths they are, and in
    which batch each row is, so a batch is a random sample of the rows and its number of tokens varies little.

    Args:
        shape: the shape of every batch.
        packing: the places in the rows.
        source_lengths: (N,) int, tokens of each source.
        target_lengths: (N,) int.

    Example:
        >>> lengths = np.array([3, 5, 3, 2])
        >>> plan = PackedPlan(Bucket(8, 8, 1), pack_lengths(lengths, lengths, (8, 8)), lengths, lengths)
        >>> epoch = plan.epoch(seed=None, number=0)
        >>> [members.tolist() for members in epoch.members], plan.steps, plan.area
        ([[1, 0], [2, 3]], 2, 32)
    """

    def __init__(self, shape: Bucket, packing: Packing, source_lengths: np.ndarray, target_lengths: np.ndarray) -> None:
        self.buckets = self.used = [shape]
        self.steps = steps_for(packing, shape)
        self.area = self.steps * shape.area
        width = int(target_lengths.max()) + 1
        _, kinds = np.unique(source_lengths * width + target_lengths, return_inverse=True)
        # 16 bits: a radix sort
        self._kinds = kinds.astype(np.uint16) if len(kinds) and kinds.max() < 2**16 else kinds
        self._places = np.argsort(packing.source_lengths * width + packing.target_lengths, kind="stable")
        self._in_row = np.bincount(packing.rows)

    def epoch(self, seed: int | None, number: int) -> Epoch:
        """The batches of an epoch, a pure function of the arguments.

        Args:
            seed: shuffles the pairs of a length and the rows; None leaves both alone.
            number: which epoch, from 0; without a seed all are the same.

        Returns:
            The batches in order, with the row of each pair.
        """
        random = None if seed is None else np.random.default_rng([seed, number])
        pairs, rows = len(self._kinds), len(self._in_row)
        drawn = np.arange(pairs) if random is None else random.permutation(pairs)
        order = np.arange(rows) if random is None else random.permutation(rows)
        at_place = np.empty(pairs, np.int64)
        at_place[self._places] = drawn[np.argsort(self._kinds[drawn], kind="stable")]
        in_row = self._in_row[order]
        starts = (self._in_row.cumsum() - self._in_row)[order]
        members = at_place[np.repeat(starts - (in_row.cumsum() - in_row), in_row) + np.arange(pairs)]
        share = [len(part) for part in np.array_split(order, self.steps)]  # empty rows spread over the batches
        row_in_batch = np.repeat(np.concatenate([np.arange(count) for count in share]), in_row)
        cuts = np.concatenate([[0], in_row.cumsum()])[np.cumsum(share)[:-1]]
        return Epoch(np.zeros(self.steps, int), np.split(members, cuts), np.split(row_in_batch, cuts))
