"""Whether h heads cost what one head of full size costs."""

import math
from collections.abc import Sequence

from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section
from keras_transformer.diagnostics.paper.timing import seconds
from keras_transformer.layers import MultiHeadAttention

WIDTH, LENGTH, BATCH = 512, 256, 2
HEADS = (1, 2, 4, 8, 16, 32)


def heads(timing: bool = True) -> Section:
    """Compare h heads of size 512 / h with one of size 512.

    Args:
        timing: also measure time on this machine.

    Returns:
        The section: parameters and operations against those of one head, what does grow with h, and time.

    Reference:
        Vaswani et al. 2017, section 3.2.2.
    """
    layers = [_layer(number) for number in HEADS]
    parts: list[Block | Listing] = [_costs(layers), _softmax()]
    curves = {"heads": list(HEADS)}
    if timing:
        parts.append(_times([seconds(layer, (BATCH, LENGTH, WIDTH)) for layer in layers]))
    return Section(
        name="heads",
        title="Multi-head against single-head attention",
        source="section 3.2.2",
        parts=tuple(parts),
        notes=(
            '"Similar" to single-head attention in the paper is exactly equal in parameters and in multiply-adds. '
            "What grows with h is the number of scores that pass through softmax, and the time with it where these "
            "are slow.",
        ),
        curves=curves,
    )


def _layer(number: int) -> MultiHeadAttention:
    layer = MultiHeadAttention(num_heads=number, key_dim=WIDTH // number, dtype="float32")
    layer.build((None, None, WIDTH))
    return layer


def _operations(layer: MultiHeadAttention) -> int:
    """Multiply-adds per token of self-attention over LENGTH tokens, from the layer's weights and head sizes."""
    matrices = sum(math.prod(weight.shape) for weight in layer.weights)
    return matrices + LENGTH * layer.num_heads * (layer.key_dim + layer.value_dim)


def _costs(layers: list[MultiHeadAttention]) -> Block:
    one = layers[0]
    rows = []
    for layer in layers[1:]:
        parameters = layer.count_params() / one.count_params()
        operations = _operations(layer) / _operations(one)
        rows.append(Row(f"h = {layer.num_heads}, parameters", parameters, paper=1, tolerance=0))
        rows.append(Row(f"h = {layer.num_heads}, operations", operations, paper=1, tolerance=0))
    return Block(
        title=f"Cost of h heads of size {WIDTH} / h, of that of one head of size {WIDTH}",
        how=f'Weights of real layers of d_model = {WIDTH}, and products with n = {LENGTH} keys. Paper: "the total '
        'computational cost is similar to that of single-head attention with full dimensionality".',
        rows=tuple(rows),
    )


def _softmax() -> Listing:
    operations = _operations(_layer(1))
    return Listing(
        title=f"Scores through softmax per token, n = {LENGTH}",
        how="h n scores, each scaled, masked, exponentiated and divided; beside multiply-adds, which do not depend "
        "on h.",
        header=("h", "d_k", "multiply-adds", "scores"),
        lines=tuple((str(h), str(WIDTH // h), f"{operations:,}", f"{h * LENGTH:,}") for h in HEADS),
    )


def _times(times: Sequence[float]) -> Listing:
    return Listing(
        title=f"Time of a forward pass, {BATCH} sequences of {LENGTH} tokens",
        how="Compiled real layers on this machine, shortest of several runs.",
        header=("h", "milliseconds", "of h = 1"),
        lines=tuple(
            (str(h), f"{time * 1e3:.2f}", f"{time / times[0]:.2f}") for h, time in zip(HEADS, times, strict=True)
        ),
        measured=True,
    )
