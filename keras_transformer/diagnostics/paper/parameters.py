"""Parameter counts of base, big and the rows of table 3, counted in the real models."""

import math
from dataclasses import dataclass

from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section
from keras_transformer.diagnostics.paper.table3 import TABLE3, Letters, built

STATED_VOCABULARY = 37000
"""Section 5.1: "about 37000 tokens"."""

FITTED_VOCABULARY = 41100
"""Fits every printed count but big's; the paper does not state the vocabulary of its table 3."""

BIG_VOCABULARY = 36000
"""Fits big's printed count."""


@dataclass(frozen=True)
class _Count:
    """What was counted in one real model."""

    preset: str
    letters: Letters
    vocabulary: int
    total: int
    stack: int

    @property
    def name(self) -> str:
        return self.preset.removeprefix("table3/")

    def vocabularies(self) -> tuple[int, int]:
        """The smallest and the largest V with which the count rounds to the printed one."""
        millions, d_model = self.letters.millions or 0, self.letters.d_model
        lowest, highest = ((millions + end) * 1e6 - self.stack for end in (-0.5, 0.5))
        return math.ceil(lowest / d_model), math.floor(highest / d_model)


def _count(preset: str, letters: Letters) -> _Count:
    vocabulary = BIG_VOCABULARY if preset == "big" else FITTED_VOCABULARY
    model = built(preset, vocabulary)
    total = sum(math.prod(weight.shape) for weight in model.weights)
    embedding = sum(math.prod(weight.shape) for weight in model.embedding.weights)
    return _Count(preset, letters, vocabulary, total, total - embedding)


def parameters() -> Section:
    """Count the parameters of base, big and every row of table 3.

    Returns:
        The section: absolute counts under a stated vocabulary, differences from base, and which vocabularies fit.

    Reference:
        Vaswani et al. 2017, table 3.
    """
    counts = [_count(preset, letters) for preset, letters in TABLE3.items()]
    printed = [count for count in counts if count.letters.millions is not None]
    return Section(
        name="parameters",
        title="Parameter counts",
        source="table 3",
        parts=(_absolute(counts), _differences(counts), _fitting(printed)),
        notes=(
            "Perplexity and BLEU of table 3 take a training run each and are not recomputed here; the presets "
            "table3/A1 to table3/E hold the settings.",
        ),
        caveats=_caveats(printed),
    )


def _absolute(counts: list[_Count]) -> Block:
    return Block(
        title=f"Parameters in millions; V = {FITTED_VOCABULARY:,}, for big {BIG_VOCABULARY:,}",
        how="Sizes of all weights of the real model, built from its preset. Within: half a unit of the printed digit. "
        "Formula: the letters of table 3. V is assumed: the table does not state it.",
        rows=tuple(
            Row(
                name=count.name,
                paper=count.letters.millions,
                ours=count.total / 1e6,
                tolerance=None if count.letters.millions is None else 0.5,
                formula=count.letters.parameters(count.vocabulary) / 1e6,
                formula_tolerance=0.0,
                digits=".2f",
            )
            for count in counts
        ),
    )


def _differences(counts: list[_Count]) -> Block:
    """Where d_model is base's the embedding is too, so its unknown size drops out."""
    base = counts[0]
    rows = []
    for count in counts[1:]:
        millions, name = count.letters.millions, f"{count.name} - base"
        if count.letters.d_model != base.letters.d_model:
            name += f", V = {count.vocabulary:,}"
        formula = count.letters.parameters(count.vocabulary) - base.letters.parameters(base.vocabulary)
        rows.append(
            Row(
                name=name,
                paper=0 if millions is None else millions - (base.letters.millions or 0),
                ours=(count.total - base.total) / 1e6,
                tolerance=1.0,
                formula=formula / 1e6,
                formula_tolerance=1e-9,
                digits="+.2f",
            )
        )
    return Block(
        title="Difference from base in millions",
        how="Size of the real model less that of base. Where d_model is 512, as in base, V drops out; elsewhere it is "
        "as above. Paper: difference of the printed counts, 0 where the cell is blank (as base). Within: both printed "
        "counts are rounded to a million.",
        rows=tuple(rows),
    )


def _fitting(printed: list[_Count]) -> Listing:
    lines = []
    for count in printed:
        low, high = count.vocabularies()
        lines.append((count.name, f"{count.letters.millions}", f"{count.stack / 1e6:.3f}", f"{low:,}", f"{high:,}"))
    low, high = _common(printed)
    lines.append(("all but big", "", "", f"{low:,}", f"{high:,}"))
    return Listing(
        title="Vocabularies with which the count rounds to the printed one",
        how="(printed count +- 0.5 million - parameters beside the embedding) / d_model.",
        header=("", "printed, M", "beside the embedding, M", "V from", "V to"),
        lines=tuple(lines),
    )


def _common(printed: list[_Count]) -> tuple[int, int]:
    """The vocabularies that fit every row but big."""
    ranges = [count.vocabularies() for count in printed if count.preset != "big"]
    return max(low for low, _ in ranges), min(high for _, high in ranges)


def _caveats(printed: list[_Count]) -> tuple[str, ...]:
    by_name = {count.name: count for count in printed}
    base, big = by_name["base"], by_name["big"]
    low, high = _common(printed)
    at_37 = [(count.stack + STATED_VOCABULARY * count.letters.d_model) / 1e6 for count in (base, big)]
    big_fitted = (big.stack + FITTED_VOCABULARY * big.letters.d_model) / 1e6
    return (
        f"With the vocabulary that section 5.1 states, about 37,000, base has {at_37[0]:.1f} million "
        f"parameters and not 65, big {at_37[1]:.1f} and not 213.",
        f"One vocabulary between {low:,} and {high:,} gives all ten printed counts but big's to the digit. With it "
        f"big would have {big_fitted:.0f} million; its 213 wants {big.vocabularies()[0]:,} to "
        f"{big.vocabularies()[1]:,}. No single vocabulary gives base and big.",
    )
