"""Are the embeddings one matrix, in values and in gradients? The paper's section 3.4."""

import sys
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.diagnostics.doctor.arrays import to_numpy
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Subject
from keras_transformer.diagnostics.gradients import value_and_gradients
from keras_transformer.errors import InputError

NAME, GRADIENTS, SOURCE = "tied embeddings", "gradient of tied embeddings", "section 3.4"
ROLES = {"three-way": ("source", "target", "softmax"), "decoder": ("target", "softmax"), "none": ()}
_FIX = "Use the same variable: the softmax multiplies by the embedding's transpose, not by a copy of it."


def check_tying(subject: Subject) -> list[Finding]:
    """Look whether matrices that are meant to be one are the same variable; change it and watch every use of it.

    Args:
        subject: the model.

    Returns:
        A finding.

    Raises:
        InputError: Hooks.tied is none of "three-way", "decoder", "none".
    """
    return _tying(subject)


def check_gradients(subject: Subject) -> list[Finding]:
    """Look whether the matrix gets a gradient from the softmax, for words that are nowhere in the input.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _gradients(subject)


CHECKS = (check_tying, check_gradients)


def _meant(subject: Subject) -> tuple[str, ...] | None:
    """Which uses are meant to share a matrix; None if it is not known or cannot be seen."""
    hooks = subject.hooks
    if hooks.tied is None or (hooks.tied != "none" and not set(ROLES.get(hooks.tied, ())) <= set(hooks.embeddings)):
        return None
    if hooks.tied not in ROLES:
        raise InputError(f"Hooks(tied={hooks.tied!r}): expected one of {', '.join(map(repr, ROLES))}.")
    return ROLES[hooks.tied]


@on_clear_answers(NAME, SOURCE)
def _tying(subject: Subject) -> list[Finding]:
    roles = _meant(subject)
    if roles and not subject.baseline.reads_source:
        roles = tuple(role for role in roles if role != "source")
    if roles is None:
        fix = "pass Hooks(tied='three-way', embeddings={'source': ..., 'target': ..., 'softmax': ...})"
        return [skipped(NAME, "it is not known what is meant to be tied", fix=fix, source=SOURCE)]
    if not roles:
        return [skipped(NAME, "no embeddings are meant to be tied", source=SOURCE)]
    matrices = subject.hooks.embeddings
    first = matrices[roles[0]]
    apart = [role for role in roles[1:] if matrices[role] is not first]
    if apart:
        equal = all(_equal(matrices[role], first) for role in apart)
        seen = f"{roles[0]} and {' and '.join(apart)} are different variables{', equal so far' if equal else ''}"
        return [_not_tied(NAME, seen)]
    changes = _changes_by_role(subject, first)
    if changes is None:
        return [passed(NAME, f"{', '.join(roles)} are one variable", source=SOURCE)]
    deaf = [role for role in roles if changes[role] <= subject.baseline.exact]
    if deaf:
        return [_not_tied(NAME, f"changing the matrix changes nothing as {' or '.join(deaf)}: another is used there")]
    least = min(changes[role] for role in roles)
    seen = f"one variable; changing a row changes every use, {', '.join(roles)}, by {least:.2g} of the logits' spread"
    return [passed(NAME, seen, source=SOURCE)]


def _not_tied(name: str, seen: str) -> Finding:
    meaning = "Embeddings that are meant to be one matrix are several: more parameters, and each learns on its own."
    return Finding(name, "fail", "embeddings-not-tied", seen, meaning, _FIX, SOURCE)


def _equal(one: Any, other: Any) -> bool:
    left, right = to_numpy(one), to_numpy(other)
    return left.shape == right.shape and bool((left == right).all())


def _changes_by_role(subject: Subject, matrix: Any) -> dict[str, float] | None:
    """How much the logits change, by use, when the row of a word is changed in place; None if it cannot be."""
    baseline = subject.baseline
    source, target_in = baseline.source.copy(), baseline.target_in.copy()
    used = {*source.ravel().tolist(), *target_in.ravel().tolist(), subject.pad_id, subject.bos_id, subject.eos_id}
    words = sorted(set(range(min(subject.vocab_size, subject.source_vocab_size))) - used)
    if not words:
        return None
    word = words[0]
    source[0, 1], target_in[1, 1] = word, word  # row 0 has it in the source, row 1 in the target, row 2 nowhere
    before = subject.logits(source, target_in)
    original = to_numpy(matrix)
    changed = original.copy()
    changed[word] = -changed[word] + original.std()
    if not _assign(matrix, changed):
        return None
    try:
        after = subject.logits(source, target_in)
    finally:
        _assign(matrix, original)
    others = [each for each in range(after.shape[-1]) if each != word]
    by_row = baseline.change(after[..., others], before[..., others]).max(axis=-1)
    own = float(np.abs(after[2, :, word] - before[2, :, word]).max() / baseline.spread)
    return {"source": float(by_row[0]), "target": float(by_row[1]), "softmax": own}


def _assign(matrix: Any, values: Any) -> bool:
    """Put values into a variable of Keras or a parameter of PyTorch."""
    if isinstance(matrix, keras.Variable):
        matrix.assign(values)
        return True
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(matrix, torch.Tensor):
        with torch.no_grad():
            matrix.copy_(torch.as_tensor(values))
        return True
    return False


@on_clear_answers(GRADIENTS, SOURCE)
def _gradients(subject: Subject) -> list[Finding]:
    roles = _meant(subject)
    if not roles:
        return []
    if not subject.baseline.reads_source:
        roles = tuple(role for role in roles if role != "source")
    matrix = subject.hooks.embeddings["softmax"]
    if not subject.is_keras or not isinstance(matrix, keras.Variable):
        return [skipped(GRADIENTS, "gradients are measured of Keras models only", source=SOURCE)]
    if matrix.shape[0] != subject.vocab_size:  # d_model x V: the softmax's alone
        return []
    source, target_in = subject.baseline.source, subject.baseline.target_in
    inputs = {"source": np.unique(source), "target": np.unique(target_in)}
    absent = np.setdiff1d(np.arange(subject.vocab_size), np.concatenate(list(inputs.values())))
    if not absent.size:
        return [skipped(GRADIENTS, "the vocabulary has no word that the sentence has not", source=SOURCE)]

    def logit() -> Any:  # of one absent word: the softmax's share falls on its row alone
        logits = ops.cast(subject.model((source, target_in), training=False), "float32")
        return ops.mean(logits[..., int(absent[0])])

    _, (gradient,) = value_and_gradients(logit, [matrix])
    sizes = {"softmax": float(np.abs(gradient[absent[0]]).max())}
    for role, words in inputs.items():
        alone = np.setdiff1d(words, inputs["target" if role == "source" else "source"])
        sizes[role] = float(np.abs(gradient[alone]).max()) if alone.size else 1.0
    shown = ", ".join(f"{role} {sizes[role]:.2g}" for role in roles)
    missing = [role for role in roles if sizes[role] == 0.0]
    if missing:
        return [_not_tied(GRADIENTS, f"gradient by use: {shown}; none comes from {' or '.join(missing)}")]
    return [passed(GRADIENTS, f"gradient by use: {shown}", source=SOURCE)]
