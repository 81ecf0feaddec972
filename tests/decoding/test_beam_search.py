"""The search finds what it should: everything when the beam is wide, what the plain algorithm finds when it is not."""

import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from keras_transformer.decoding import BeamSearch
from keras_transformer.decoding.compiled import SearchModel, predict
from keras_transformer.errors import InputError

SEEDS = st.integers(0, 10_000)
few = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a seed does not become simpler by becoming smaller
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SOURCE = np.array([[3, 2, 0, 0], [4, 3, 2, 0], [5, 2, 0, 0], [0, 0, 0, 0]], dtype="int32")
"""Sentences of 2, 3 and 2 tokens and none; the toy models read the first token alone."""


@pytest.fixture(scope="module")
def compiled(toys: SimpleNamespace) -> Any:
    """Searches on one toy model per vocabulary, compiled once; each example changes the weights alone."""
    models: dict[int, Any] = {}
    searches: dict[tuple[int, BeamSearch], Any] = {}

    def get(vocab_size: int, search: BeamSearch) -> tuple[Any, Any]:
        model = models.setdefault(vocab_size, toys.HistoryModel(vocab_size))
        if (vocab_size, search) not in searches:
            searches[vocab_size, search] = SearchModel(model, search)
        wrapper = searches[vocab_size, search]
        return model, lambda source: toys.hypotheses(*predict(wrapper, model, source))

    return get


def assert_same(found: list[tuple[float, Any]], expected: list[tuple[float, Any]]) -> None:
    assert [tokens for _, tokens in found] == [tokens for _, tokens in expected]
    np.testing.assert_allclose([s for s, _ in found], [s for s, _ in expected], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("alpha", "vocab_size", "offset"), [(0.0, 5, 2), (0.6, 5, 2), (1.0, 6, 1)])
def test_a_wide_beam_is_exhaustive_search(
    toys: SimpleNamespace, compiled: Any, alpha: float, vocab_size: int, offset: int
) -> None:
    """All prefixes fit in the beam, which is wider than the vocabulary; so the n best are the n best there are."""
    model, search = compiled(vocab_size, BeamSearch(32, alpha, offset, n_best=6))

    @few
    @given(seed=SEEDS)
    def check(seed: int) -> None:
        model.randomise(seed)
        found = search(SOURCE)
        for row, tokens in enumerate([2, 3, 2]):
            every = toys.exhaustive(
                lambda prefix, row=row: model.log_probs(SOURCE[row, 0], prefix), vocab_size, tokens + offset, alpha
            )
            assert_same(found[row], every[:6])
        assert found[3] == []

    check()


@pytest.mark.parametrize(("alpha", "beam_size", "n_best", "offset"), [(0.0, 3, 3, 9), (0.6, 4, 1, 22), (1.0, 2, 1, 9)])
def test_stopping_early_changes_nothing(
    toys: SimpleNamespace, compiled: Any, alpha: float, beam_size: int, n_best: int, offset: int
) -> None:
    """The same algorithm in plain Python, run to the limit, finds the same n best. In 25 steps the cache grows."""
    model, search = compiled(7, BeamSearch(beam_size, alpha, offset, n_best))

    @few
    @given(seed=SEEDS, eos=st.sampled_from([-2.0, 0.0, 2.0]), spread=st.sampled_from([0.7, 2.5]))
    def check(seed: int, eos: float, spread: float) -> None:
        model.randomise(seed, spread, eos)
        found = search(SOURCE)
        for row, tokens in enumerate([2, 3, 2]):
            expected = toys.unhurried_beam_search(
                lambda prefix, row=row: model.log_probs(SOURCE[row, 0], prefix), beam_size, tokens + offset, alpha
            )
            assert_same(found[row], expected[:n_best])

    check()


def count_steps(monkeypatch: pytest.MonkeyPatch, search: BeamSearch, model: Any, source: np.ndarray) -> tuple[int, Any]:
    steps = []
    result = BeamSearch._result

    def spy(self: BeamSearch, model: Any, state: Any) -> Any:
        steps.append(int(state.index))
        return result(self, model, state)

    monkeypatch.setattr(BeamSearch, "_result", spy)
    return (lambda found: (steps[-1], found))(search(model, source))


