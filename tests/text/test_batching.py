"""Token batches: what they hold, that none is lost, and that step k is always the same batch."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.text.batching import Batch, Bucket, TokenBatches, token_batches
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.tokenizer import Tokenizer

pytestmark = pytest.mark.backend_independent

PAD, BOS, EOS = 0, 1, 2


@pytest.fixture(scope="session")
def batches(corpus: ParallelCorpus, tokenizer: Tokenizer) -> TokenBatches:
    return TokenBatches(corpus, tokenizer, 512, seed=7)


def digest(batch: Batch) -> str:
    (source, target_in), target_out, weights = batch
    parts = [f"{array.dtype}{array.shape}".encode() + array.tobytes() for array in (source, target_in, target_out)]
    return hashlib.sha256(b"".join([*parts, weights.tobytes()])).hexdigest()


def test_what_a_batch_holds(batches: TokenBatches, corpus: ParallelCorpus, tokenizer: Tokenizer) -> None:
    for step in range(batches.steps_per_epoch):
        (source, target_in), target_out, weights = batches.batch(step)
        assert [array.dtype for array in (source, target_in, target_out, weights)] == [np.int32] * 3 + [np.float32]
        pairs = batches.indices(step)
        sources = tokenizer.encode([corpus.sources[pair] for pair in pairs])
        targets = tokenizer.encode([corpus.targets[pair] for pair in pairs])
        for row, (pieces, translation) in enumerate(zip(sources, targets, strict=True)):
            assert source[row].tolist() == padded([*pieces, EOS], source.shape[1])
            assert target_in[row].tolist() == padded([BOS, *translation], target_in.shape[1])
            assert target_out[row].tolist() == padded([*translation, EOS], target_out.shape[1])
        for array in (source, target_in, target_out):
            assert not array[len(pairs) :].any()
        tokens = int((target_out != PAD).sum())
        np.testing.assert_array_equal(weights, np.where(target_out != PAD, np.float32(1 / tokens), 0))


def padded(ids: list[int], width: int) -> list[int]:
    return ids + [PAD] * (width - len(ids))


def test_shapes_are_few_and_within_the_budget(batches: TokenBatches) -> None:
    shapes = {(*b[0][0].shape, b[1].shape[1]) for b in map(batches.batch, range(batches.steps_per_epoch))}
    assert shapes == {(bucket.rows, *bucket.edges) for bucket in batches.buckets}
    assert 2 <= len(shapes) <= 20
    assert all(rows * max(edges) <= 512 for rows, *edges in shapes)


def test_no_pair_is_lost_or_repeated_in_an_epoch(batches: TokenBatches, corpus: ParallelCorpus) -> None:
    steps = batches.steps_per_epoch
    for epoch in range(2):
        seen = Counter(int(i) for step in range(steps) for i in batches.indices(epoch * steps + step))
        assert seen == Counter(range(len(corpus)))
    assert digest(batches.batch(0)) != digest(batches.batch(steps))


def test_step_k_is_the_same_alone_in_order_and_in_another_process(
    batches: TokenBatches,
    corpus: ParallelCorpus,
    tokenizer: Tokenizer,
    tmp_path: Path,
    run_bare: Callable[..., str],
) -> None:
    steps = [batches.steps_per_epoch + 3, 0, 5, 1]  # asked for backwards, across epochs
    alone = {step: digest(TokenBatches(corpus, tokenizer, 512, seed=7).batch(step)) for step in steps}
    in_order = [digest(batch) for batch in batches.iterate(0, max(steps) + 1)]
    assert alone == {step: in_order[step] for step in steps}
    assert [digest(batch) for batch in batches.iterate(4, 3)] == in_order[4:7]

    tokenizer.save(tmp_path / "tokenizer.model")
    (tmp_path / "pairs.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in corpus), encoding="utf-8")
    script = """
