"""Floating-point operations of base and big, by both conventions: counted, and time times sustained rate."""

import math
from dataclasses import dataclass
from typing import Any

from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section
from keras_transformer.diagnostics.paper.table3 import TABLE3, Letters, built
from keras_transformer.models import Transformer, load_preset

VOCABULARY = 37000
LENGTH = 25
"""Tokens of a sentence, taken for both sides; it matters only in the attention's n^2 terms."""

GPUS, RATE = 8, 9.5e12
"""Section 5.2 and footnote 5: 8 P100, 9.5 TFLOPS each in single precision."""

PASSES = 3
"""Forward, and backward with a product for the inputs' gradient and one for the weights'."""


@dataclass(frozen=True)
class Run:
    """What the paper prints about one training run."""

    flops: float
    unit: float
    seconds: float
    step_seconds: float
    step_rounding: float


RUNS = {
    "base": Run(flops=3.3e18, unit=1e17, seconds=12 * 3600, step_seconds=0.4, step_rounding=0.05),
    "big": Run(flops=2.3e19, unit=1e18, seconds=3.5 * 86400, step_seconds=1.0, step_rounding=0.05),
}


@dataclass(frozen=True)
class Products:
    """Multiply-adds of the forward pass: per source token, per target token, and the attention's, per token and key."""

    source: int
    target: int
    source_scores: int
    target_scores: int

    def flops(self, length: int) -> tuple[float, float]:
        """Forward operations per source and per target token, of sentences of `length` tokens on both sides."""
        return 2.0 * (self.source + length * self.source_scores), 2.0 * (self.target + length * self.target_scores)


def count(model: Transformer) -> Products:
    """The products of a real model, from the shapes of its weights.

    A token is multiplied once with every matrix on its way. Source tokens pass the encoder, and the keys' and values'
    projections of the decoder's attention to it; target tokens pass the rest, and the embedding once, as the softmax's
    projection. Looking an embedding up multiplies nothing.

    Args:
        model: a `Transformer`; its weights need no values.

    Example:
        >>> from keras_transformer.models import Transformer
        >>> sizes = {"d_model": 8, "num_heads": 2, "d_ff": 16, "num_encoder_layers": 1, "num_decoder_layers": 1}
        >>> count(Transformer(vocab_size=10, **sizes))
        Products(source=640, target=720, source_scores=16, target_scores=32)
    """

    def matrices(weights: list[Any]) -> int:
        return sum(math.prod(weight.shape) for weight in weights if len(weight.shape) == 2)

    layers = model.decoder.layers
    memory = sum(matrices(layer.cross_attention.memory_projection.weights) for layer in layers)
    per_key = model.config.num_heads * sum(model.config.head_sizes)  # q.k for the score, and the sum of the values
    return Products(
        source=matrices(model.encoder.weights) + memory,
        target=matrices(model.decoder.weights) - memory + matrices(model.embedding.weights),
        source_scores=model.config.num_encoder_layers * per_key,
        target_scores=2 * model.config.num_decoder_layers * per_key,
    )


def formula(letters: Letters, vocabulary: int, length: int) -> float:
    """Forward operations per pair of tokens from the letters of table 3, to check `count` by."""
    attention = 2 * letters.d_model * letters.heads * (letters.d_k + letters.d_v)
    scores = length * letters.heads * (letters.d_k + letters.d_v)
    feed_forward = 2 * letters.d_model * letters.d_ff
    layers = letters.layers * (3 * (attention + scores) + 2 * feed_forward)
    return 2.0 * (layers + vocabulary * letters.d_model)


def flops() -> Section:
    """Count the operations of base and big, and of the paper's training runs.

    Returns:
        The section: operations per token, training by time and rate, training by counting.

    Reference:
        Vaswani et al. 2017, table 2, section 5.2 and footnote 5.
    """
    products = {preset: count(built(preset, VOCABULARY)) for preset in RUNS}
    counted = {preset: _training(preset, products[preset]) for preset in RUNS}
    shares = {preset: counted[preset] / RUNS[preset].flops for preset in RUNS}
    return Section(
        name="flops",
        title="Floating-point operations",
        source="table 2, section 5.2, footnote 5",
        parts=(_per_pair(products), _lengths(products), _by_time(), _by_counting(counted)),
        notes=(
            "The matrices' part of a training step is 6 operations per parameter and pair of tokens (2 forward, 4 "
            "backward), since each matrix meets a source or a target token once; the tied embedding counts as the "
            "softmax's.",
            "0.4 seconds per step x 100,000 steps is 11.1 hours; the 12 hours of section 5.2 are within the rounding "
            "of 0.4.",
        ),
        caveats=(
            "The paper's training cost is not a count of operations: it is training time x GPUs x an estimate of each "
            f"GPU's sustained rate. The operations that the models need are {shares['base']:.0%} of it for base and "
            f"{shares['big']:.0%} for big; so the GPUs ran at {shares['base'] * RATE / 1e12:.1f} and "
            f"{shares['big'] * RATE / 1e12:.1f} TFLOPS each, if batches had no padding.",
        ),
    )


