"""Sentences leave a batch as they are done, and the best continuations are found without sorting the vocabulary."""

import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from types import SimpleNamespace

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.decoding import BeamSearch
from keras_transformer.decoding.candidates import IMPOSSIBLE, best_continuations, block_size
from keras_transformer.decoding.compiled import SearchModel, predict


def test_sentences_of_very_unequal_lengths_are_as_each_alone(toys: SimpleNamespace) -> None:
    """Some are done at once and some after thirty steps, so the batch shrinks and the cache grows in between."""
    model, random = toys.random_transformer(seed=3), np.random.default_rng(1)
    lengths = [1, 30, 2, 12, 1, 3, 25, 1, 8, 2, 0, 17]
    source = np.zeros((len(lengths), 32), "int32")
    for row, length in zip(source, lengths, strict=True):
        row[: length + 1] = [*random.integers(3, 12, length), 2] if length else 0
    compiled = SearchModel(model, BeamSearch(4, 0.6, 14, n_best=2))
    together = toys.hypotheses(*predict(compiled, model, source))
    took = {len(found[0][1]) for found in together if found}
    assert min(took) < 8 < 16 < max(took), took
    for row in (1, 3, 5, 8, 10):
        (alone,) = toys.hypotheses(*predict(compiled, model, source[row : row + 1]))
        assert [y for _, y in together[row]] == [y for _, y in alone]
        np.testing.assert_allclose([s for s, _ in together[row]], [s for s, _ in alone], atol=1e-5)


@pytest.mark.parametrize(("levels", "forbidden"), [(3, (0, 50)), (10_000, (0, 50)), (10_000, (79, 300))])
def test_blocks_find_what_a_sort_of_everything_finds(levels: int, forbidden: tuple[int, int]) -> None:
    """With few levels nearly all are ties, and the smaller beam and id go first (PyTorch: any id)."""
    random, beams, vocab_size, count = np.random.default_rng(0), 3, 320, 7
    assert 1 < block_size(vocab_size) < vocab_size
    logits = random.integers(0, levels, (20, beams, vocab_size)).astype("float32") * (8 / levels)
    log_prob = np.sort(random.integers(-3, 0, (20, beams)).astype("float32"))[:, ::-1].copy()
    log_prob[::4, 1:] = IMPOSSIBLE
    found, log_z = best_continuations(ops.convert_to_tensor(logits), ops.convert_to_tensor(log_prob), count, forbidden)
    expected_z = np.log(np.exp(logits.astype("float64")).sum(-1))
    np.testing.assert_allclose(ops.convert_to_numpy(log_z), expected_z, rtol=1e-6)
    scores = log_prob[..., None] + (logits - ops.convert_to_numpy(log_z)[..., None])
    scores[..., list(forbidden)] = IMPOSSIBLE
    flat = scores.reshape(20, -1)
    order = np.argsort(-flat, axis=1, kind="stable")[:, :count]
    np.testing.assert_allclose(ops.convert_to_numpy(found.log_prob), np.take_along_axis(flat, order, 1), atol=1e-5)
    chosen = ops.convert_to_numpy(found.parent) * vocab_size + ops.convert_to_numpy(found.token)
    if keras.backend.backend() != "torch" or levels > 3:
        np.testing.assert_array_equal(chosen, order)
    assert all(len(set(row)) == count for row in chosen.tolist())
