"""Attention maps are drawn while a model learns, and training does not notice."""

import random
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.training.state import model_state, torch_random_state
from tests.diagnostics.attention_cases import SENTENCE, lively, tokenizer
from tests.training.small_run import small_config, small_corpus

KINDS = ("encoder", "decoder", "cross")


@pytest.fixture(scope="module")
def pieces() -> kt.Tokenizer:
    return tokenizer()


def compiled(**options: Any) -> Any:
    keras.utils.set_random_seed(3)
    model = lively(num_heads=2, num_decoder_layers=1, dropout=0.3)
    model.compile(
        optimizer=kt.paper_adam(kt.TransformerSchedule(16, warmup_steps=20)),
        loss=kt.LabelSmoothedCrossEntropy(0.1),
        weighted_metrics=[kt.TokenAccuracy()],
        **options,
    )
    return model


def batches(count: int) -> list[Any]:
    chance = np.random.default_rng(1)
    made = []
    for _ in range(count):
        source, target = chance.integers(4, 300, (2, 4, 6)).astype("int32")
        target_in = np.concatenate([np.ones((4, 1), "int32"), target[:, :-1]], axis=1)
        made.append(((source, target_in), target, np.full((4, 6), 1 / 24, "float32")))
    return made


def fit(model: Any, count: int, *callbacks: Any, epochs: int = 1) -> Any:
    chosen = {"steps_per_epoch": count // epochs, "epochs": epochs, "verbose": 0, "shuffle": False}
    return model.fit((batch for batch in batches(count)), callbacks=list(callbacks), **chosen)


class Everything(keras.callbacks.Callback):
    """All that training goes on from, after each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, Any]] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        state = {name: array.copy() for name, array in model_state(self.model).items()}
        state |= {f"metric {i}": np.array(v) for i, v in enumerate(self.model.get_metrics_result().values())}
        state |= {"numpy": np.random.get_state()[1].copy(), "python": np.array(random.getstate()[1])}  # noqa: NPY002
        state |= {f"now {name}": array for name, array in torch_random_state().items()}
        self.seen.append(state)


@pytest.mark.parametrize(
    "search", [{"beam_size": 4, "max_length_offset": 2}, {"translations": ["heute läuft ein Hund"]}], ids=str
)
def test_nothing_that_training_goes_on_from_changes(pieces: Any, tmp_path: Path, search: Any) -> None:
    before, after = Everything(), Everything()
    maps = kt.AttentionMaps(pieces, [SENTENCE], every=1, pictures=tmp_path, kinds=["cross"], **search)
    fit(compiled(), 2, before, maps, after)
    assert len(list(tmp_path.glob("step-*/sentence-1-cross.png"))) == 2
    for then, now in zip(before.seen, after.seen, strict=True):
        assert then.keys() == now.keys()
        for name, value in then.items():
            np.testing.assert_array_equal(value, now[name], err_msg=name)
    assert any("seed" in name for name in before.seen[0])
    assert any(name.startswith("metric") for name in before.seen[0])


def test_a_watched_fit_is_the_fit_that_was_not_watched(pieces: Any, tmp_path: Path) -> None:
    ends, given = [], {"translations": ["ein Hund"], "kinds": ["cross"], "every": 2, "pictures": tmp_path}
    for maps in ([], [kt.AttentionMaps(pieces, [SENTENCE], **given)]):
        model = compiled()
        history = fit(model, 4, *maps, epochs=2)
        ends.append((model_state(model), history.history))
    assert ends[0][1].keys() == ends[1][1].keys()
    for name, value in ends[0][0].items():
        if keras.backend.backend() == "tensorflow":  # two equal runs of several threads differ in the last bits there
            np.testing.assert_allclose(value, ends[1][0][name], atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(value, ends[1][0][name], err_msg=name)


def test_pictures_and_tensorboard_show_the_weights_of_the_step(pieces: Any, tmp_path: Path, monkeypatch: Any) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from keras_transformer.diagnostics import attention_callback

    drawn: list[Any] = []
    figure = attention_callback.attention_figure
    monkeypatch.setattr(
        attention_callback, "attention_figure", lambda record, kind: drawn.append(record) or figure(record, kind)
    )
    model, folders = compiled(), {"pictures": tmp_path / "png", "tensorboard": tmp_path / "logs"}
    fit(model, 4, kt.AttentionMaps(pieces, [SENTENCE], translations=["ein Hund"], every=2, **folders), epochs=2)
    names = [f"sentence-1-{kind}.png" for kind in sorted(KINDS)]
    found = {folder.name: sorted(file.name for file in folder.iterdir()) for folder in (tmp_path / "png").iterdir()}
    assert found == {f"step-{step:06d}": names for step in (1, 2, 4)}
    read = EventAccumulator(str(tmp_path / "logs" / "attention"))
    read.Reload()
    assert sorted(read.Tags()["images"]) == [f"attention/sentence-1/{kind}" for kind in sorted(KINDS)]
    events = read.Images("attention/sentence-1/cross")
    assert [event.step for event in events] == [1, 2, 4]
    last = (tmp_path / "png" / "step-000004" / "sentence-1-cross.png").read_bytes()
    assert events[-1].encoded_image_string == last
    assert events[-1].width > 300
    # The last picture is of the weights that the fit ended with, the first of others.
    from keras_transformer.diagnostics import record_attention

    now = record_attention(model, pieces, SENTENCE, "ein Hund").weights["cross"]
    np.testing.assert_allclose(drawn[-1].weights["cross"], now, atol=1e-6)
    assert np.abs(drawn[0].weights["cross"] - now).max() > 1e-5


@pytest.mark.backend_independent
def test_steps_are_counted_on_and_in_groups(pieces: Any, tmp_path: Path) -> None:
    model = compiled(steps_per_execution=2)
    fit(model, 4)
    given = {"translations": ["ein"], "kinds": ["cross"], "every": 5, "pictures": tmp_path}
    fit(model, 6, kt.AttentionMaps(pieces, [SENTENCE], **given))
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["step-000006", "step-000010"]


@pytest.mark.backend_independent
def test_a_trainer_takes_it_along(tmp_path: Path) -> None:
    corpora = {"train_corpus": small_corpus(60, 1), "valid_corpus": small_corpus(4, 2)}
    pieces = kt.Tokenizer.train(corpora["train_corpus"], vocab_size=297)
    run = tmp_path / "run"
    maps = kt.AttentionMaps(pieces, ["a b c"], every=4, pictures=run / "attention", tensorboard=run / "logs")
    config = small_config(max_steps=5, validate_every=5, checkpoint_every=5, cooldown_steps=0)
    kt.train(config, run, callbacks=[maps], quiet=True, **corpora)
    assert {folder.name for folder in (run / "attention").iterdir()} == {"step-000001", "step-000004"}
    assert len(list((run / "logs" / "attention").iterdir())) == 1


@pytest.mark.backend_independent
def test_a_model_that_has_diverged_is_not_drawn_and_goes_on(pieces: Any, tmp_path: Path, caplog: Any) -> None:
    model = compiled()
    model.embedding.weights[0].assign(np.full(model.embedding.weights[0].shape, np.nan, "float32"))
    fit(model, 2, kt.AttentionMaps(pieces, [SENTENCE], every=1, pictures=tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert "no attention maps at step 2" in caplog.text


@pytest.mark.backend_independent
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "nowhere to draw"),
        ({"every": 0}, "every is 0"),
        ({"sentences": "a dog"}, "sentences is one str"),
        ({"sentences": []}, "sentences is empty"),
        ({"sentences": ["a", " "]}, "' ', with no piece"),
        ({"translations": ["a", "b"]}, "1 sentences and 2 translations"),
        ({"kinds": ["self"]}, "expected a list of some of encoder, decoder, cross"),
        ({"kinds": "cross"}, "expected a list"),
    ],
    ids=str,
)
def test_bad_input_gets_one_sentence(pieces: Any, tmp_path: Path, arguments: Any, words: str) -> None:
    folder = {"pictures": tmp_path} if arguments else {}
    with pytest.raises(kt.InputError, match=words):
        kt.AttentionMaps(pieces, **{"sentences": ["a dog"], **folder, **arguments})


@pytest.mark.backend_independent
def test_another_model_is_refused(pieces: Any, tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(loss="mse")
    with pytest.raises(kt.InputError, match="this model is a Sequential"):
        model.fit(np.ones((2, 2)), np.ones(2), callbacks=[kt.AttentionMaps(pieces, ["a"], pictures=tmp_path)])


@pytest.mark.tensorflow_backend
def test_batches_of_one_update_count_once(pieces: Any, tmp_path: Path) -> None:
    model = compiled()
    schedule = kt.TransformerSchedule(16, warmup_steps=20, gradient_accumulation_steps=3)
    model.compile(
        optimizer=kt.paper_adam(schedule, gradient_accumulation_steps=3), loss=kt.LabelSmoothedCrossEntropy(0.1)
    )
    maps = kt.AttentionMaps(pieces, [SENTENCE], translations=["heute"], every=2, pictures=tmp_path)
    fit(model, 14, maps)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-000001", "step-000002", "step-000004"]
