"""The sentence that black-box checks change, what the model answers to it, and how exact those answers are."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, precision
from keras_transformer.diagnostics.doctor.findings import Finding, reason, skipped
from keras_transformer.errors import InputError

if TYPE_CHECKING:
    from keras_transformer.diagnostics.doctor.subject import Ids, Subject

SOURCE_LENGTH = 11
TARGET_LENGTH = 8
ROWS = TARGET_LENGTH + 1

# By rounding step: the change of logits, relative to their spread, that is none. First where shapes are the same, so
# that the same numbers are added in the same order; then where they are not.
TOLERANCES = {2.0**-23: (2e-5, 1e-3), 2.0**-11: (2e-3, 2e-2), 2.0**-8: (1e-2, 1e-1)}


@dataclass(frozen=True)
class Baseline:
    """One random sentence pair, the same in all rows of a batch.

    Args:
        source: ids (B, S), no padding.
        target_in: ids (B, T), no padding.
        logits: (T, V), the answer.
        spread: standard deviation of the logits over the vocabulary: the unit of all changes.
        repeat: how much the answer changes when the same is asked again.
        source_change: how much it changes when the words of the source are others.
        companions: how much it changes when the other sentences of the batch are others, of the same length or shorter.
        rows: how much the answers to it differ between the rows of a batch.
        finite: whether all logits are.
        epsilon: rounding step of the model's arithmetic, as far as its logits show it.
        failure: why lengths S and T that differ did not work; None if they did.
        exact: the smallest change that counts, shapes being the same.
        loose: the same where shapes differ.
    """

    source: "Ids"
    target_in: "Ids"
    logits: Floats
    spread: float
    repeat: float
    source_change: float
    companions: float
    rows: float
    finite: bool
    epsilon: float
    failure: str | None
    exact: float
    loose: float

    @property
    def reads_source(self) -> bool:
        """Whether the source has any influence."""
        return self.source_change > self.exact

    @property
    def random(self) -> bool:
        """Whether the model answers the same question differently each time."""
        return self.finite and self.repeat > self.loose

    @property
    def rows_differ(self) -> bool:
        """Whether the answer depends on the row that the sentence stands in, by more than the model's own noise."""
        return self.finite and self.rows > max(TOLERANCES[self.epsilon][1], 10 * self.repeat)

    def change(self, logits: Floats, reference: Floats | None = None) -> Floats:
        """Largest change over the vocabulary, in units of the spread.

        Args:
            logits: (..., T, V).
            reference: what they were, broadcastable; None is the baseline's answer.

        Returns:
            (..., T); infinite where the logits are no numbers.
        """
        reference = self.logits if reference is None else reference
        with np.errstate(invalid="ignore"):  # inf - inf
            change = np.abs(logits - reference).max(axis=-1) / self.spread
        return np.where(np.isnan(change), np.inf, change).astype("float32")


def measure_baseline(subject: "Subject") -> Baseline:
    """Ask the model the same question in several ways.

    Args:
        subject: the model.

    Returns:
        Its answers.

    Raises:
        InputError: it fails on any input.

    Example:
        >>> from keras_transformer.diagnostics.doctor.subject import Subject
        >>> table = np.random.default_rng(0).normal(size=(20, 20)).astype("float32")
        >>> baseline = measure_baseline(Subject(lambda source, target_in: table[target_in]))
        >>> baseline.random, baseline.finite, baseline.failure
        (False, True, None)
    """
    source, target_in, first, failure = _first_answer(subject)
    second = subject.logits(source, target_in)
    finite = bool(np.isfinite(first).all() and np.isfinite(second).all())
    spread = float(np.median(first[0].std(axis=-1))) if finite else 1.0
    spread = max(spread, float(np.finfo("float32").tiny))
    epsilon = precision(first) if finite else 2.0**-23
    exact, loose = TOLERANCES[epsilon]
    repeat = float(np.abs(second - first).max() / spread) if finite else 0.0
    rows = float(np.abs(first - first[:1]).max() / spread) if finite else 0.0
    noise = max(repeat, rows)
    companions = _companions(subject, source, target_in, first) / spread if finite else 0.0
    other_words = subject.other_words(source, subject.source_vocab_size)
    source_change = float(np.abs(subject.logits(other_words, target_in) - first).max() / spread)
    return Baseline(
        source,
        target_in,
        first[0],
        spread,
        repeat,
        source_change,
        companions,
        rows,
        finite,
        epsilon,
        failure,
        exact=max(exact, 10 * min(noise, 0.01)),
        loose=max(loose, 10 * min(noise, 0.01)),
    )


def _companions(subject: "Subject", source: "Ids", target_in: "Ids", answer: Floats) -> float:
    """How much the answer to a sentence changes among others: of its own length, then each with some padding."""
    changes = []
    place = len(source) // 2  # neither the first nor the last, whose masks may be used for all
    others, other_targets = subject.example_batch(len(source), source.shape[1], target_in.shape[1])
    for padded in (False, True):
        if padded:
            for row in range(len(source)):
                others[row, 4 + row % 3 :] = other_targets[row, 3 + row % 3 :] = subject.pad_id
        others[place], other_targets[place] = source[place], target_in[place]
        changes.append(float(np.abs(subject.logits(others, other_targets)[place] - answer[place]).max()))
    return max(changes)


def _first_answer(subject: "Subject") -> tuple["Ids", "Ids", Floats, str | None]:
    """The answer to a pair of different lengths or, if the model fails on it, of the same."""
    failure = None
    for source_length in (SOURCE_LENGTH, TARGET_LENGTH):
        pair = subject.example_batch(1, source_length, TARGET_LENGTH)
        source, target_in = (np.repeat(ids, ROWS, axis=0) for ids in pair)
        try:
            return source, target_in, subject.logits(source, target_in), failure
        except Exception as error:  # whatever anyone's model raises
            failure = failure or reason(error)
    axes = _takes_axes_for_each_other(subject)
    raise InputError(
        f"The model fails on source ids {source.shape} and target ids {target_in.shape}: {failure}; "
        f"{axes or 'it is called with int32 arrays of two axes, wrap it in a function if it needs another form'}."
    )


def _takes_axes_for_each_other(subject: "Subject") -> str | None:
    """What to say of a model that works only where there are as many sentences as positions; None of others."""
    try:
        subject.logits(*subject.example_batch(ROWS, ROWS, ROWS))
    except Exception:  # whatever anyone's model raises
        return None
    return (
        "where there are as many sentences as positions it works, so it takes the first axis for time: transpose or, "
        "in PyTorch, pass batch_first=True"
    )


Check = Callable[["Subject"], list[Finding]]


def on_clear_answers(name: str, source: str, *, by_row: bool = True) -> Callable[[Check], Check]:
    """Skip a check of changes in logits where these are random or not finite anyway, or depend on the row.

    Args:
        name: of the check.
        source: section of the paper.
        by_row: whether the check compares rows of a batch, so that it says nothing where these answer differently.

    Returns:
        A decorator.
    """

    def decorate(check: Check) -> Check:
        @wraps(check)
        def guarded(subject: "Subject") -> list[Finding]:
            if not subject.baseline.finite:
                return [skipped(name, "the logits are not finite", fix="first mend that", source=source)]
            if subject.baseline.random:
                return [skipped(name, "the logits are random", fix="first mend that", source=source)]
            if by_row and subject.baseline.rows_differ:
                why = "the same sentence is answered differently in each row of a batch"
                return [skipped(name, why, fix="first mend that", source=source)]
            return check(subject)

        return guarded

    return decorate
