"""Which pairs are in which batch: every pair once an epoch, the same number of batches in every epoch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from keras_transformer.text.buckets import Bucket


@dataclass(frozen=True)
class Epoch:
    """The batches of one epoch.

    Args:
        buckets: (steps,) int, the bucket of each batch.
        members: for each batch the (n,) indices of its pairs, row after row.
        rows: for each batch the (n,) rows of its pairs, if they share rows; None if each has its own.
    """

    buckets: np.ndarray
    members: list[np.ndarray]
    rows: list[np.ndarray] | None = None


class EpochPlan:
    """How many batches each bucket gives, and where its left-over pairs go.

    Filling a bucket's batches leaves fewer pairs than a batch. They move up to the next bucket, where they take more
    padding, or the bucket is closed with one more batch. What is done where is chosen once, so that the padded area
    of an epoch with empty rows is least; it depends on counts alone, so every epoch has the same steps. A closed
    bucket then shares its pairs out evenly: its rows become as few as its number of batches allows, which leaves
    almost no empty rows and no batch of a few pairs.

    Args:
        buckets: a chain, small to large.
        assignment: (N,) int, the bucket of each pair.
        row_multiple: rows stay a multiple of this.
        even: share closed buckets out evenly; False keeps the rows as they are.

    Example:
        >>> plan = EpochPlan([Bucket(4, 4, 3), Bucket(8, 8, 2)], np.array([0, 0, 0, 0, 1]))
        >>> plan.steps, plan.area
        (2, 56)
        >>> [members.tolist() for members in plan.epoch(seed=None, number=0).members]
        [[0, 1, 2], [3, 4]]
    """

    def __init__(
        self, buckets: Sequence[Bucket], assignment: np.ndarray, *, row_multiple: int = 1, even: bool = True
    ) -> None:
        self.buckets = list(buckets)
        order = np.argsort(assignment.astype(np.int16), kind="stable")  # 16 bits: a radix sort
        self._counts = np.bincount(assignment, minlength=len(buckets))
        self._pairs = np.split(order, self._counts.cumsum()[:-1])
        self._closed, self.area_unshared = self._choose_closed()
        batches = self._count_batches(row_multiple if even else None)
        self.used = [bucket for bucket, number in zip(self.buckets, batches, strict=True) if number]
        self.steps = sum(batches)
        self.area = sum(bucket.area * number for bucket, number in zip(self.buckets, batches, strict=True))

    def _choose_closed(self) -> tuple[set[int], int]:
        """The buckets closed, and the area of an epoch with their empty rows, by dynamic programming."""
        best: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        for end in range(len(self.buckets)):
            options = []
            for start in range(end + 1):
                area, closed = best[start]
                options.append((area + self._run_area(start, end), closed | {end}))
            best.append(min(options, key=lambda option: option[0]))
        return set(best[-1][1]), best[-1][0]

    def _run_area(self, start: int, end: int) -> int:
        """Area of buckets `start` to `end` when left-over pairs move up to `end`, which is closed."""
        area = carried = 0
        for bucket, count in zip(self.buckets[start : end + 1], self._counts[start : end + 1], strict=True):
            full, carried = divmod(carried + int(count), bucket.rows)
            area += full * bucket.area
        return area + (self.buckets[end].area if carried else 0)

    def _count_batches(self, row_multiple: int | None) -> list[int]:
        """Batches of each bucket; shares closed ones out evenly unless the multiple is None."""
        batches: list[int] = []
        carried = 0
        for kind, count in enumerate(self._counts):
            pairs, rows = carried + int(count), self.buckets[kind].rows
            closed = kind in self._closed
            number = -(-pairs // rows) if closed else pairs // rows
            carried = 0 if closed else pairs - number * rows
            batches.append(number)
            if closed and number and row_multiple:
                rows = -(-pairs // (number * row_multiple)) * row_multiple
                self.buckets[kind] = replace(self.buckets[kind], rows=rows)
        return batches

    def epoch(self, seed: int | None, number: int) -> Epoch:
        """The batches of an epoch, a pure function of the arguments.

        Args:
            seed: shuffles pairs within their buckets and the order of the batches; None leaves both alone.
            number: which epoch, from 0; without a seed all are the same.

        Returns:
            The batches in order.
        """
        random = None if seed is None else np.random.default_rng([seed, number])
        kinds: list[int] = []
        members: list[np.ndarray] = []
        carried = np.zeros(0, np.int64)
        for kind, (bucket, pairs) in enumerate(zip(self.buckets, self._pairs, strict=True)):
            own = pairs if random is None else random.permutation(pairs)
            # Those carried come first, so that none is carried further than it must be.
            waiting = np.concatenate([carried, own])
            whole = len(waiting) if kind in self._closed else len(waiting) // bucket.rows * bucket.rows
            batches = [waiting[first : first + bucket.rows] for first in range(0, whole, bucket.rows)]
            carried = waiting[whole:]
            kinds += [kind] * len(batches)
            members += batches
        order = np.arange(len(kinds)) if random is None else random.permutation(len(kinds))
        return Epoch(np.array(kinds)[order], [members[index] for index in order])
