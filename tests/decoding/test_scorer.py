"""Forced decoding against the definition, whatever the batches."""

import math
import os
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

from keras_transformer.decoding import CorpusScore, PairScore, Scorer
from keras_transformer.errors import InputError

SOURCES = ["hello", "a", "how r u", "", "ok ok"]
TARGETS = ["hallo", "ein", "na wie", "nichts", ""]


@pytest.fixture(scope="module")
def model(toys: SimpleNamespace) -> Any:
    return toys.random_transformer(vocab_size=130, spread=0.3)


@pytest.fixture(scope="module")
def definition(toys: SimpleNamespace, model: Any) -> list[tuple[list[float], int]]:
    """Token log-probabilities and hits, pair by pair, by log-softmax in float64 of the whole logits."""
    found = []
    for source, target in zip(SOURCES, TARGETS, strict=True):
        ids, out = [*map(ord, source), 2], [*map(ord, target), 2]
        width = 8 - len(ids), 8 - len(out)  # padding is in the batch for the sake of one shape
        logits = model.predict_on_batch(
            (np.array([ids + [0] * width[0]]), np.array([[1, *out[:-1]] + [0] * width[1]]))
        )[0]
        log_probs = toys.log_softmax(logits)
        hits = sum(int(log_probs[i].argmax() == token) for i, token in enumerate(out))
        found.append(([float(log_probs[i, token]) for i, token in enumerate(out)], hits))
    return found


def test_scores_are_sums_of_log_softmax(
    toys: SimpleNamespace, model: Any, definition: list[tuple[list[float], int]]
) -> None:
    scores = Scorer(model, toys.Letters())(SOURCES, TARGETS, per_token=True)
    for score, (tokens, _) in zip(scores, definition, strict=True):
        np.testing.assert_allclose(score.token_log_probabilities, tokens, rtol=1e-5, atol=1e-5)
        assert score.log_probability == pytest.approx(sum(tokens), rel=1e-5)
        assert score.tokens == len(tokens)
        assert score.perplexity == pytest.approx(math.exp(-sum(tokens) / len(tokens)), rel=1e-5)
    assert [score.tokens for score in scores] == [len(target) + 1 for target in TARGETS]


def test_a_pair_does_not_feel_its_batch(toys: SimpleNamespace, model: Any) -> None:
    together = Scorer(model, toys.Letters())(SOURCES, TARGETS)
    alone = Scorer(model, toys.Letters(), tokens_per_batch=1)(SOURCES[::-1], TARGETS[::-1])[::-1]
    for one, other in zip(together, alone, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, rel=1e-5)
        assert one.token_log_probabilities is None


def test_a_corpus_score_is_exact_whatever_the_batches(
    toys: SimpleNamespace, model: Any, definition: list[tuple[list[float], int]]
) -> None:
    scorer = Scorer(model, toys.Letters())

    def batch(rows: list[int], width: int, empty: int) -> Any:
        def pad(row: list[int]) -> list[int]:
            return row + [0] * (width - len(row))

        out = [pad([*map(ord, TARGETS[i]), 2]) for i in rows] + [[0] * width] * empty
        source = [pad([*map(ord, SOURCES[i]), 2]) for i in rows] + [[0] * width] * empty
        target_in = [pad([1, *map(ord, TARGETS[i])]) for i in rows] + [[0] * width] * empty
        arrays = [np.array(ids, dtype="int32") for ids in (source, target_in, out)]
        return (arrays[0], arrays[1]), arrays[2], np.ones(arrays[2].shape, "float32")

    tokens = sum(len(log_probs) for log_probs, _ in definition)
    total = sum(sum(log_probs) for log_probs, _ in definition)
    for batches in ([batch([0, 1, 2, 3, 4], 8, 0)], [batch([2, 0], 8, 3), batch([1, 3, 4], 16, 0)]):
        score = scorer.score_batches(batches)
        assert score.tokens == tokens
        assert score.correct == sum(hits for _, hits in definition)
        assert score.log_probability == pytest.approx(total, rel=1e-5)
        assert score.perplexity == pytest.approx(math.exp(-total / tokens), rel=1e-5)
    assert scorer.score_batches([]) == CorpusScore(0.0, 0, 0)
    assert PairScore(-1e6, 1).perplexity == math.inf


def test_only_two_numbers_per_token_come_back(toys: SimpleNamespace, model: Any) -> None:
    scorer = Scorer(model, toys.Letters())
    ids = np.array([[5, 6, 2]], dtype="int32")
    log_probs, hits = scorer._compiled.predict_on_batch((ids, ids, ids))
    assert log_probs.shape == hits.shape == (1, 3)
    assert [id(v) for v in scorer._compiled.variables] == [id(v) for v in model.variables]


@pytest.mark.backend_independent
def test_what_is_not_a_list_of_pairs_is_refused(toys: SimpleNamespace) -> None:
    scorer = Scorer(toys.CopyModel(130), toys.Letters())
    with pytest.raises(InputError, match="2 sources and 1 targets"):
        scorer(["a", "b"], ["c"])
    with pytest.raises(InputError, match="targets is one str"):
        scorer(["a", "b"], "cd")
