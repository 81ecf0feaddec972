"""Each section agrees with the paper on every backend, and its numbers are those of the package's own classes."""

import keras
import numpy as np
import pytest

from keras_transformer.diagnostics.paper import Block, Section, paper
from keras_transformer.diagnostics.paper.heads import heads
from keras_transformer.diagnostics.paper.layer_costs import layer_costs, slope
from keras_transformer.diagnostics.paper.reach import reach
from keras_transformer.diagnostics.paper.scaling import scaling
from keras_transformer.diagnostics.paper.schedule import schedule
from keras_transformer.diagnostics.paper.sinusoids import sinusoids
from keras_transformer.diagnostics.paper.table3 import TABLE3
from keras_transformer.diagnostics.paper.timing import machine, seconds
from keras_transformer.errors import InputError


def off(section: Section) -> list[str]:
    return [row.name for row in section.rows if row.verdict == "off"]


def ours(section: Section) -> dict[str, float]:
    return {row.name: row.ours for row in section.rows}


def test_learning_rates() -> None:
    section = schedule()
    assert off(section) == []
    assert ours(section)["base, step 4,000"] == pytest.approx(6.9877e-4, rel=1e-4)
    assert max(section.curves["base"]) == pytest.approx(6.9877e-4, rel=1e-4)


def test_scaling_keeps_softmax_alike_and_its_lack_does_not() -> None:
    section = scaling()
    assert off(section) == []
    unscaled = [figures["largest"] for figures in section.curves["unscaled"]]
    assert unscaled == sorted(unscaled)
    assert unscaled[-1] > 0.9
    assert max(figures["largest"] for figures in section.curves["scaled"]) < 0.12
    assert section.curves["variance_before"] == pytest.approx(section.curves["d_k"], rel=0.03)


def test_sinusoids() -> None:
    section = sinusoids()
    assert off(section) == []
    assert ours(section)["longest, i = 255"] == pytest.approx(60611.5, abs=1)


def test_heads_cost_the_same() -> None:
    assert off(heads(timing=False)) == []


@pytest.mark.tensorflow_backend  # dozens of small gradients, each of which JAX would compile
def test_table_1_counted_on_real_layers() -> None:
    section = layer_costs(timing=False)
    assert off(section) == []
    counted = section.curves["operations"]
    exponents = {name: slope(section.curves["n"], values) for name, values in counted.items()}
    assert 1.6 < exponents["self-attention"] < 2
    assert all(abs(exponents[name] - 1) < 0.01 for name in exponents if name != "self-attention")
    assert not any(part.measured for part in section.parts if not isinstance(part, Block))


def test_gradients_reach_far_through_attention_only() -> None:
    section = reach()
    assert off(section) == []
    curves = {name: np.asarray(values) for name, values in section.curves.items()}
    assert curves["recurrent (LSTM)"][100] < 1e-8 * curves["recurrent (LSTM)"][0]
    assert curves["self-attention"][100] > 0.3 * curves["self-attention"][1]


@pytest.mark.tensorflow_backend
def test_times_are_marked_as_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from keras_transformer.diagnostics.paper import timing

    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    monkeypatch.setitem(layer_costs.__globals__, "LENGTHS", (8, 16, 32, 64))
    section = layer_costs(timing=True)
    measured = [part for part in section.parts if not isinstance(part, Block) and part.measured]
    assert len(measured) == 2
    assert all(value > 0 for values in section.curves["seconds"].values() for value in values)


def test_a_longer_wait_is_measured_as_longer() -> None:
    def steps(x: object, number: int) -> object:
        for _ in range(number):
            x = x @ x / 300.0
        return x

    short, long = (seconds(lambda x, number=number: steps(x, number), (300, 300)) for number in (1, 40))
    assert long > 3 * short
    assert "keras" in machine()


@pytest.mark.tensorflow_backend
def test_a_policy_of_low_precision_changes_nothing() -> None:
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        assert off(sinusoids()) == off(reach()) == []
    finally:
        keras.config.set_dtype_policy(policy)


def test_every_row_of_table_3_is_a_preset() -> None:
    from keras_transformer.models import preset_names
    from keras_transformer.models.config import table3

    rows = {f"table3/{row}" for row in table3()}
    assert rows == {name for name in TABLE3 if name.startswith("table3/")} <= set(preset_names())
    printed = {f"table3/{row}": figures["paper"].get("parameters") for row, figures in table3().items()}
    assert printed == {name: TABLE3[name].millions for name in rows}


def test_an_unknown_section_is_named() -> None:
    with pytest.raises(InputError, match=r"no section 'scalling'\. Did you mean 'scaling'"):
        paper(only=["scalling"])
