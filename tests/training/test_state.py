import keras
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.training.checkpoints import load_checkpoint, save_checkpoint
from keras_transformer.training.state import model_state, restore_model_state
from tests.training.copy_task import copy_batch, quick_model

STEPS = 3


def train(model, start, steps=STEPS):
    for step in range(start, start + steps):
        (_, inputs), targets, weights = copy_batch(step)
        model.train_on_batch(inputs, targets, sample_weight=weights)


def assert_same_state(first, second):
    assert list(first) == list(second)
    for name in first:
        assert first[name].dtype == second[name].dtype, name
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def test_continued_training_is_that_of_a_run_never_interrupted(tmp_path):
    whole = quick_model(dropout=0.3)
    train(whole, 0)
    path = save_checkpoint(tmp_path, STEPS, model_state(whole), {})
    train(whole, STEPS)

    resumed = quick_model(dropout=0.3)
    train(resumed, 10, steps=1)  # another random state, other weights
    state = load_checkpoint(path).arrays
    restore_model_state(resumed, state)
    assert_same_state(model_state(resumed), state)
    train(resumed, STEPS)

    expected, found = model_state(whole), model_state(resumed)
    assert list(expected) == list(found)
    exact = keras.backend.backend() != "tensorflow"  # where two threads sum in no fixed order
    for name in expected:
        if exact or expected[name].dtype.kind != "f":
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
        else:
            np.testing.assert_allclose(found[name], expected[name], atol=2e-6, err_msg=name)


def test_names_do_not_depend_on_what_was_built_before():
    keras.layers.Dense(1, name="dense_7")
    first, second = (
        keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dropout(0.5), keras.layers.Dense(3)])
        for _ in range(2)
    )
    for model in (first, second):
        model.compile(optimizer="adam", loss="mse")
        model.train_on_batch(np.ones((2, 4)), np.ones((2, 3)))
    assert first.variables[0].path != second.variables[0].path
    state = model_state(first)
    assert list(state) == list(model_state(second))
    # Four weights and a seed; step, rate, and Adam's two slots for each weight; PyTorch's own generator.
    assert len(state) == 4 + 1 + 2 + 8 + (keras.backend.backend() == "torch")
    assert sum("seed_generator" in name for name in state) == 1
    restore_model_state(second, state)
    assert_same_state(model_state(second), state)


def test_everything_that_decides_the_future_is_in_it():
    model = quick_model(dropout=0.3)
    before = model_state(model)
    train(model, 0)
    after = model_state(model)
    assert list(before) == list(after)
    still = [name for name in before if np.array_equal(before[name], after[name])]
    if keras.backend.backend() == "torch":  # dropout draws from the process-wide generator, also in the state
        still = [name for name in still if "seed_generator" not in name]
    assert still == []
    iterations = [array for name, array in after.items() if name.endswith("adam/iteration")]
    assert [int(array) for array in iterations] == [STEPS]
    assert not any("token" in name or "loss" in name for name in after)


def test_copies_do_not_follow_the_model():
    model = quick_model()
    state = model_state(model)
    kept = {name: array.copy() for name, array in state.items()}
    train(model, 0)
    assert_same_state(state, kept)


def test_live_values_inside_a_running_fit():
    model = quick_model(dropout=0.1)
    taken = []

    class Save(keras.callbacks.Callback):
        def __init__(self, live):
            super().__init__()
            self.live = live  # not self.model, whose access alone updates it on JAX

        def on_train_batch_end(self, batch, logs=None):
            taken.append(model_state(self.live))

    (_, inputs), targets, weights = copy_batch(0, rows=8)
    model.fit(inputs, targets, sample_weight=weights, batch_size=4, shuffle=False, verbose=0, callbacks=[Save(model)])
    for name, array in model_state(model).items():  # PyTorch's loader has drawn from its generator since
        if not name.startswith("random/"):
            np.testing.assert_array_equal(taken[1][name], array, err_msg=name)
    iteration = next(name for name in taken[0] if name.endswith("adam/iteration"))
    assert [int(state[iteration]) for state in taken] == [1, 2]


def test_bfloat16_weights_survive_the_file(tmp_path):
    model = quick_model(dtype="bfloat16")
    train(model, 0, steps=1)
    state = model_state(model)
    assert {array.dtype.name for name, array in state.items() if "kernel" in name} == {"bfloat16"}
    path = save_checkpoint(tmp_path, 1, state, {})
    copy = quick_model(dtype="bfloat16")
    restore_model_state(copy, load_checkpoint(path).arrays)
    assert_same_state(model_state(copy), state)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda s, n: s.pop(n), "missing: {name}"),
        (lambda s, n: s.update({n + "x": s[n]}), "not in the model: {name}x"),
        (lambda s, n: s.update({n: s[n][1:]}), r"other shape: {name} is \(\d+"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(change, match):
    model = quick_model()
    before, state = model_state(model), model_state(quick_model())
    name = list(state)[2]
    change(state, name)
    with pytest.raises(InputError, match=match.format(name=name)):
        restore_model_state(model, state)
    assert_same_state(model_state(model), before)


def test_weights_without_optimizer():
    trained = quick_model()
    train(trained, 0)
    state = model_state(trained)
    plain = quick_model(compiled=False)
    with pytest.raises(InputError, match="no optimizer"):
        restore_model_state(plain, state)
    restore_model_state(plain, state, optimizer=False)
    assert_same_state(*(model_state(model, optimizer=False) for model in (plain, trained)))
    restore_model_state(quick_model(), model_state(plain), optimizer=False)
    with pytest.raises(InputError, match="missing: optimizer/"):
        restore_model_state(quick_model(), model_state(plain))


def test_a_model_without_variables_is_refused():
    with pytest.raises(InputError, match="call it once"):
        model_state(keras.Sequential([keras.layers.Dense(1)]))
