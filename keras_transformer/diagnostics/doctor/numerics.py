"""Does a row that sees nothing stay finite, in float16 and bfloat16 too? The paper's section 3.2.3."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

FINITE, MASKED = "finite logits", "fully masked row"
SOURCE = "section 3.2.3"
HALF_POLICIES = ("mixed_float16", "mixed_bfloat16")


def check_finite(subject: Subject) -> list[Finding]:
    """Ordinary sentences give finite logits that differ from word to word.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    baseline = subject.baseline
    if baseline.finite and baseline.spread > 1e-10:
        return [passed(FINITE, f"spread {baseline.spread:.3g} over the vocabulary")]
    if baseline.finite:
        return [
            Finding(
                FINITE,
                "fail",
                "logits-constant",
                "every word has the same logit",
                "The output layer does nothing: its matrix is zero, or the output was masked or multiplied away.",
                "Follow a sentence through the last layers.",
            )
        ]
    alone = subject.logits(baseline.source[:1], baseline.target_in[:1, :1])
    bad = int((~np.isfinite(baseline.logits)).any(-1).argmax())
    if not np.isfinite(alone).all():
        return [
            Finding(
                FINITE,
                "fail",
                "not-finite",
                f"logits at position {bad} are not finite, nor with the start token alone",
                "Either the weights are not finite (training diverged), or the first position sees nothing: a causal "
                "mask j < i with -inf gives NaN there.",
                "Look for NaN in the weights; let each position see itself; use a finite mask value.",
                SOURCE,
            )
        ]
    return [
        Finding(
            FINITE,
            "fail",
            "not-finite",
            f"logits at position {bad} are not finite; with the start token alone they are",
            "Scores or activations overflow, or some position sees nothing and is masked with -inf.",
            "Use a finite mask value that fits the dtype; compute softmax and normalisation in float32.",
            SOURCE,
        )
    ]


def check_masked_row(subject: Subject) -> list[Finding]:
    """A sentence that is all padding, as the last batch of an epoch may have it, beside real ones.

    Args:
        subject: the model.

    Returns:
        A finding for the model as it is, and one for each half precision in which a copy can be made.
    """
    if not subject.baseline.finite:
        return [skipped(MASKED, "the logits are not finite", fix="first mend that", source=SOURCE)]
    source, target_in = _batch(subject)
    findings = [_judge(MASKED, subject.logits(source, target_in), "as it is")]
    for policy in HALF_POLICIES:
        findings += _in_half_precision(subject, policy, source, target_in)
    if subject.hooks.attention is not None:
        findings.append(_judge(f"{MASKED}, float16 attention", _attention(subject.hooks.attention), "attention alone"))
    return findings


CHECKS = (check_finite, check_masked_row)


def _batch(subject: Subject) -> tuple[Ids, Ids]:
    """In turn: a whole sentence pair, one with padding, one whose source is nothing but padding."""
    source, target_in = subject.baseline.source.copy(), subject.baseline.target_in.copy()
    source[1::3, 4:] = target_in[1::3, 3:] = subject.pad_id
    source[2::3] = subject.pad_id
    target_in[2::3, 1:] = subject.pad_id
    return source, target_in


def _judge(name: str, values: Floats, what: str) -> Finding:
    finite = np.isfinite(values).reshape(len(values), -1).all(-1)
    if finite.all():
        return passed(name, f"{what}: finite where a whole sentence is padding", source=SOURCE)
    rows = ("a whole sentence", "a sentence with padding", "a sentence that is all padding")
    return Finding(
        name,
        "fail",
        "masked-row-not-finite",
        f"{what}: not finite for {rows[int(np.flatnonzero(~finite)[0]) % 3]}",
        "Softmax over nothing is 0/0: the mask value is -inf, or becomes so in float16, which stops at 65504. One such "
        "row makes the loss of the whole batch NaN, whatever its weight.",
        "Mask with a finite number of the dtype, softmax in float32, and give a fully masked row zeros.",
        SOURCE,
    )


def _in_half_precision(subject: Subject, policy: str, source: Ids, target_in: Ids) -> list[Finding]:
    name = f"{MASKED}, {policy.removeprefix('mixed_')}"
    model = subject.model
    if not subject.is_keras:
        fix = "give the doctor a model in that precision too"
        return [skipped(name, "only a Keras model can be copied into another precision", fix=fix, source=SOURCE)]
    if model.dtype_policy.name == policy:
        return []
    try:
        copy = type(model).from_config({**model.get_config(), "dtype": policy})
        if not copy.built:
            copy((source, target_in))
        copy.set_weights(model.get_weights())
        values = to_numpy(_answer(copy, source, target_in))
    except Exception:  # anyone's from_config
        fix = "give it a get_config that its constructor takes, or give the doctor one in that precision too"
        return [skipped(name, "the model cannot be copied into another precision", fix=fix, source=SOURCE)]
    return [_judge(name, values, f"a copy in {policy}")]


def _answer(model: Any, source: Ids, target_in: Ids) -> Any:
    """Logits of a Keras model that is asked only once: compiled whole on JAX, where that is faster."""
    if keras.backend.backend() != "jax":
        return model((source, target_in), training=False)
    import jax

    def run(values: list[Any]) -> Any:
        with keras.StatelessScope(state_mapping=list(zip(model.variables, values, strict=True))):
            return model((source, target_in), training=False)

    return jax.jit(run)([variable.value for variable in model.variables])


def _attention(attention: Callable[..., Any]) -> Floats:
    """A function of heads on float16, with one query of each row that sees nothing."""
    query, key, value = np.random.default_rng(0).normal(size=(3, 3, 4, 2, 16)).astype("float16")
    mask = np.ones((3, 1, 4, 4), "bool")
    mask[1, :, 2], mask[2] = False, False
    return to_numpy(attention(query, key, value, mask))