def test_the_loop_ends_when_no_sentence_can_improve(toys: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model sure to end after its source needs a step or two beyond it, not the 12 that are allowed."""
    source = np.array([[5, 6, 7, 2], [5, 2, 0, 0]], dtype="int32")
    model = toys.CopyModel(9)
    assert 4 <= count_steps(monkeypatch, BeamSearch(4, 0.6, 12), model, source)[0] <= 6
    assert count_steps(monkeypatch, BeamSearch(4, 0.6, 12), model, 0 * source)[0] == 0


@pytest.mark.parametrize(("alpha", "steps", "tokens"), [(0.0, 1, (2,)), (1.0, 7, (3, 3, 3, 3, 3, 3, 2))])
def test_the_loop_goes_on_while_a_longer_one_may_win(
    toys: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, alpha: float, steps: int, tokens: tuple[int, ...]
) -> None:
    """Ending at once is a little likelier than the one other way, which ends after 7 and wins per length."""
    model = toys.HistoryModel(5)
    model.randomise(0, spread=0.0)
    after_bos = np.zeros((8, 5, 5), dtype="float32")
    after_bos[0, 1] = [-40, -40, 0.1, 0, -40]
    after_bos[1:6, 1] = [-40, -40, -40, 0, -40]
    after_bos[6:, 1] = [-40, -40, 0, -40, -40]
    model.by_distance.assign(after_bos)
    took, output = count_steps(monkeypatch, BeamSearch(2, alpha, 8), model, SOURCE[:1])
    assert took == steps
    assert toys.hypotheses(*output)[0][0][1] == tokens


def test_a_model_that_never_ends_is_ended_at_each_sentences_limit(
    toys: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = toys.HistoryModel(6)
    model.randomise(3, eos=-40.0)
    steps, output = count_steps(monkeypatch, BeamSearch(3, 0.6, 5, n_best=3), model, SOURCE)
    found = toys.hypotheses(*output)
    assert steps == 8
    for row, tokens in enumerate([2, 3, 2]):
        assert [len(y) for _, y in found[row]] == [tokens + 5] * 3
        score, y = found[row][0]
        log_p = sum(model.log_probs(SOURCE[row, 0], y[:i])[t] for i, t in enumerate(y))
        assert log_p < -20, "the price of the forced end is in the score"
        assert score == pytest.approx(log_p / toys.penalty(len(y), 0.6), rel=1e-5)


def test_beam_one_is_an_argmax_loop(toys: SimpleNamespace, compiled: Any) -> None:
    model, search = compiled(7, BeamSearch(1, 0.6, 12))
    lengths = set()
    for seed in range(4):
        model.randomise(seed)
        found = search(SOURCE)
        for row, tokens in enumerate([2, 3, 2]):
            y: tuple[int, ...] = ()
            log_p = 0.0
            while y[-1:] != (2,):
                step = model.log_probs(SOURCE[row, 0], y)
                best = 2 if len(y) + 1 == tokens + 12 else 2 + int(step[2:].argmax())
                y, log_p = (*y, best), log_p + step[best]
            assert_same(found[row], [(log_p / toys.penalty(len(y), 0.6), y)])
            lengths.add(len(y))
    assert len(lengths) > 3


def test_n_best_is_sorted_and_distinct(toys: SimpleNamespace, compiled: Any) -> None:
    model, search = compiled(7, BeamSearch(5, 0.6, 6, n_best=5))
    for seed in range(3):
        model.randomise(seed)
        for row in search(SOURCE)[:3]:
            scores = [score for score, _ in row]
            assert len(row) == 5
            assert scores == sorted(scores, reverse=True)
            assert len({y for _, y in row}) == 5


def test_ties_go_to_the_better_beam_and_repeat(toys: SimpleNamespace) -> None:
    """A model without preferences: everything ties, and twice the same comes out, without duplicates."""
    model = toys.HistoryModel(6)
    model.randomise(0, spread=0.0)
    compiled = SearchModel(model, BeamSearch(3, 0.0, 2, n_best=3))
    outputs = [toys.hypotheses(*predict(compiled, model, SOURCE)) for _ in range(2)]
    assert outputs[0] == outputs[1]
    assert all(len({y for _, y in row}) == 3 for row in outputs[0][:3])


def test_no_hypothesis_where_logits_are_not_numbers(toys: SimpleNamespace) -> None:
    model = toys.HistoryModel(6)
    model.randomise(0)
    model.by_source.assign(np.full((16, 6), np.nan, dtype="float32"))
    ids, scores = predict(SearchModel(model, BeamSearch(3, 0.6, 2)), model, SOURCE)
    assert toys.hypotheses(ids, scores) == [[], [], [], []]
    assert np.isneginf(scores[:3]).all()


def test_fewer_hypotheses_than_asked_for(toys: SimpleNamespace) -> None:
    """One ordinary token and a limit of 3: three hypotheses exist; the rest is empty, with score minus infinity."""
    model = toys.HistoryModel(4)
    model.randomise(1)
    ids, scores = predict(SearchModel(model, BeamSearch(6, 0.6, 1, n_best=6)), model, np.array([[3, 2]]))
    assert_same(toys.hypotheses(ids, scores)[0], toys.exhaustive(lambda y: model.log_probs(3, y), 4, 3, 0.6))
    assert np.isneginf(scores[0, 3:]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beam_size": 0}, "beam_size is 0"),
        ({"beam_size": 2.0}, "beam_size is 2.0"),
        ({"n_best": 5}, "set beam_size to 5 or more"),
        ({"n_best": 0}, "n_best is 0"),
        ({"length_penalty": -0.1}, "length_penalty is -0.1"),
        ({"length_penalty": float("nan")}, "length_penalty is nan"),
        ({"max_length_offset": -1}, "max_length_offset is -1"),
    ],
)
@pytest.mark.backend_independent
def test_settings_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BeamSearch(**arguments)
