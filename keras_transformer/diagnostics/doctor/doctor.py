"""The whole examination."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from keras_transformer.diagnostics.doctor.findings import Diagnosis, Finding, reason
from keras_transformer.diagnostics.doctor.hooks import Hooks
from keras_transformer.diagnostics.doctor.practice import untouched
from keras_transformer.diagnostics.doctor.subject import Subject

Check = Callable[[Subject], list[Finding]]
Progress = Callable[[str, int, int], None]

WIRING = ("numerics", "inference", "heads", "scale", "causality", "padding", "embeddings", "tying", "replicas")
"""Modules whose checks ask the model as it is; each has a tuple CHECKS."""

PRACTICE = ("pipeline", "loss", "recipe", "first_batch", "gradient_norms", "start")
"""Modules whose checks look at batches, loss and recipe, and at the model on a first batch."""

LEARNING = ("learning",)
"""Modules whose checks train a copy."""


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
    progress: Progress | None = None,
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
    with untouched(model):
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
        return examine(subject, WIRING + PRACTICE + (LEARNING if train else ()), progress)


def examine(subject: Subject, modules: tuple[str, ...], progress: Progress | None = None) -> Diagnosis:
    """Make the checks of some modules of this package.

    Args:
        subject: the model.
        modules: names of modules that have a tuple CHECKS.
        progress: called before each check with its name, its number and how many there are.

    Returns:
        The diagnosis.

    Raises:
        InputError: the model fails on any input.

    Example:
        >>> import numpy as np
        >>> table = np.random.default_rng(0).normal(size=(20, 20)).astype("float32")
        >>> examine(Subject(lambda source, target_in: table[target_in]), ("causality",)).faults
        ('target-history-ignored',)
    """
    _ = subject.baseline  # a model that fails on any input is bad input, not a fault
    checks = list(_checks(modules))
    findings: list[Finding] = []
    for number, check in enumerate(checks):
        name = check.__name__.removeprefix("check_").replace("_", " ")
        if progress is not None:
            progress(name, number, len(checks))
        try:
            findings += check(subject)
        except Exception as error:  # whatever anyone's model or hook raises on the inputs of one check
            findings.append(_raised(name, error))
    return Diagnosis(_with_heads_in_mind(subject, findings))


def _with_heads_in_mind(subject: Subject, findings: list[Finding]) -> list[Finding]:
    """Say of a future and padding that are seen all at once that heads may do it, where no hook shows the heads."""
    if subject.hooks.attention is not None or subject.hooks.attention_layers:
        return findings
    future = {"causal-mask-missing", "causal-mask-off-by-one"}
    faults = {finding.fault for finding in findings if finding.verdict == "fail"}
    if not faults & future or not {"source-padding-visible", "target-padding-visible"} <= faults:
        return findings
    meaning = " As the future, source padding and target padding are all seen, heads split or joined by a reshape in "
    meaning += "the wrong order are as likely as masks: either lets everything through."
    fix = " To tell them apart, pass Hooks(attention_layers=[AttentionHook(...)])."
    return [
        replace(each, meaning=each.meaning + meaning, fix=each.fix + fix) if each.fault in future else each
        for each in findings
    ]


def _raised(name: str, error: Exception) -> Finding:
    return Finding(
        name,
        "warn",
        "check-raised",
        f"{type(error).__name__}: {reason(error):.200}",
        "The model or a hook raised this on the input of this check, so that nothing was measured.",
        "See what the check passes to it (docs: the doctor), or give the hook that form.",
    )


def _checks(modules: tuple[str, ...]) -> Iterator[Check]:
    for name in modules:
        yield from importlib.import_module(f"keras_transformer.diagnostics.doctor.{name}").CHECKS
