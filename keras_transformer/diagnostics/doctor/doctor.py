"""The whole examination."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from keras_transformer.diagnostics.doctor.findings import Diagnosis, Finding
from keras_transformer.diagnostics.doctor.hooks import Hooks
from keras_transformer.diagnostics.doctor.subject import Subject

Check = Callable[[Subject], list[Finding]]

WIRING = ("numerics", "inference", "causality", "padding", "heads", "scale", "embeddings", "tying", "replicas")
"""Modules whose checks ask the model as it is; each has a tuple CHECKS."""

TRAINING: tuple[str, ...] = ()
"""Modules whose checks look at batches, loss and recipe, or train a copy."""


def doctor(
    model: Any,
    *,
    vocab_size: int | None = None,
    source_vocab_size: int | None = None,
    pad_id: int = 0,
    bos_id: int = 1,
    eos_id: int = 2,
    hooks: Hooks | None = None,
    loss: Any = None,
    batches: Any = None,
    optimizer: Any = None,
    recipe: Any = None,
    train: bool = True,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Diagnosis:
    """Examine a Transformer: ours or anyone's.

    Black-box checks ask for the logits of sentences that differ in one thing; white-box checks use `hooks`, which are
    found in one of our models. A check without what it needs is skipped and says what to pass.

    Args:
        model: a Keras model called with the pair (source, target_in), a `torch.nn.Module` called with two tensors, or a
            function of two int32 NumPy arrays (B, S) and (B, T), whatever it computes with. Logits (B, T, V).
        vocab_size: V of the target; None asks the model.
        source_vocab_size: V of the source; None is the target's.
        pad_id: id of padding, as the two others the model's own where it is ours.
        bos_id: id that starts a target.
        eos_id: id that ends a source.
        hooks: what may be looked at inside of the model.
        loss: what it is trained with; None is the paper's.
        batches: of ((source, target_in), target_out, weights), to examine the pipeline.
        optimizer: what it is trained with, to examine the recipe.
        recipe: settings of the training, for the same.
        train: whether to make the checks that train a copy of the model.
        seed: of the random sentences.
        progress: called before each check with its name, its number and how many there are.

    Returns:
        The diagnosis: print it, or ask it for `faults`.

    Raises:
        InputError: the model cannot be called as described.

    Example:
        >>> import keras_transformer as kt
        >>> model = kt.Transformer(vocab_size=30, d_model=16, num_heads=2, d_ff=16, num_encoder_layers=1,
        ...     num_decoder_layers=1)
        >>> kt.doctor(model, train=False).faults
        ()

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, sections 3 and 5.
    """
    subject = Subject(
        model,
        vocab_size=vocab_size,
        source_vocab_size=source_vocab_size,
        pad_id=pad_id,
        bos_id=bos_id,
        eos_id=eos_id,
        hooks=hooks,
        loss=loss,
        batches=batches,
        optimizer=optimizer,
        recipe=recipe,
        seed=seed,
    )
    checks = list(_checks(WIRING + (TRAINING if train else ())))
    findings: list[Finding] = []
    for number, check in enumerate(checks):
        if progress is not None:
            progress(check.__name__.removeprefix("check_").replace("_", " "), number, len(checks))
        findings += check(subject)
    return Diagnosis(findings)


def _checks(modules: tuple[str, ...]) -> Iterator[Check]:
    for name in modules:
        yield from importlib.import_module(f"keras_transformer.diagnostics.doctor.{name}").CHECKS