def _pair(products: Products, length: int = LENGTH) -> float:
    return sum(products.flops(length))


def _training(preset: str, products: Products) -> float:
    """Operations of the whole run: batches of as many source as target tokens, forward and backward."""
    training = load_preset(preset)["training"]
    return PASSES * _pair(products) * training["tokens_per_batch"] * training["max_steps"]


def _per_pair(products: dict[str, Products]) -> Block:
    rows = []
    for preset, each in products.items():
        expected = formula(TABLE3[preset], VOCABULARY, LENGTH)
        rows.append(Row(f"{preset}, forward", _pair(each) / 1e6, formula=expected / 1e6, digits=".5g"))
        rows.append(Row(f"{preset}, training", PASSES * _pair(each) / 1e6, formula=3 * expected / 1e6, digits=".5g"))
    return Block(
        title=f"Millions of operations per pair of a source and a target token; n = {LENGTH}, V = {VOCABULARY:,}",
        how="Two per multiply-add; weights of the real model, by its shapes, and attention's products of n keys. "
        "Training: three times forward. Softmax, LayerNorm and Adam are left out: below 1%. Formula: the letters of "
        "table 3.",
        rows=tuple(rows),
    )


def _lengths(products: dict[str, Products]) -> Listing:
    lines = []
    for preset, each in products.items():
        for length in (25, 100, 512, 1024):
            source, target = each.flops(length)
            attention = sum(each.flops(length)) - sum(each.flops(0))
            cells = (source / 1e6, target / 1e6, PASSES * (source + target) / 1e6)
            share = attention / (source + target)
            lines.append((preset, f"{length:,}", *(f"{cell:,.1f}" for cell in cells), f"{share:.1%}"))
    return Listing(
        title="Millions of operations per token by length n of both sentences",
        how="As above. The causal half of the decoder's scores is counted in full: it is computed, then hidden.",
        header=("", "n", "source, forward", "target, forward", "pair, training", "of it n^2 terms"),
        lines=tuple(lines),
    )


def _by_time() -> Block:
    rows = []
    for preset, run in RUNS.items():
        steps = load_preset(preset)["training"]["max_steps"]
        by_hours = run.seconds * GPUS * RATE
        by_steps = steps * run.step_seconds * GPUS * RATE
        rounding = steps * run.step_rounding * GPUS * RATE + 0.5 * run.unit
        rows.append(Row(f"{preset}, by the run's duration", by_hours, run.flops, 0.5 * run.unit, digits=".3g"))
        rows.append(Row(f"{preset}, by steps x time per step", by_steps, run.flops, rounding, digits=".3g"))
    return Block(
        title="Training cost by time x sustained rate, the paper's convention",
        how="12 hours (base) and 3.5 days (big), or the preset's steps x 0.4 s and 1.0 s, x 8 GPUs x 9.5e12 per "
        "second. Paper: table 2. Within: half a unit of the printed digit; for the time per step, its own rounding "
        "(0.05 s) too.",
        rows=tuple(rows),
    )


def _by_counting(counted: dict[str, float]) -> Block:
    rows = []
    steps = {"base": 100_000, "big": 300_000}
    for preset, operations in counted.items():
        expected = 3 * formula(TABLE3[preset], VOCABULARY, LENGTH) * 25_000 * steps[preset]
        rows.append(Row(f"{preset}, operations", operations, formula=expected, digits=".3g"))
        rows.append(Row(f"{preset}, share of the paper's figure", operations / RUNS[preset].flops, digits=".3f"))
    return Block(
        title="Training cost by counting operations",
        how="Operations per pair x 25,000 pairs of tokens per batch x steps, from the real presets. The paper's "
        "figure is by the other convention, so the share decides nothing. Formula: the letters of table 3.",
        rows=tuple(rows),
    )
