"""Learning rates of base and big, read from the real schedule and from a real update of the real optimizer."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.diagnostics.paper.rows import Block, Row, Section
from keras_transformer.models import load_preset
from keras_transformer.training.schedule import TransformerSchedule, paper_adam

# Equation 3 worked out by hand to five digits: (d_model, step) -> rate.
PRINTED = {
    "base": {1: "1.7469e-07", 4000: "6.9877e-04", 100_000: "1.3975e-04"},
    "big": {1: "1.2353e-07", 4000: "4.9411e-04", 100_000: "9.8821e-05", 300_000: "5.7054e-05"},
}
WIDTHS = {"base": 512, "big": 1024}
WARMUP = 4000


def schedule() -> Section:
    """Read the schedule of each preset at the paper's steps.

    Returns:
        The section: rates, where the peak is, and Adam's constants.

    Reference:
        Vaswani et al. 2017, equation 3 and section 5.3.
    """
    schedules = {
        preset: TransformerSchedule(
            d_model=load_preset(preset)["model"]["d_model"],
            warmup_steps=load_preset(preset)["training"]["warmup_steps"],
        )
        for preset in PRINTED
    }
    rates = tuple(_rate(preset, step, schedules[preset]) for preset, steps in PRINTED.items() for step in steps)
    return Section(
        name="schedule",
        title="Learning rate",
        source="section 5.3, equation 3",
        parts=(
            Block(
                title="Learning rate of update 1, 2, 3, ...",
                how="TransformerSchedule with the preset's d_model and warm-up, called with the number of updates made "
                "before, as Keras does. Paper: equation 3 to five digits; within: half a unit of the last. Formula: "
                "equation 3 in float64.",
                rows=rates,
            ),
            _peaks(schedules),
            _optimizer(schedules["base"]),
        ),
        notes=("The paper prints the equation and the warm-up of 4,000 steps, and no rate: 7.0e-4 is base's peak.",),
        curves=_curves(schedules),
    )


def equation_3(d_model: int, step: int, warmup: int = WARMUP) -> float:
    """Equation 3, d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), in float64.

    Example:
        >>> f"{equation_3(512, 4000):.4e}"
        '6.9877e-04'
    """
    return float(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


def _rates(curve: TransformerSchedule, steps: Any) -> list[float]:
    """Rates of the updates `steps`, counted from 1."""
    return [float(ops.convert_to_numpy(curve(ops.convert_to_tensor(step - 1)))) for step in steps]


def _rate(preset: str, step: int, curve: TransformerSchedule) -> Row:
    printed = PRINTED[preset][step]
    unit = 10.0 ** (int(printed.partition("e")[2]) - 4)
    return Row(
        name=f"{preset}, step {step:,}",
        paper=float(printed),
        ours=_rates(curve, [step])[0],
        tolerance=0.5 * unit,
        formula=equation_3(WIDTHS[preset], step),
        formula_tolerance=2e-6,
        digits=".4e",
    )


def _peaks(schedules: dict[str, TransformerSchedule]) -> Block:
    steps = [1, *range(3900, 4101), 8000]
    return Block(
        title="Step with the largest rate",
        how="Largest of the real schedule's rates at steps 1, 3,900 to 4,100 and 8,000. Paper: warmup_steps = 4000.",
        rows=tuple(
            Row(name, steps[int(np.argmax(_rates(curve, steps)))], paper=WARMUP, tolerance=0, digits=",.0f")
            for name, curve in schedules.items()
        ),
    )


def _optimizer(curve: TransformerSchedule) -> Block:
    """With a constant gradient Adam moves by the rate itself, so the updates show which rate each one used."""
    optimizer = paper_adam(curve)
    variable = keras.Variable(np.zeros((), "float32"))
    optimizer.build([variable])
    moved = []
    for _ in range(2):
        before = float(ops.convert_to_numpy(variable.value))
        optimizer.apply([ops.ones_like(variable.value)], [variable])
        moved.append(before - float(ops.convert_to_numpy(variable.value)))
    updates = tuple(
        Row(
            f"update {step} of a weight with gradient 1",
            paper=equation_3(512, step),
            ours=move,
            tolerance=1e-4 * equation_3(512, step),
            digits=".4e",
        )
        for step, move in enumerate(moved, start=1)
    )
    constants = (("beta_1", 0.9), ("beta_2", 0.98), ("epsilon", 1e-9))
    return Block(
        title="paper_adam, base",
        how="Two real updates of a new optimizer, and its constants. Paper: the rate of equation 3, which is what Adam "
        "moves a weight by when all its gradients so far were 1; within: float32.",
        rows=(
            *updates,
            *(
                Row(name, ours=float(getattr(optimizer, name)), paper=value, tolerance=1e-6 * value, digits="g")
                for name, value in constants
            ),
        ),
    )


def _curves(schedules: dict[str, TransformerSchedule]) -> dict[str, Any]:
    steps = [1, *range(250, 4001, 250), *range(4500, 20_001, 500), *range(22_000, 100_001, 2000)]
    return {"step": steps, **{name: _rates(curve, steps) for name, curve in schedules.items()}}