from test_batching import *
corpus, tokenizer = ParallelCorpus(sys.argv[3] + "/pairs.tsv"), Tokenizer.load(sys.argv[3] + "/tokenizer.model")
batches = TokenBatches(corpus, tokenizer, 512, seed=7)
print(*(digest(batches.batch(int(step))) for step in sys.argv[4:]))
"""
    assert run_bare(script, tmp_path, *steps).split() == list(alone.values())


def test_the_dataset_is_the_batches(batches: TokenBatches) -> None:
    dataset = batches.dataset(start_step=3, steps=4)
    assert int(dataset.cardinality()) == 4
    (source, target_in), target_out, weights = dataset.element_spec
    assert [spec.shape.as_list() for spec in (source, target_in, target_out, weights)] == [[None, None]] * 4
    assert [spec.dtype.name for spec in (source, target_in, target_out, weights)] == ["int32"] * 3 + ["float32"]
    for _ in range(2):
        assert [digest(batch) for batch in dataset.as_numpy_iterator()] == [
            digest(batches.batch(k)) for k in range(3, 7)
        ]
    endless = batches.dataset(start_step=batches.steps_per_epoch - 1)
    assert int(endless.cardinality()) == -1
    tail = [digest(batch) for batch in endless.take(3).as_numpy_iterator()]
    assert tail == [digest(batches.batch(batches.steps_per_epoch - 1 + k)) for k in range(3)]


def test_each_iteration_of_token_batches_is_the_next_epoch(
    batches: TokenBatches, corpus: ParallelCorpus, tokenizer: Tokenizer
) -> None:
    dataset = token_batches(corpus, tokenizer, 512, seed=7)
    steps = batches.steps_per_epoch
    assert int(dataset.cardinality()) == steps
    for epoch in range(3):
        expected = [digest(batches.batch(epoch * steps + step)) for step in range(steps)]
        assert [digest(batch) for batch in dataset.as_numpy_iterator()] == expected


def test_without_a_seed_the_order_is_that_of_the_corpus(corpus: ParallelCorpus, tokenizer: Tokenizer) -> None:
    batches = TokenBatches(corpus, tokenizer, 512, seed=None)
    areas = [sum(b[0][0].shape[1:] + b[1].shape[1:]) for b in map(batches.batch, range(batches.steps_per_epoch))]
    assert areas == sorted(areas)
    assert digest(batches.batch(0)) == digest(batches.batch(batches.steps_per_epoch))
    first = batches.indices(0)
    assert (np.diff(first) > 0).all()


def test_over_long_pairs_are_left_out_and_counted(tokenizer: Tokenizer) -> None:
    pairs = [("a dog", "ein Hund")] * 5 + [("a " * 40, "ein"), ("a", "ein " * 90)]
    report = TokenBatches(pairs, tokenizer, 512, max_length=41).report
    assert (report.pairs, report.too_long, report.max_length) == (6, 1, 41)
    report = TokenBatches(pairs, tokenizer, 512, max_length=40).report
    assert (report.pairs, report.too_long) == (5, 2)
    batches = TokenBatches(pairs[::-1], tokenizer, 512, seed=None, max_length=40)
    assert batches.indices(0).tolist() == [2, 3, 4, 5, 6]
    assert (batches.batch(0)[1][:, :-1] == tokenizer.encode(["ein Hund"])[0]).all()
    assert "2 pairs left out, longer than 40 tokens" in str(report)
    # 60 tokens a batch for 2 replicas: 30 columns at most
    halved = TokenBatches(pairs, tokenizer, 60, row_multiple=2)
    assert (halved.report.too_long, halved.report.max_length) == (2, 30)
    with pytest.raises(InputError, match="All 7 pairs are longer than 1 tokens"):
        TokenBatches(pairs, tokenizer, 512, max_length=1)


def test_rows_are_a_multiple_for_replicas(corpus: ParallelCorpus, tokenizer: Tokenizer) -> None:
    batches = TokenBatches(corpus, tokenizer, 512, row_multiple=4)
    assert all(bucket.rows % 4 == 0 and bucket.rows * max(bucket.edges) <= 512 for bucket in batches.buckets)
    assert batches.report.fill > 0.8


def test_the_largest_batch_is_full_and_of_a_shape_that_occurs(tokenizer: Tokenizer) -> None:
    pairs = [("a dog", "ein Hund")] * 50 + [("a " * 20, "ein " * 25)]
    batches = TokenBatches(pairs, tokenizer, 256)
    (source, target_in), target_out, weights = batches.largest()
    assert Bucket(source.shape[1], target_out.shape[1], source.shape[0]) in batches.buckets
    assert (target_out[:, 0] != PAD).all()
    costs = [b[1].size for b in map(batches.batch, range(batches.steps_per_epoch))]
    assert target_out.size == max(costs)
    assert weights.sum() == pytest.approx(1.0, abs=1e-5)
    assert target_in.shape == target_out.shape


def test_validation_can_use_the_shapes_of_training(batches: TokenBatches, tokenizer: Tokenizer) -> None:
    pairs = [("a dog", "ein Hund"), ("a " * 30, "ein"), ("a " * 500, "ein")]
    valid = TokenBatches(pairs, tokenizer, 512, seed=None, buckets=batches.buckets)
    assert set(valid.buckets) <= set(batches.buckets)
    assert (valid.report.pairs, valid.report.too_long) == (2, 1)
    with pytest.raises(InputError, match="neither holds the other"):
        TokenBatches(pairs, tokenizer, buckets=[Bucket(4, 9, 2), Bucket(9, 4, 2)])
    with pytest.raises(InputError, match="expected a multiple of 2"):
        TokenBatches(pairs, tokenizer, row_multiple=2, buckets=[Bucket(9, 9, 3)])


def test_empty_sides_and_one_pair_make_a_batch(tokenizer: Tokenizer) -> None:
    (source, target_in), target_out, weights = TokenBatches([("", "")], tokenizer).batch(0)
    assert (source.tolist(), target_in.tolist(), target_out.tolist()) == ([[EOS]], [[BOS]], [[EOS]])
    assert weights.tolist() == [[1.0]]


def test_the_report_adds_up(batches: TokenBatches) -> None:
    epoch = [batches.batch(step) for step in range(batches.steps_per_epoch)]
    report = batches.report
    assert report.source_tokens == sum(int((source != PAD).sum()) for (source, _), _, _ in epoch)
    assert report.target_tokens == sum(int((target != PAD).sum()) for _, target, _ in epoch)
    assert report.padded_tokens == sum(source.size + target.size for (source, _), target, _ in epoch)
    assert report.fill > 0.85
    assert f"{100 * report.fill:.1f} % filled" in str(report)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"tokens_per_batch": 0}, "tokens_per_batch is 0"),
        ({"num_buckets": 0}, "num_buckets is 0"),
        ({"row_multiple": -1}, "row_multiple is -1"),
        ({"max_length": 0}, "max_length is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tokenizer: Tokenizer, settings: dict[str, int], told: str) -> None:
    with pytest.raises(InputError, match=told):
        TokenBatches([("a", "b")], tokenizer, **settings)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no pairs"):
        TokenBatches([], tokenizer)
    with pytest.raises(InputError, match="step is -1"):
        TokenBatches([("a", "b")], tokenizer).batch(-1)
