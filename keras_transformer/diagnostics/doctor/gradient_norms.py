"""How large the gradient of the first batch is in each layer: it should reach all of them, and about alike."""

from typing import Any

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.first_batch import first_batch, layer_name
from keras_transformer.diagnostics.doctor.practice import untouched
from keras_transformer.diagnostics.doctor.subject import Subject
from keras_transformer.diagnostics.gradients import value_and_gradients
from keras_transformer.training.loss import token_cross_entropy

NORMS = "gradients by layer"
MOST_APART = 1000.0
"""Largest ratio of two layers' gradient norms: healthy stacks of six layers stay below 30."""


def check_gradients(subject: Subject) -> list[Finding]:
    """Every layer gets a gradient, of about the size of the others.

    Args:
        subject: a built Keras model.

    Returns:
        One finding: norms by layer of the gradient of the mean loss of the first batch.
    """
    model = subject.model
    variables = list(getattr(model, "trainable_variables", [])) if subject.is_keras else []
    if not variables:
        fix = "pass a built Keras model with trainable weights"
        return [skipped(NORMS, "only a Keras model's gradients can be taken", fix=fix)]
    source, target_in, target_out = first_batch(subject)
    real = (target_out != subject.pad_id).astype("float32")
    weights = ops.convert_to_tensor(real / real.sum())

    def loss() -> Any:
        losses = token_cross_entropy(target_out, model((source, target_in), training=False))
        return ops.sum(losses * weights)

    with untouched(model):
        value, gradients = value_and_gradients(loss, variables)
    if not np.isfinite(value) or not all(np.isfinite(gradient).all() for gradient in gradients):
        return [_not_finite(variables, gradients)]
    return [_norms(variables, gradients)]


def _norms(variables: list[Any], gradients: list[npt.NDArray[np.float32]]) -> Finding:
    none = [v.path for v, g in zip(variables, gradients, strict=True) if not g.any()]
    layers: dict[str, float] = {}
    for variable, gradient in zip(variables, gradients, strict=True):
        name = layer_name(variable.path)
        if "layer_" in name:
            layers[name] = float(np.hypot(layers.get(name, 0.0), np.linalg.norm(gradient)))
    told = ", ".join(f"{name} {norm:.2g}" for name, norm in layers.items())
    if none:
        return Finding(
            NORMS,
            "fail",
            "no-gradient",
            f"{len(none)} of {len(variables)} variables have none, first {none[0]}",
            "They are not on the way from inputs to loss, or cut off by stop_gradient or a saturated softmax: they "
            "stay as they were drawn.",
            "Follow that layer's output to the logits.",
        )
    if not layers:
        return passed(NORMS, f"all {len(variables)} variables have one")
    largest, least = max(layers, key=layers.__getitem__), min(layers, key=layers.__getitem__)
    ratio = layers[largest] / layers[least]
    if ratio < MOST_APART:
        return passed(
            NORMS, f"largest to least {ratio:.2g} ({largest} {layers[largest]:.2g}, {least} {layers[least]:.2g})"
        )
    return Finding(
        NORMS,
        "fail",
        "gradients-uneven",
        f"largest to least {ratio:.2g}: {told}",
        "Gradients explode or vanish on their way through the stack: weights drawn too wide or too narrow, a missing "
        "norm or residual.",
        "Draw by Glorot's rule; LayerNorm(x + Sublayer(x)) around every sub-layer, with its residual.",
        "section 5.4",
    )


def _not_finite(variables: list[Any], gradients: list[npt.NDArray[np.float32]]) -> Finding:
    bad = [v.path for v, g in zip(variables, gradients, strict=True) if not np.isfinite(g).all()]
    return Finding(
        NORMS,
        "fail",
        "gradients-not-finite",
        f"{len(bad)} of {len(variables)} variables have NaN or infinite gradients, first {[*bad, 'none'][0]}",
        "A masked softmax row, a logarithm of 0 or an overflow in half precision; the first update destroys the model.",
        "Compute softmax and loss in float32, with a finite mask value.",
    )


CHECKS = (check_gradients,)
