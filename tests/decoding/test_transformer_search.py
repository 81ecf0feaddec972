"""The search with a real Transformer: exact, cached as uncached, and the same whatever the batch and the backend."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.decoding import BeamSearch
from keras_transformer.decoding.compiled import SearchModel, predict

LOCAL = {"attention_neighbours": 2, "position": "rotary", "norm": "pre"}
SEARCH = BeamSearch(4, 0.6, 14, n_best=2)


@pytest.fixture(scope="module")
def lively(toys: SimpleNamespace) -> Any:
    """A model of random weights and its compiled search."""
    model = toys.random_transformer(seed=3)
    return model, SearchModel(model, SEARCH)


def sources(count: int = 8) -> list[list[int]]:
    random = np.random.default_rng(0)
    return [[*random.integers(3, 12, length).tolist(), 2] for length in random.integers(1, 9, count)]


def pad(rows: list[list[int]], width: int) -> np.ndarray:
    return np.array([row + [0] * (width - len(row)) for row in rows], dtype="int32")


@pytest.mark.parametrize("fields", [{}, LOCAL], ids=["full", "local"])
def test_a_wide_beam_is_exhaustive_search(toys: SimpleNamespace, fields: dict[str, Any]) -> None:
    """Against the log-softmax in float64 of the teacher-forced model, without any cache."""
    model = toys.random_transformer(vocab_size=6, **fields)
    source = np.array([[4, 3, 2, 0], [5, 2, 0, 0]], dtype="int32")
    found = toys.hypotheses(*predict(SearchModel(model, BeamSearch(27, 0.6, 1, n_best=5)), model, source))
    for row, limit in enumerate([4, 3]):
        targets = [y for n in range(limit) for y in np.ndindex(*[3] * n)]
        target_in = np.array([[1, *(3 + t for t in y), *[0] * (limit - 1 - len(y))] for y in targets])
        logits = model.predict_on_batch((np.repeat(source[row : row + 1], len(targets), 0), target_in))
        steps = {
            tuple(3 + t for t in y): toys.log_softmax(step[len(y)]) for y, step in zip(targets, logits, strict=True)
        }
        every = toys.exhaustive(steps.__getitem__, 6, limit, 0.6)[:5]
        assert [y for _, y in found[row]] == [y for _, y in every]
        np.testing.assert_allclose([s for s, _ in found[row]], [s for s, _ in every], atol=1e-5)


@pytest.mark.parametrize(
    ("fields", "longest"),
    [({"attention_neighbours": 20}, 40), ({"position": "learned", "max_positions": 24}, 24)],
    ids=["a ring of 21 places", "24 learned positions"],
)
def test_greedy_search_past_the_end_of_the_cache(toys: SimpleNamespace, fields: dict[str, Any], longest: int) -> None:
    """Against the whole target read anew for every token; the model is made to go on to the limit."""
    model = toys.random_transformer(seed=1, tie_embeddings="none", **fields)
    projection = ops.convert_to_numpy(model.output_projection.kernel)
    projection[:, 2] = 0
    model.output_projection.kernel.assign(4 * projection)
    source = np.array([[4, 9, 5, 2]], dtype="int32")
    ids, _ = predict(SearchModel(model, BeamSearch(1, 0.0, 36)), model, source)
    target_in = np.zeros((1, longest), dtype="int32")  # what is not yet decoded is hidden by being in the future
    target_in[:, 0] = 1
    for t in range(longest):
        logits = ops.convert_to_numpy(model((source, target_in)))[0, t]
        logits[:2] = -np.inf
        token = 2 if t == longest - 1 else int(logits.argmax())
        assert ids[0, 0, t] == token
        if token == 2:
            break
        target_in[0, t + 1] = token
    assert t > 21 or t == longest - 1


def test_the_cache_changes_no_logit(lively: Any) -> None:
    """decode_step at every position, two hypotheses per sentence, against the whole target at once."""
    model, _ = lively
    random = np.random.default_rng(5)
    source = pad(sources(3), 10)
    targets = random.integers(3, 12, (3, 2, 5)).astype("int32")
    targets[:, :, 0] = 1
    cache = model.init_cache(model.encode(source), source, 2, 7)
    stepwise = []
    for index in range(5):
        logits, cache = model.decode_step(targets[:, :, index], index, cache)
        stepwise.append(ops.convert_to_numpy(logits))
    for beam in range(2):
        whole = model.predict_on_batch((source, targets[:, beam]))
        np.testing.assert_allclose(np.stack(stepwise, 2)[:, beam], whole, atol=1e-5 * whole.std())


def test_a_sentence_does_not_feel_its_batch(toys: SimpleNamespace, lively: Any) -> None:
    """Alone, among longer ones, further padded, beside empty rows, in another order: the same hypotheses."""
    model, compiled = lively
    rows = sources()
    together = toys.hypotheses(*predict(compiled, model, pad(rows, 10)))
    assert len({y for row in together for _, y in row}) > len(rows), "the model must say different things"
    assert max(len(y) for row in together for _, y in row) > 20

    def check(arranged: list[list[int]], width: int) -> None:
        found = toys.hypotheses(*predict(compiled, model, pad(arranged, width)))
        for row, hypotheses in zip(arranged, found, strict=True):
            expected = together[rows.index(row)] if row else []
            assert [y for _, y in hypotheses] == [y for _, y in expected]
            np.testing.assert_allclose([s for s, _ in hypotheses], [s for s, _ in expected], atol=1e-5)

    check(rows[::-1], 10)
    check([*rows, [], []], 18)
    for row in rows[:3]:
        check([row], 10)


def test_the_wrapper_shares_the_weights(lively: Any) -> None:
    model, compiled = lively
    assert [id(v) for v in compiled.variables] == [id(v) for v in model.variables]
    source = pad(sources(), 10)
    before = predict(compiled, model, source)[1]
    kept = model.get_weights()
    model.set_weights([1.1 * weight for weight in kept])
    changed = predict(compiled, model, source)[1]
    model.set_weights(kept)
    assert not np.allclose(before, changed, atol=1e-3)
    again = SearchModel.from_config(compiled.get_config())
    assert again.search == SEARCH
    assert again.model.get_config() == model.get_config()


def test_search_in_the_middle_of_fit(toys: SimpleNamespace) -> None:
    """A callback sees the weights of its step."""
    if keras.backend.backend() != "jax":
        pytest.skip("only on JAX does training keep the weights out of the model's variables")
    model = toys.random_transformer(spread=0.3)
    compiled = SearchModel(model, BeamSearch(2, 0.6, 2))
    source, target = pad(sources(4), 10), np.ones((4, 3), "int32")
    scores = []

    class Search(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            scores.append(predict(compiled, model, source)[1])

    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.optimizer.learning_rate = 0.1
    model.fit((source, target), 3 * target, batch_size=2, epochs=1, verbose=0, shuffle=False, callbacks=[Search()])
    assert len(scores) == 2
    assert not np.allclose(scores[0], scores[1])
    np.testing.assert_allclose(scores[1], predict(compiled, model, source)[1], atol=1e-6)


def test_half_precision_scores_are_float32(toys: SimpleNamespace) -> None:
    model = toys.random_transformer(dtype="mixed_bfloat16")
    ids, scores = predict(SearchModel(model, BeamSearch(3, 0.6, 6)), model, pad(sources(2), 10))
    assert scores.dtype == "float32"
    assert all(toys.hypotheses(ids, scores))


@pytest.mark.tensorflow_backend
def test_one_graph_for_any_shape(lively: Any) -> None:
    """A tf.function of unknown batch and length, and no more than two traces for many shapes of `predict`."""
    import tensorflow as tf

    model, compiled = lively
    graph = tf.function(lambda source: SEARCH(model, source), input_signature=[tf.TensorSpec((None, None), tf.int32)])
    for count, width in [(1, 10), (3, 16), (8, 10), (2, 40)]:
        source = pad(sources(count), width)
        expected, found = predict(compiled, model, source), graph(source)
        np.testing.assert_array_equal(expected[0], found[0])
        np.testing.assert_allclose(expected[1], found[1], atol=1e-5)
    assert compiled.predict_function.experimental_get_tracing_count() <= 2


SCRIPT = """
import json, sys, keras, numpy
from keras_transformer.decoding import BeamSearch
from keras_transformer.decoding.compiled import SearchModel, predict
import keras_transformer
model = keras.saving.load_model(sys.argv[1])
ids, scores = predict(SearchModel(model, BeamSearch(4, 0.6, 14, n_best=2)), model, numpy.array(json.loads(sys.argv[2])))
print(json.dumps([keras.backend.backend(), ids.tolist(), scores.tolist()]))
"""


@pytest.mark.tensorflow_backend
def test_the_backends_agree(lively: Any, tmp_path: Path) -> None:
    """The same weights, saved here and loaded there, say the same."""
    backends = [name for name in ("jax", "torch") if importlib.util.find_spec(name)]
    if not backends:
        pytest.skip("neither jax nor torch is installed")
    model, compiled = lively
    model.save(tmp_path / "model.keras")
    source = pad(sources(), 10)
    expected_ids, expected_scores = predict(compiled, model, source)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "model.keras"), json.dumps(source.tolist())]
    others = {
        name: subprocess.Popen(command, env={**os.environ, "KERAS_BACKEND": name}, stdout=subprocess.PIPE, text=True)
        for name in backends
    }
    for name, process in others.items():
        output, _ = process.communicate(timeout=240)
        assert process.returncode == 0
        backend, ids, scores = json.loads(output.splitlines()[-1])
        assert backend == name
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_allclose(scores, expected_scores, atol=1e-4)
