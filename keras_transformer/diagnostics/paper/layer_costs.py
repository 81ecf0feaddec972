"""Table 1: what a layer costs, by formula, by counting on real layers, and by the clock."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from keras_transformer.diagnostics.paper.layers import (
    CONVOLUTION,
    RECURRENT,
    RESTRICTED,
    SELF_ATTENTION,
    table1_layers,
)
from keras_transformer.diagnostics.paper.paths import paths
from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section
from keras_transformer.diagnostics.paper.timing import seconds

WIDTH, HEADS, NEIGHBOURS, KERNEL = 128, 4, 32, 3
LENGTHS = (32, 64, 128, 256, 512, 1024, 2048, 4096)
SEED = 1

FORMULAS: dict[str, tuple[str, str, str, Callable[[int], float]]] = {
    SELF_ATTENTION: ("n^2 d", "1", "1", lambda n: n**2 * WIDTH),
    RECURRENT: ("n d^2", "n", "n", lambda n: n * WIDTH**2),
    CONVOLUTION: ("k n d^2", "1", "n / k, dilated log_k n", lambda n: KERNEL * n * WIDTH**2),
    RESTRICTED: ("r n d", "1", "n / r", lambda n: NEIGHBOURS * n * WIDTH),
}


def layer_costs(timing: bool = True) -> Section:
    """Recompute table 1.

    Args:
        timing: also measure time against n on this machine.

    Returns:
        The section: the formulas with numbers, path lengths and sequential operations counted on real layers, the
        lengths at which self-attention and recurrence cost the same, and time.

    Reference:
        Vaswani et al. 2017, section 4, table 1.
    """
    layers = table1_layers(WIDTH, heads=HEADS, neighbours=NEIGHBOURS, kernel=KERNEL, seed=SEED)
    counted = {name: [_operations(name, layer, n) for n in LENGTHS] for name, layer in layers.items()}
    parts: list[Block | Listing] = [_formulas(), paths(), _crossings(layers), _counted(counted)]
    curves: dict[str, Any] = {"n": list(LENGTHS), "operations": counted}
    if timing:
        times = {name: [seconds(layer, (1, n, WIDTH)) for n in LENGTHS] for name, layer in layers.items()}
        parts += [_times(times), _clock(times)]
        curves["seconds"] = times
    return Section(
        name="layers",
        title="Table 1: what a layer costs",
        source="section 4, table 1",
        parts=tuple(parts),
        notes=(
            "By the clock the crossing lies elsewhere again: it depends on how fast the backend makes the LSTM's n "
            "steps, which wait for one another.",
            "Restricted attention reaches r/2 on each side, so its path is 2 n / r layers: the same O(n / r) as the "
            "paper's.",
        ),
        caveats=(
            "The paper's crossing at n = d compares the leading terms, n^2 d with n d^2. Whole layers cross later: "
            "attention has 4 projections of d^2, its two products make 2 n^2 d, and an LSTM has 8 matrices of d^2, "
            "which gives n = 2 d.",
        ),
        curves=curves,
    )


def _formulas() -> Listing:
    lengths = (32, 128, 1024)
    return Listing(
        title=f"Table 1, and complexity in millions at d = {WIDTH}, k = {KERNEL}, r = {NEIGHBOURS}",
        how="The paper's formulas, without constant factors.",
        header=("layer", "complexity", "sequential operations", "maximum path", *(f"n = {n:,}" for n in lengths)),
        lines=tuple(
            (name, f"O({complexity})", f"O({steps})", f"O({path})", *(f"{cost(n) / 1e6:,.2f}" for n in lengths))
            for name, (complexity, steps, path, cost) in FORMULAS.items()
        ),
    )


def _operations(name: str, layer: Any, length: int) -> float:
    """Multiply-adds of a whole layer over n positions: every matrix at each, and the products between positions."""
    products = length * sum(math.prod(weight.shape) for weight in layer.weights if len(weight.shape) > 1)
    if name == SELF_ATTENTION:
        products += length * length * layer.num_heads * (layer.key_dim + layer.value_dim)
    if name == RESTRICTED:
        products += length * min(length, NEIGHBOURS + 1) * layer.num_heads * (layer.key_dim + layer.value_dim)
    return float(products)


def _crossings(layers: dict[str, Any]) -> Block:
    """Costs are a n^2 + b n for attention and c n for the LSTM: equal at n = (c - b) / a."""
    at = {name: (_operations(name, layer, 1), _operations(name, layer, 2)) for name, layer in layers.items()}
    one, two = at[SELF_ATTENTION]
    quadratic = (two - 2 * one) / 2
    whole = (at[RECURRENT][0] - (one - quadratic)) / quadratic
    complexity, recurrence = FORMULAS[SELF_ATTENTION][3], FORMULAS[RECURRENT][3]
    equal = [n for n in range(1, 4 * WIDTH) if complexity(n) <= recurrence(n)]
    return Block(
        title="Length n, in units of d, up to which self-attention costs no more than recurrence",
        how=f"Largest n with n^2 d <= n d^2; and where the multiply-adds of the real layers are equal, d = {WIDTH}. "
        'Paper: "faster than recurrent layers when the sequence length n is smaller than the representation '
        'dimensionality d". Formula: (8 d^2 - 4 d^2) / 2 d.',
        rows=(
            Row("leading terms, n / d", max(equal) / WIDTH, paper=1, tolerance=0),
            Row("whole layers, attention and LSTM, n / d", whole / WIDTH, formula=2.0),
        ),
    )


def _counted(counted: dict[str, list[float]]) -> Listing:
    return Listing(
        title=f"Multiply-adds of whole layers in millions, d = {WIDTH}, r = {NEIGHBOURS}, k = {KERNEL}",
        how="Every matrix of the real layer at every position, and the products between positions; gates, softmax "
        "and the rims of blocks left out.",
        header=("layer", *(f"n = {n:,}" for n in LENGTHS)),
        lines=tuple((name, *(f"{each / 1e6:,.1f}" for each in costs)) for name, costs in counted.items()),
    )


def slope(lengths: list[int], values: list[float]) -> float:
    """Exponent p of the power law n^p through the upper half of the points.

    Example:
        >>> round(slope([1, 2, 4, 8], [3, 3, 12, 48]), 3)
        2.0
    """
    half = len(lengths) // 2
    return float(np.polyfit(np.log(lengths[half:]), np.log(values[half:]), 1)[0])


def _times(times: dict[str, list[float]]) -> Listing:
    exponents = {name: slope(list(LENGTHS), values) for name, values in times.items()}
    return Listing(
        title=f"Milliseconds of a forward pass, one sequence of n positions, d = {WIDTH}, h = {HEADS}",
        how="Compiled real layers on this machine, shortest of several runs. The exponent is the slope of log time "
        "against log n over the longer half.",
        header=("layer", *(f"n = {n:,}" for n in LENGTHS), "exponent"),
        lines=tuple(
            (name, *(f"{value * 1e3:.2f}" for value in values), f"{exponents[name]:.2f}")
            for name, values in times.items()
        ),
        measured=True,
    )


def _clock(times: dict[str, list[float]]) -> Listing:
    """Where self-attention's time passes that of the layers whose cost is linear in n."""
    attention = times[SELF_ATTENTION]
    lines = []
    for name in (RECURRENT, RESTRICTED, CONVOLUTION):
        slower = [n for n, ours, other in zip(LENGTHS, attention, times[name], strict=True) if ours > other]
        lines.append((name, f"{slower[0]:,}" if slower else f"beyond {LENGTHS[-1]:,}"))
    return Listing(
        title="Smallest n in the table above at which self-attention takes longer",
        how="From the same times.",
        header=("than", "n"),
        lines=tuple(lines),
        measured=True,
    )
