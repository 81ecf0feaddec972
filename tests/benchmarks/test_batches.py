"""The batches that peers train on."""

import numpy as np
import pytest

from benchmarks.batches import Pairs, group, pack

pytestmark = pytest.mark.backend_independent


def test_every_pair_once_within_the_budget_and_padded_right(tmp_path):
    random = np.random.default_rng(0)
    s, t = random.integers(2, 12, 60), random.integers(2, 12, 60)
    groups = group(s, t, 48, seed=1)
    assert sorted(np.concatenate(groups).tolist()) == list(range(60))
    assert all(len(members) * max(s[members].max(), t[members].max()) <= 48 for members in groups)
    ids = {
        side: np.concatenate([[*range(10, 9 + n), 2] for n in lengths]).astype("int32")
        for side, lengths in (("source", s), ("target", t))
    }
    shapes = [(len(members), s[members].max(), t[members].max()) for members in groups]
    path = tmp_path / "pairs.npz"
    np.savez(path, source_lengths=s, target_lengths=t, **ids, **pack(groups, shapes, "exact"))
    pairs = Pairs(path)
    for batch, members in zip(pairs.all(), groups, strict=True):
        assert (batch.source != 0).sum(axis=1).tolist() == s[members].tolist()
        assert (batch.target_out == 2).sum(axis=1).tolist() == [1] * len(members)
        real = batch.target_out != 0
        assert ((batch.target_in != 0) == real).all()
        assert (batch.target_in[:, 0] == 1).all()
        assert (batch.target_in[:, 1:] == batch.target_out[:, :-1])[real[:, 1:]].all()
        assert batch.counts.tolist()[:2] == [s[members].sum(), t[members].sum()]
    assert 0.7 < pairs.filled <= 1.0
