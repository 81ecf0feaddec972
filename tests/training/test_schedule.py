import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.training.schedule import TransformerSchedule, paper_adam


def rate(schedule, step):
    """Rate of update number `step`, counted from 1 as in the paper."""
    return float(schedule(ops.convert_to_tensor(step - 1, dtype="int32")))


def equation_3(step, d_model=512, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@pytest.mark.parametrize(
    ("d_model", "step", "expected"),
    [(512, 1, "1.7469e-07"), (512, 4000, "6.9877e-04"), (512, 100_000, "1.3975e-04"), (1024, 4000, "4.9411e-04")],
)
def test_the_papers_rates(d_model, step, expected):
    assert f"{rate(TransformerSchedule(d_model), step):.4e}" == expected


@pytest.mark.parametrize("step", [1, 2, 3999, 4000, 4001, 65_537, 10_000_000])
def test_equation_3_to_float32(step):
    assert rate(TransformerSchedule(512), step) == pytest.approx(equation_3(step), rel=3e-7)


def test_largest_rate_is_the_peak_and_is_at_the_end_of_the_warmup():
    schedule = TransformerSchedule(128, warmup_steps=50, peak_learning_rate=1.5e-3)
    rates = [rate(schedule, step) for step in range(1, 200)]
    assert int(np.argmax(rates)) + 1 == 50
    assert max(rates) == pytest.approx(1.5e-3, rel=1e-7)
    factor = 1.5e-3 / equation_3(50, 128, 50)
    np.testing.assert_allclose(rates, [factor * equation_3(s, 128, 50) for s in range(1, 200)], rtol=1e-6)


def test_cooldown_is_a_straight_line_from_the_curve_to_zero():
    schedule = TransformerSchedule(64, warmup_steps=10, total_steps=100, cooldown_steps=20)
    plain = TransformerSchedule(64, warmup_steps=10)
    for step in range(1, 82):
        assert rate(schedule, step) == rate(plain, step)
    falling = [rate(schedule, step) for step in range(81, 105)]
    np.testing.assert_allclose(falling[:21], np.linspace(rate(plain, 81), 0.0, 21), rtol=1e-5, atol=1e-12)
    assert falling[19] > 0  # the last of the 100 updates still does something
    assert falling[20:] == [0.0] * 4


def test_optimizer_applies_the_rate_of_step_one_first():
    schedule = TransformerSchedule(4, warmup_steps=3)
    optimizer = keras.optimizers.SGD(schedule)
    weight, path = keras.Variable(np.zeros(1, "float32")), [0.0]
    for _ in range(6):
        optimizer.apply([ops.ones(1)], [weight])
        path.append(-float(ops.convert_to_numpy(weight.value)[0]))
    np.testing.assert_allclose(np.diff(path), [equation_3(step, 4, 3) for step in range(1, 7)], rtol=1e-4)


def test_accumulated_batches_count_as_one_step():
    schedule = TransformerSchedule(4, warmup_steps=3, gradient_accumulation_steps=2)
    optimizer = paper_adam(schedule, gradient_accumulation_steps=2)
    weight, path = keras.Variable(np.zeros(1, "float32")), [0.0]
    for _ in range(8):
        optimizer.apply([ops.ones(1)], [weight])
        path.append(-float(ops.convert_to_numpy(weight.value)[0]))
    updates = np.diff(path)
    np.testing.assert_array_equal(updates[::2], 0.0)
    # Adam's step on a constant gradient is the rate itself.
    np.testing.assert_allclose(updates[1::2], [equation_3(step, 4, 3) for step in range(1, 5)], rtol=1e-3)
    with pytest.raises(InputError, match="both the same number"):
        paper_adam(TransformerSchedule(4), gradient_accumulation_steps=2)


def test_config_round_trip_alone_and_in_the_optimizer():
    schedule = TransformerSchedule(16, 7, peak_learning_rate=0.1, total_steps=30, cooldown_steps=5)
    copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(schedule))
    assert type(copy) is TransformerSchedule
    assert copy.get_config() == schedule.get_config()
    optimizer = keras.optimizers.deserialize(keras.optimizers.serialize(paper_adam(schedule)))
    assert (optimizer.beta_1, optimizer.beta_2, optimizer.epsilon) == (0.9, 0.98, 1e-9)
    assert float(optimizer.learning_rate) == pytest.approx(0.1 / 7, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"d_model": 0}, "d_model is 0"),
        ({"warmup_steps": 0}, "warmup_steps is 0"),
        ({"warmup_steps": 2.5}, r"warmup_steps is 2\.5"),
        ({"peak_learning_rate": 0}, "positive number"),
        ({"peak_learning_rate": float("nan")}, "positive number"),
        ({"cooldown_steps": 5}, "total_steps is not given"),
        ({"cooldown_steps": -1, "total_steps": 9}, "cooldown_steps is -1"),
        ({"cooldown_steps": 10, "total_steps": 9}, "at most"),
    ],
)
def test_impossible_schedules_are_refused(arguments, match):
    with pytest.raises(InputError, match=match):
        TransformerSchedule(**({"d_model": 8} | arguments))
