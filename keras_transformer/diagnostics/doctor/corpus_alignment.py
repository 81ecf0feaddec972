"""Whether the two sides belong to each other line by line, told from their lengths."""

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.corpus_reading import Split, name_places, quote
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped

WINDOW = 200
"""Pairs over which the lengths of the two sides are compared, to find where they were shifted."""

LEAST_CORRELATION = 0.4
"""Of the logarithms of lengths. Multi30k has 0.88, the worst 200 of its pairs 0.74, and 0.24 with one side reversed."""

LEAST_SPREAD = 0.15
"""Standard deviation of the logarithms below which all lines are about as long, and their correlation says nothing."""

FEWEST = 20
"""Pairs below which statistics of lengths say nothing."""


def check_alignment(train: Split) -> list[Finding]:
    """No stretch of the corpus fits better with one side moved up or down by a few lines.

    Translations of long sentences are long: the logarithms of the two lengths correlate. Where they correlate only
    after a shift, a line was lost on one side and another gained further on.

    Args:
        train: the split, of equal line counts.

    Returns:
        One finding.
    """
    if len(train.good) < WINDOW:
        return [
            skipped(
                "alignment", f"{len(train.good):,} pairs, and the lengths of {WINDOW} show where lines were shifted"
            )
        ]
    source, target = (np.log1p(lengths) for lengths in _lengths(train))
    shifted = shifted_windows(source, target)
    if not shifted:
        overall = float(np.corrcoef(source, target)[0, 1]) if source.std() and target.std() else 1.0
        evidence = f"correlation of log lengths {overall:.2f}"
        if overall < LEAST_CORRELATION and min(source.std(), target.std()) > LEAST_SPREAD:
            return [_unrelated(evidence)]
        return [passed("alignment", evidence)]
    start, shift = next(iter(shifted.items()))
    first, last = train.good[start] + 1, train.good[min(start + WINDOW, len(source)) - 1] + 1
    return [
        Finding(
            "alignment",
            "fail",
            "lines-shifted",
            f"lengths fit a shift of {shift:+d} lines better in {len(shifted):,} stretches of {WINDOW} pairs, first in "
            f"lines {first:,} to {last:,}",
            meaning="A line is missing or doubled on one side there; the sentences after it stand beside the wrong "
            "translation.",
            fix="Compare the sides just before that stretch and mend the first line that does not fit.",
        )
    ]


def _unrelated(evidence: str) -> Finding:
    return Finding(
        "alignment",
        "warn",
        "lines-unrelated",
        f"{evidence}; of translations it is 0.7 and more",
        meaning="Long sentences do not stand beside long ones: one side is in another order, or of another text.",
        fix="Read some pairs; export both sides again from the same table, in the same order.",
    )


def shifted_windows(source: npt.NDArray[np.float64], target: npt.NDArray[np.float64]) -> dict[int, int]:
    """Stretches of 200 lines that fit better with one side moved by up to three lines.

    Args:
        source: (N,) logarithms of the source's lengths.
        target: (M,) of the target's.

    Returns:
        The shift of the target, by the place of the first line of its stretch.

    Example:
        >>> lengths = np.random.default_rng(0).normal(size=450)
        >>> shifted_windows(lengths, np.delete(lengths, 200))
        {200: -1}
    """
    shifted = {}
    for start in range(0, min(len(source), len(target)) - WINDOW + 1, WINDOW):
        fits = {shift: _correlation(source, target, start, shift) for shift in (0, -1, 1, -2, 2, -3, 3)}
        best = max(fits, key=lambda shift: fits[shift])
        if best and fits[best] > 0.5 and fits[0] < 0.5 * fits[best]:
            shifted[start] = best
    return shifted


def _correlation(source: npt.NDArray[np.float64], target: npt.NDArray[np.float64], start: int, shift: int) -> float:
    """Correlation of a window of the source with the target `shift` lines further down."""
    low, high = max(start, -shift), min(start + WINDOW, len(source), len(target) - shift)
    one, other = source[low:high], target[low + shift : high + shift]
    return float(np.corrcoef(one, other)[0, 1]) if one.std() > 0 and other.std() > 0 else 0.0


def check_length_ratio(train: Split) -> list[Finding]:
    """No side is far longer or shorter than its partner's length allows.

    With c the corpus's typical ratio of target to source characters, the difference t - c s of a translation has a
    variance that grows with the length, so (t - c s) / sqrt((t + c s) / 2) has one spread for short and long pairs. It
    is taken from the median deviation, which outliers do not move. A pair is an outlier beyond 6 spreads and at a ratio
    twice or half the typical one.

    Args:
        train: the split.

    Returns:
        One finding, with the worst lines.

    Reference:
        Gale and Church 1993, "A Program for Aligning Sentences in Bilingual Corpora", section 3.
    """
    if len(train.good) < FEWEST:
        return [skipped("length ratio", f"{len(train.good):,} pairs, and {FEWEST} give a typical ratio")]
    source, target = _lengths(train)
    typical = float(np.median(target / source))
    away = (target - typical * source) / np.sqrt((target + typical * source) / 2)
    spread = max(1.4826 * float(np.median(np.abs(away - np.median(away)))), 1.0)
    factor = target / (typical * source)
    outliers = np.flatnonzero((np.abs(away) > 6 * spread) & ((factor > 2) | (factor < 0.5)))
    told = f"typically {typical:.2f} target characters to one of the source"
    if not len(outliers):
        return [passed("length ratio", f"{told}; no outlier")]
    worst = outliers[np.argmax(np.abs(away[outliers]))]
    place, (one, other) = train.good[worst], train.pairs[worst]
    return [
        Finding(
            "length ratio",
            "warn",
            "length-ratio-outliers",
            f"{len(outliers):,} of {len(source):,} pairs ({name_places([train.good[i] for i in outliers])}); {told}; "
            f"worst is line {place + 1}: {quote(one)} beside {quote(other)}",
            meaning="One side is cut off, holds two sentences, or is not a translation; the model learns to stop early "
            "or to invent.",
            fix="Read these lines and remove the pairs that are no translations.",
        )
    ]


def _lengths(split: Split) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    source, target = (
        np.fromiter((len(side.lines[i]) for i in split.good), np.float64, len(split.good)) for side in split.sides
    )
    return source, target
