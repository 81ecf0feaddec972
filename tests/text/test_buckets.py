"""The choice of buckets and the plan of an epoch, against brute force."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.text.buckets import Bucket, assign, choose_edges, rows_for
from keras_transformer.text.epochs import EpochPlan

pytestmark = pytest.mark.backend_independent

Lengths = list[tuple[int, int]]
lengths_of_pairs = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=40)


def padded_area(pairs: Lengths, edges: list[tuple[int, int]]) -> int:
    return sum(min(s + t for s, t in edges if s >= source and t >= target) for source, target in pairs)


@given(lengths_of_pairs, st.integers(1, 6))
def test_every_chain_is_a_chain_that_holds_every_pair(pairs: Lengths, most: int) -> None:
    sources, targets = np.array(pairs).T
    chains = list(choose_edges(sources, targets, most))
    assert chains[0] == [(sources.max(), targets.max())]
    for number, edges in enumerate(chains, start=1):
        assert len(edges) == number <= most
        assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(edges))
        assert edges[-1] == (sources.max(), targets.max())
        kinds = assign(sources, targets, edges)
        for (source, target), kind in zip(pairs, kinds, strict=True):
            fitting = [k for k, (s, t) in enumerate(edges) if s >= source and t >= target]
            assert kind == fitting[0]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40), st.integers(1, 4))
def test_the_cuts_are_the_best_there_are(lengths: list[int], number: int) -> None:
    """Where both sides are equally long there is one order of pairs, and every set of cuts can be tried."""
    values = sorted(set(lengths))
    chains = list(choose_edges(np.array(lengths), np.array(lengths), number))
    number = min(number, len(values))
    pairs = [(length, length) for length in lengths]
    every_choice = combinations(values[:-1], number - 1)
    best = min(padded_area(pairs, [(v, v) for v in (*cuts, values[-1])]) for cuts in every_choice)
    assert padded_area(pairs, chains[number - 1]) == best


def test_two_languages_of_different_length_get_edges_of_their_own() -> None:
    random = np.random.default_rng(0)
    sources = random.lognormal(3.1, 0.6, 20_000).astype(int).clip(1, 250)
    targets = (sources * 0.6 * random.lognormal(0, 0.25, 20_000)).astype(int).clip(1, 250)
    *_, edges = choose_edges(sources, targets, 20)
    pairs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    fill = (sources.sum() + targets.sum()) / padded_area(pairs, edges)
    assert fill > 0.84  # ordered by the plain longer side: 0.75


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 5000), st.integers(1, 9))
def test_rows_are_the_most_within_the_budget(source: int, target: int, budget: int, multiple: int) -> None:
    rows = rows_for(source, target, budget, multiple)
    assert rows % multiple == 0
    assert rows * max(source, target) <= budget < (rows + multiple) * max(source, target)


plans = st.builds(
    lambda shapes, counts: (
        [Bucket(4 * (k + 1), 4 * (k + 1), rows) for k, rows in enumerate(shapes)],
        np.repeat(np.arange(len(shapes)), counts[: len(shapes)]),
    ),
    st.lists(st.integers(1, 5).map(lambda rows: 2 * rows), min_size=1, max_size=5),
    st.lists(st.integers(0, 30), min_size=5, max_size=5),
).filter(lambda plan: len(plan[1]) > 0)


@given(plans, st.none() | st.integers(0, 9), st.booleans())
def test_every_pair_is_in_one_batch_that_holds_it(
    plan_of: tuple[list[Bucket], np.ndarray], seed: int | None, even: bool
) -> None:
    buckets, kinds = plan_of
    plan = EpochPlan(buckets, kinds, row_multiple=2, even=even)
    for number in range(3):
        epoch = plan.epoch(seed, number)
        assert sorted(np.concatenate(epoch.members)) == list(range(len(kinds)))
        assert len(epoch.members) == len(epoch.buckets) == plan.steps
        for kind, members in zip(epoch.buckets, epoch.members, strict=True):
            bucket = plan.buckets[kind]
            assert 0 < len(members) <= bucket.rows <= buckets[kind].rows
            assert bucket.rows % 2 == 0
            assert bucket in plan.used
            assert kinds[members].max() <= kind
        assert sum(plan.buckets[kind].area for kind in epoch.buckets) == plan.area


@given(plans)
def test_left_over_pairs_go_where_the_area_is_least(plan_of: tuple[list[Bucket], np.ndarray]) -> None:
    buckets, kinds = plan_of
    counts = np.bincount(kinds, minlength=len(buckets))
    areas = []
    for closed in range(2 ** (len(buckets) - 1)):  # every subset of buckets to close; the last always is
        area = carried = 0
        for kind, (bucket, count) in enumerate(zip(buckets, counts, strict=True)):
            full, carried = divmod(carried + int(count), bucket.rows)
            if carried and (kind == len(buckets) - 1 or closed >> kind & 1):
                full, carried = full + 1, 0
            area += full * bucket.area
        areas.append(area)
    assert EpochPlan(buckets, kinds, even=False).area == min(areas)


def test_a_closed_bucket_shares_its_pairs_out() -> None:
    plan = EpochPlan([Bucket(8, 8, 100)], np.zeros(204, int), row_multiple=4)
    assert [bucket.rows for bucket in plan.used] == [68]
    assert [len(members) for members in plan.epoch(None, 0).members] == [68, 68, 68]


def test_seeds_and_epochs_differ_and_repeat() -> None:
    plan = EpochPlan([Bucket(8, 8, 4)], np.zeros(40, int))
    orders = {
        tuple(np.concatenate(plan.epoch(seed, number).members)) for seed in (0, 1) for number in (0, 1) for _ in "ab"
    }
    assert len(orders) == 4
    assert np.concatenate(plan.epoch(None, 5).members).tolist() == list(range(40))
