"""Whether the batches teach what they should: target_in is target_out one step later, and padding has no weight."""

import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.pipeline_weights import check_weights
from keras_transformer.diagnostics.doctor.subject import Ids, Subject
from keras_transformer.diagnostics.doctor.training_batches import TrainingBatch, read_batches

SHIFT, PADDING = "target shift", "place of padding"
SHIFTS = range(-3, 4)

_MEANINGS = {
    "target-not-shifted": "The decoder reads the very token it must predict: the loss falls to almost 0 by copying, "
    "and translation is noise.",
    "target-shifted-wrong-way": "Each position must predict a token that it has read already; nothing is learned of "
    "the next one.",
    "target-shifted-too-far": "The decoder does not see the last token before the one it predicts.",
}


def check_batches(subject: Subject) -> list[Finding]:
    """All checks of the pipeline, on its first batches.

    Args:
        subject: its batches.

    Returns:
        Findings on shift, start and end tokens, padding and weights.
    """
    batches = [batch for batch in read_batches(subject) if batch.real.any()]
    if not batches:
        fix = "pass batches=, of ((source, target_in), target_out, weights)"
        return [skipped("pipeline", "no batches given" if subject.batches is None else "no batch has tokens", fix=fix)]
    return [
        _shift(subject, batches),
        *_start(subject, batches),
        *_end(subject, batches),
        _padding(batches),
        check_weights(batches),
    ]


def _shift(subject: Subject, batches: list[TrainingBatch]) -> Finding:
    """The shift k at which target_in[t] is most often target_out[t - k]; 1 is teacher forcing."""
    special = (subject.pad_id, subject.bos_id, subject.eos_id)
    agreement = {shift: _agreement(batches, shift, special) for shift in SHIFTS}
    if agreement[1] is None and agreement[0] is None:
        return skipped(SHIFT, "the targets hold no words", fix="pass batches of text", source="section 3.1")
    shares = {shift: share for shift, share in agreement.items() if share is not None}
    # Repeated words agree at several shifts; what is right at 1 is right.
    best = 1 if shares.get(1, 0.0) > 0.98 else max(shares, key=lambda shift: shares[shift])
    share = shares[best]
    evidence = (
        f"target_in[t] is target_out[t - {best}] for {100 * share:.1f} % of the words"
        if best > 0
        else f"target_in[t] is target_out[t{f' + {-best}' if best else ''}] for {100 * share:.1f} % of the words"
    )
    if best == 1 and share > 0.98:
        return passed(SHIFT, evidence, source="section 3.1")
    if share < 0.5:
        return Finding(
            SHIFT,
            "warn",
            "target-in-unrelated",
            f"{evidence}, the most of any shift",
            "target_in is not the target: it is noised, masked, or of other sentences.",
            "If this is not meant, make target_in = [bos] + pieces and target_out = pieces + [eos] of one sentence.",
            "section 3.1",
        )
    slug = "target-not-shifted" if best == 0 else "target-shifted-wrong-way" if best < 0 else "target-shifted-too-far"
    meaning = _MEANINGS[slug]
    if best == 1:
        slug, meaning = "target-shift-uneven", "Part of the words do not follow teacher forcing."
    return Finding(
        SHIFT,
        "fail",
        slug,
        evidence,
        meaning,
        "Make target_in = [bos] + pieces, target_out = pieces + [eos].",
        "section 3.1",
    )


def _agreement(batches: list[TrainingBatch], shift: int, special: tuple[int, ...]) -> float | None:
    same = total = 0
    for batch in batches:
        length = batch.target_in.shape[1]
        if abs(shift) >= length:
            continue
        read = batch.target_in[:, max(shift, 0) : length + min(shift, 0)]
        wanted = batch.target_out[:, max(-shift, 0) : length - max(shift, 0)]
        words = ~np.isin(wanted, special) & (read != batch.pad_id)
        same += int((read == wanted)[words].sum())
        total += int(words.sum())
    return same / total if total else None


def _start(subject: Subject, batches: list[TrainingBatch]) -> list[Finding]:
    first = np.concatenate([_first_tokens(batch) for batch in batches])
    share = float((first == subject.bos_id).mean())
    if share == 1:
        return [passed("start token", f"every target_in begins with {subject.bos_id}", source="section 3.1")]
    ids, counts = np.unique(first, return_counts=True)
    if len(ids) == 1 and len(first) > 3:
        return [
            Finding(
                "start token",
                "warn",
                "start-token-is-another",
                f"every target_in begins with {ids[0]}, and bos_id is {subject.bos_id}",
                "Decoding must begin with the same token, or the first words come out wrong.",
                f"Pass bos_id={ids[0]} here and to the decoder, if that is the start token.",
                "section 3.1",
            )
        ]
    return [
        Finding(
            "start token",
            "fail",
            "bos-missing",
            f"{100 * (1 - share):.1f} % of target_in do not begin with {subject.bos_id}, most often with "
            f"{ids[counts.argmax()]}",
            "The first word is never predicted, or is read before it is; decoding begins with a token never seen.",
            "Make target_in = [bos] + pieces.",
            "section 3.1",
        )
    ]


def _first_tokens(batch: TrainingBatch) -> Ids:
    rows = batch.target_in[batch.real.any(axis=1)]
    return rows[np.arange(len(rows)), (rows != batch.pad_id).argmax(axis=1)]


def _end(subject: Subject, batches: list[TrainingBatch]) -> list[Finding]:
    ends = np.concatenate(
        [(batch.target_out == subject.eos_id).any(axis=1)[batch.real.any(axis=1)] for batch in batches]
    )
    missing = float(1 - ends.mean())
    evidence = f"{100 * missing:.1f} % of {len(ends):,} targets have no {subject.eos_id}"
    if missing <= 0.02:
        return [passed("end token", evidence, source="section 3.1")]
    return [
        Finding(
            "end token",
            "fail" if missing > 0.2 else "warn",
            "eos-missing",
            evidence,
            "The model never learns to stop there: translations run to the longest length allowed, and repeat.",
            "Make target_out = pieces + [eos]; when cutting a long target, leave it out instead.",
            "section 3.1",
        )
    ]


def _padding(batches: list[TrainingBatch]) -> Finding:
    """Padding behind every token: the causal mask then hides it from all of them."""
    early = sum(int(_before_a_token(batch.target_out, batch.pad_id).sum()) for batch in batches)
    source = sum(int(_before_a_token(batch.source, batch.pad_id).sum()) for batch in batches)
    if not early and not source:
        return passed(PADDING, "only at the end of source and target")
    return Finding(
        PADDING,
        "fail" if early else "warn",
        "padding-before-tokens",
        f"{early:,} targets and {source:,} sources have padding before a token",
        "A causal mask does not hide what stands before; positions are counted from the padding.",
        "Pad at the end, or check that pad_id is the id of padding.",
    )


def _before_a_token(ids: Ids, pad_id: int) -> npt.NDArray[np.bool_]:
    real = ids != pad_id
    return real.any(axis=1) & (real.sum(axis=1) != ids.shape[1] - real[:, ::-1].argmax(axis=1))


CHECKS = (check_batches,)
