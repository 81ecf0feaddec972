"""The sentence pairs as ids, and the batches they are grouped in. NumPy only: workers import it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.sizes import BOS, EOS, PAD


class Batch(NamedTuple):
    """Padded ids of a list of pairs, and what they count."""

    source: np.ndarray  # (B, S): pieces + [eos]
    target_in: np.ndarray  # (B, T): [bos] + pieces
    target_out: np.ndarray  # (B, T): pieces + [eos]
    counts: np.ndarray  # (5,): see `Pairs.counts`


class Pairs:
    """Encoded pairs and the batches they make, as `data.write` left them in a file.

    Args:
        path: the .npz file.
        grouping: "exact": each batch is as wide as its longest sentence; "static": few shapes, for what compiles each.
        first: how many batches there are to be; None for an epoch.
    """

    def __init__(self, path: str | Path, grouping: str = "exact", first: int | None = None) -> None:
        with np.load(path) as data:
            self._ids = {side: data[side] for side in ("source", "target")}
            self.lengths = {side: data[f"{side}_lengths"] for side in ("source", "target")}
            members, rows, shapes = (data[f"{grouping}_{name}"] for name in ("members", "rows", "shapes"))
        self._starts = {side: np.concatenate([[0], lengths.cumsum()]) for side, lengths in self.lengths.items()}
        self.batches = np.split(members, rows.cumsum()[:-1])[:first]
        self.shapes = shapes[:first]  # (batches, 3): rows, source and target columns

    def __len__(self) -> int:
        return len(self.batches)

    def counts(self, pairs: np.ndarray) -> np.ndarray:
        """(5,): sums of s, t, s^2, t^2 and s t over pairs of s source and t target tokens, the end's included."""
        s, t = (self.lengths[side][pairs].astype(np.int64) for side in ("source", "target"))
        return np.array([s.sum(), t.sum(), (s * s).sum(), (t * t).sum(), (s * t).sum()])

    def batch(self, place: int) -> Batch:
        """The batch in this place, padded to its shape."""
        pairs, (rows, source_width, target_width) = self.batches[place], self.shapes[place]
        source = self._matrix("source", pairs, rows, source_width)
        target_out = self._matrix("target", pairs, rows, target_width)
        target_in = np.full_like(target_out, PAD)
        target_in[: len(pairs), 0] = BOS
        target_in[:, 1:] = np.where(target_out[:, :-1] == EOS, PAD, target_out[:, :-1])
        return Batch(source, target_in, target_out, self.counts(pairs))

    def all(self) -> list[Batch]:
        """Every batch, made beforehand: a peer's own input pipeline is not what is measured."""
        return [self.batch(place) for place in range(len(self))]

    @property
    def filled(self) -> float:
        """Share of the padded area that is tokens."""
        area = sum(rows * (source + target) for rows, source, target in self.shapes.tolist())
        return float(sum(self.counts(pairs)[:2].sum() for pairs in self.batches) / area)

    def _matrix(self, side: str, pairs: np.ndarray, rows: int, width: int) -> np.ndarray:
        matrix = np.full((rows, width), PAD, np.int32)
        for row, pair in enumerate(pairs):
            start, end = self._starts[side][pair : pair + 2]
            matrix[row, : end - start] = self._ids[side][start:end]
        return matrix


def group(source_lengths: np.ndarray, target_lengths: np.ndarray, tokens: int, seed: int) -> list[np.ndarray]:
    """Pairs of alike length, at most `tokens` padded tokens on either side of a batch; the batches in random order."""
    order = np.lexsort((source_lengths, target_lengths))
    groups: list[list[int]] = [[]]
    widest = 0
    for pair in order.tolist():
        width = max(widest, int(source_lengths[pair]), int(target_lengths[pair]))
        if groups[-1] and width * (len(groups[-1]) + 1) > tokens:
            groups.append([])
            width = max(int(source_lengths[pair]), int(target_lengths[pair]))
        groups[-1].append(pair)
        widest = width
    random = np.random.default_rng(seed)
    return [random.permutation(groups[place]) for place in random.permutation(len(groups))]


def pack(groups: Sequence[np.ndarray], shapes: Sequence[tuple[int, int, int]], name: str) -> dict[str, np.ndarray]:
    """What the file holds about a grouping."""
    return {
        f"{name}_members": np.concatenate(groups),
        f"{name}_rows": np.array([len(members) for members in groups]),
        f"{name}_shapes": np.array(shapes),
    }
