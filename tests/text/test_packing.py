"""Packed batches: what the rows hold, that none is lost, that they are full, and that step k is always the same."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.errors import InputError
from keras_transformer.text import ParallelCorpus, Tokenizer, datasets
from keras_transformer.text.batching import Bucket, TokenBatches, token_batches
from keras_transformer.text.datasets.download import cache_folder
from keras_transformer.text.packing import choose_packing, pack_lengths
from tests.text.test_batching import BOS, EOS, digest

pytestmark = pytest.mark.backend_independent


@pytest.fixture(scope="session")
def batches(corpus: ParallelCorpus, tokenizer: Tokenizer) -> TokenBatches:
    return TokenBatches(corpus, tokenizer, 1024, seed=7, packed=True)


def test_rows_hold_the_pairs_one_after_the_other(
    batches: TokenBatches, corpus: ParallelCorpus, tokenizer: Tokenizer
) -> None:
    shared = 0
    for step in range(batches.steps_per_epoch):
        (source, target_in, source_segments, target_segments), target_out, weights = batches.batch(step)
        arrays = [source, target_in, source_segments, target_segments, target_out, weights]
        assert [array.dtype for array in arrays] == [np.int32] * 5 + [np.float32]
        pairs = iter(batches.indices(step))
        for row in range(len(source)):
            rebuilt: list[list[int]] = [[], [], [], [], []]
            for number in range(1, source_segments[row].max() + 1):
                pair = next(pairs)
                ids, translation = (tokenizer.encode([side[pair]])[0] for side in (corpus.sources, corpus.targets))
                rebuilt[0] += [*ids, EOS]
                rebuilt[1] += [BOS, *translation]
                rebuilt[2] += [number] * (len(ids) + 1)
                rebuilt[3] += [number] * (len(translation) + 1)
                rebuilt[4] += [*translation, EOS]
                shared += number > 1
            for array, expected in zip(arrays[:5], rebuilt, strict=True):
                assert array[row].tolist() == expected + [0] * (array.shape[1] - len(expected))
        assert next(pairs, None) is None
        np.testing.assert_array_equal(weights, (target_segments > 0) / np.float32((target_segments > 0).sum()))
    assert shared > len(corpus) / 2


def test_every_pair_once_an_epoch_in_new_company(batches: TokenBatches, corpus: ParallelCorpus) -> None:
    steps = batches.steps_per_epoch
    epochs = [[batches.indices(epoch * steps + step).tolist() for step in range(steps)] for epoch in range(2)]
    for epoch in epochs:
        assert Counter(pair for batch in epoch for pair in batch) == Counter(range(len(corpus)))
    first = set(epochs[0][0])
    assert max(len(first & set(batch)) for batch in epochs[1]) < 0.3 * len(first)
    # A batch is a sample of all lengths, not of one, and all batches have about the same number of tokens.
    tokens = [batches.batch(step)[1].astype(bool).sum() for step in range(steps)]
    assert np.std(tokens) < 0.05 * np.mean(tokens)


def test_step_k_is_the_same_alone_and_in_the_dataset_of_one_shape(
    batches: TokenBatches, corpus: ParallelCorpus, tokenizer: Tokenizer
) -> None:
    start = batches.steps_per_epoch - 2
    expected = [digest_packed(batches, start + k) for k in range(4)]
    again = TokenBatches(corpus, tokenizer, 1024, seed=7, packed=True)
    assert [digest_packed(again, start + k) for k in (3, 0, 2, 1)] == [expected[k] for k in (3, 0, 2, 1)]
    dataset = again.dataset(start, 4)
    assert [digest(batch) for batch in map(two_of_four, dataset.as_numpy_iterator())] == expected
    (shape,) = batches.buckets
    (source, *inputs), target, weights = dataset.element_spec
    assert [spec.shape.as_list() for spec in (source, inputs[1], inputs[0], inputs[2], target, weights)] == [
        [shape.rows, edge] for edge in [shape.source_edge] * 2 + [shape.target_edge] * 4
    ]
    epoch = token_batches(corpus, tokenizer, 1024, seed=7, packed=True)
    assert int(epoch.cardinality()) == batches.steps_per_epoch
    assert digest(two_of_four(next(epoch.as_numpy_iterator()))) == digest_packed(batches, 0)


def two_of_four(batch):  # type: ignore[no-untyped-def]
    (source, target_in, source_segments, target_segments), target_out, weights = batch
    return (source * 100 + source_segments, target_in * 100 + target_segments), target_out, weights


def digest_packed(batches: TokenBatches, step: int) -> str:
    return digest(two_of_four(batches.batch(step)))


def test_the_rows_are_full_and_within_the_budget(batches: TokenBatches) -> None:
    (shape,) = batches.buckets
    assert shape.rows * max(shape.edges) <= 1024
    report, steps = batches.report, batches.steps_per_epoch
    assert report.padded_tokens == steps * shape.area
    assert report.fill > 0.96
    assert report.source_tokens == sum(int((batches.batch(k)[0][0] > 0).sum()) for k in range(steps))


LENGTHS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 15)), min_size=1, max_size=60)


@given(LENGTHS, st.integers(0, 9), st.integers(0, 9))
def test_packing_places_each_pair_where_there_is_room(
    pairs: list[tuple[int, int]], more_source: int, more_target: int
) -> None:
    source, target = np.array(pairs).T
    edges = int(source.max()) + more_source, int(target.max()) + more_target
    packing = pack_lengths(source, target, edges)
    placed = zip(packing.source_lengths.tolist(), packing.target_lengths.tolist(), strict=True)
    assert Counter(placed) == Counter(pairs)
    for lengths, edge in zip((packing.source_lengths, packing.target_lengths), edges, strict=True):
        assert np.bincount(packing.rows, lengths).max() <= edge
    assert set(packing.rows.tolist()) == set(range(packing.number))


def test_edges_follow_the_ratio_of_the_languages() -> None:
    random = np.random.default_rng(3)
    target = random.integers(3, 40, 5000)
    source = np.maximum(1, target * 3 // 4 + random.integers(-2, 3, 5000))
    shape, packing = choose_packing(source, target, 4096, row_multiple=4)
    assert shape.source_edge / shape.target_edge == pytest.approx(source.sum() / target.sum(), abs=0.02)
    assert shape.target_edge % 8 == 0
    assert shape.rows % 4 == 0
    steps = -(-packing.number // shape.rows)
    assert (source.sum() + target.sum()) / (steps * shape.area) > 0.95


def test_one_long_pair_sets_the_edge_and_those_over_the_budget_are_left_out(tokenizer: Tokenizer) -> None:
    pairs = [("a dog", "ein Hund")] * 200 + [("a " * 20, "ein " * 99), ("a " * 300, "ein")]
    batches = TokenBatches(pairs, tokenizer, 220, packed=True, row_multiple=2)
    (shape,) = batches.buckets
    assert 100 <= shape.target_edge <= 110
    assert shape.rows == 2
    assert (batches.report.pairs, batches.report.too_long) == (201, 1)
    assert batches.largest()[1].shape == (2, shape.target_edge)
    alone = TokenBatches([("", "")], tokenizer, packed=True).batch(0)
    assert [array[0, :2].tolist() for array in (*alone[0], alone[1])] == [[EOS, 0], [BOS, 0], [1, 0], [1, 0], [EOS, 0]]


def test_a_given_shape_is_kept(batches: TokenBatches, tokenizer: Tokenizer) -> None:
    pairs = [("a dog", "ein Hund"), ("a " * 30, "ein"), ("a " * 500, "ein")]
    valid = TokenBatches(pairs, tokenizer, seed=None, buckets=batches.buckets, packed=True)
    assert valid.buckets == batches.buckets
    assert valid.batch(0)[1].shape == batches.batch(0)[1].shape
    assert (valid.report.pairs, valid.report.too_long) == (2, 1)
    with pytest.raises(InputError, match="Packed batches have one shape, but 2 buckets"):
        TokenBatches(pairs, tokenizer, buckets=[Bucket(8, 8, 2), Bucket(9, 9, 2)], packed=True)


def test_multi30k_is_filled_to_98_percent() -> None:
    folder = cache_folder("multi30k")
    if not (folder / "train.de.gz").exists():
        pytest.skip(f"the Multi30k files are not in {folder} (set KERAS_TRANSFORMER_HOME)")
    corpus = datasets.load("multi30k", source="en", target="de").train
    batches = TokenBatches(corpus, Tokenizer.train(corpus, 8000), 4096, packed=True)
    assert batches.report.fill > 0.98
