"""Whether the target distribution of a loss is whole: all of the mass, on the true token and evenly on the others."""

from typing import Any

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.findings import Finding, passed
from keras_transformer.diagnostics.doctor.loss_calls import Measured

NAME, SOURCE = "target distribution of the loss", "section 5.4"


def check_target(
    whole: Measured, example: Any, real: npt.NDArray[np.bool_], pad_id: int, stated: float | None
) -> Finding:
    """Mass and shape of the smoothed target, against its definition in float64.

    The gradient gives the distribution up to a factor, which the loss's divisor shares; so the mass is what is left
    when the factor is taken out for which it comes closest to 1: that of a mean or a sum over tokens, positions or
    sentences.

    Args:
        whole: the loss on the example.
        example: its targets, logits and weights.
        real: (B, T), True at tokens.
        pad_id: id of padding.
        stated: the loss's `label_smoothing`, None if it does not say.

    Returns:
        A finding.

    Reference:
        Szegedy et al. 2016, https://arxiv.org/abs/1512.00567, section 7; Vaswani et al. 2017, section 5.4.
    """
    targets, q = example.targets[real], whole.targets[real]  # (N,), (N, V)
    size, true = q.shape[-1], np.take_along_axis(q, targets[:, None].astype("int64"), -1)[:, 0]
    other = np.ones(q.shape, bool)
    other[np.arange(len(targets)), targets] = False
    words = other.copy()
    words[:, pad_id] = False  # some leave the padding symbol out of the spread
    off = float(q[words].mean())
    unevenness = float(np.abs(q[words] - off).max())
    eps = max(off, 0.0) * size
    mass, divisor = _mass(whole, real)
    on_true = float(true.mean())
    evidence = (
        f"{on_true:.4f} on the true token, {off:.2g} on each other of {size} (eps about {eps:.3f}), mass {mass:.4f}"
    )
    if abs(mass - 1) > 2e-3:
        return Finding(
            NAME,
            "fail",
            "smoothing-mass",
            f"{evidence}; counted as {divisor}",
            "The smoothed target is no distribution: its parts add up to something else, which scales the loss and "
            "moves its least value.",
            "Give the true token 1 - eps + eps / V and each other eps / V.",
            SOURCE,
        )
    if unevenness > 5e-3 or (stated is not None and not _as_stated(on_true, stated, size)):
        return Finding(
            NAME,
            "fail",
            "smoothing-uneven",
            f"{evidence}, up to {unevenness:.2g} apart" + (f"; it says {stated:g}" if stated is not None else ""),
            "The mass taken from the true token is not spread evenly over the others.",
            "Give the true token 1 - eps + eps / V and each other eps / V.",
            SOURCE,
        )
    return passed(NAME, evidence, source=SOURCE)


def _as_stated(on_true: float, eps: float, size: int) -> bool:
    """By Szegedy's definition, or with nothing of the spread on the true token."""
    return min(abs(on_true - (1 - eps + eps / size)), abs(on_true - (1 - eps))) < 2e-3


def _mass(whole: Measured, real: npt.NDArray[np.bool_]) -> tuple[float, str]:
    """The mass, and the divisor of the loss it is told with."""
    rows, length = real.shape
    tokens, area = int(real.sum()), real.size
    total = float(whole.counts[real].sum())
    divisors = {
        "a mean over tokens": 1.0,
        "a sum over tokens": 1 / tokens,
        "a mean over all positions": area / tokens,
        "a sum over tokens, averaged over sentences": rows / tokens,
        "a sum over sentences": 1 / rows,
        "a weighted mean over all positions": float(area),
        "a weighted mean over sentences": float(rows),
        "a weighted mean over tokens": float(tokens),
        "a weighted mean over columns": float(length),
    }
    name = min(divisors, key=lambda each: abs(np.log(max(total, 1e-30) * divisors[each])))
    return total * divisors[name], name
