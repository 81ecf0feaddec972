"""Is the answer the same each time, in any batch and step by step, and does it depend on the source?"""

import numpy as np

from keras_transformer.diagnostics.doctor.arrays import to_numpy
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Subject

REPEATABLE, LENGTHS, ROWS, SOURCE_READ, CACHE = (
    "same answer twice",
    "lengths that differ",
    "sentences of a batch",
    "source is read",
    "cached decoding",
)


def check_repeatable(subject: Subject) -> list[Finding]:
    """Ask the same question twice.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    baseline = subject.baseline
    if not baseline.finite:
        return [skipped(REPEATABLE, "the logits are not finite", fix="first mend that", source="section 5.4")]
    seen = f"asked twice, the logits differ by {baseline.repeat:.2g} of their spread"
    if not baseline.random:
        return [passed(REPEATABLE, seen, source="section 5.4")]
    return [
        Finding(
            REPEATABLE,
            "fail",
            "dropout-at-inference",
            seen,
            "Dropout is active at inference: training=True is fixed somewhere, or a torch module is not in eval().",
            "Pass `training` on to every layer and fix it nowhere; call model.eval() in PyTorch.",
            "section 5.4",
        )
    ]


def check_lengths(subject: Subject) -> list[Finding]:
    """Give source and target different lengths.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    failure = subject.baseline.failure
    if failure is None:
        return [passed(LENGTHS, "source and target may have different lengths", source="section 3.2.3")]
    return [
        Finding(
            LENGTHS,
            "fail",
            "lengths-must-match",
            f"the model fails where source and target differ in length: {failure:.120}",
            "Something takes the one for the other: keys of cross-attention from the decoder, or the target's mask on "
            "the source's keys.",
            "In cross-attention the queries come from the decoder, keys, values and padding mask from the encoder.",
            "section 3.2.3",
        )
    ]


def check_rows(subject: Subject) -> list[Finding]:
    """Exchange the other sentences of the batch.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _rows(subject)


def check_source_read(subject: Subject) -> list[Finding]:
    """Exchange the words of the source.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _source_read(subject)


def check_cache(subject: Subject) -> list[Finding]:
    """Decode position by position with the cache, and compare with all positions at once.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _cache(subject)


CHECKS = (check_repeatable, check_lengths, check_rows, check_source_read, check_cache)


@on_clear_answers(ROWS, "section 3", by_row=False)
def _rows(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    if baseline.rows_differ:
        return [
            Finding(
                ROWS,
                "fail",
                "batch-leak",
                f"the same sentence in each row of a batch has logits that differ by {baseline.rows:.2g} of their "
                "spread from row to row",
                "A sentence's place in the batch is taken for something else: positions are counted along the batch "
                "axis, or a mask of the wrong shape is spread over it.",
                "Keep the batch as the first axis, and give positions (1, T, d_model) and masks (B, 1, 1, S).",
            )
        ]
    seen = (
        f"other sentences beside it, as long or shorter, change a sentence's logits by {baseline.companions:.2g} of "
        "their spread"
    )
    if baseline.companions <= baseline.loose:
        return [passed(ROWS, seen)]
    return [
        Finding(
            ROWS,
            "fail",
            "batch-leak",
            seen,
            "Sentences of a batch see each other: heads or beams are folded into the batch axis in the wrong order, "
            "one sentence's padding mask is used for all, or something normalises over the batch.",
            "Keep the batch as the first axis of every reshape and mask; transpose before heads are folded into it.",
        )
    ]


@on_clear_answers(SOURCE_READ, "section 3.2.3")
def _source_read(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    seen = f"another source changes the logits by {baseline.source_change:.2g} of their spread"
    if baseline.reads_source:
        return [passed(SOURCE_READ, seen, source="section 3.2.3")]
    if _cross_is_square(subject):
        return [_reads_decoder(f"{seen}; cross-attention has a key for each target position")]
    if baseline.failure is not None:
        return [_reads_decoder(f"{seen}; the model works only where source and target are equally long")]
    if _future_is_seen(subject):
        return [_reads_decoder(f"{seen}; later target words do change them")]
    return [
        Finding(
            SOURCE_READ,
            "fail",
            "source-ignored",
            seen,
            "The decoder is a language model: cross-attention is missing, its output dropped, its mask hides all keys, "
            "or its keys and values come from the decoder.",
            "Attend from the decoder to the encoder's output in every decoder layer; look that the padding mask is "
            "True where your attention takes True for visible.",
            "section 3.2.3",
        )
    ]


def _reads_decoder(seen: str) -> Finding:
    return Finding(
        SOURCE_READ,
        "fail",
        "cross-attention-reads-decoder",
        seen,
        "Cross-attention takes keys and values from the decoder: it is a second self-attention, without a causal mask.",
        "Queries come from the decoder, keys and values from the encoder's output.",
        "section 3.2.3",
    )


def _cross_is_square(subject: Subject) -> bool:
    """Whether the weights of cross-attention have as many keys as there are target positions."""
    source_length, target_length = subject.baseline.source.shape[1], subject.baseline.target_in.shape[1]
    try:
        weights = subject.weights
    except Exception:  # a hook that fails is told by the checks of weights
        return False
    if weights is None or source_length == target_length:
        return False
    return any(layer.shape[-1] == target_length for layer in weights["cross"])


def _future_is_seen(subject: Subject) -> bool:
    from keras_transformer.diagnostics.doctor.causality import influence

    return bool(influence(subject, subject.baseline.source[:1], subject.baseline.target_in[:1]).future.any())


@on_clear_answers(CACHE, "section 3.1")
def _cache(subject: Subject) -> list[Finding]:
    hooks = subject.hooks
    if hooks.init_cache is None or hooks.decode_step is None:
        fix = "pass Hooks(init_cache=..., decode_step=...)"
        return [skipped(CACHE, "the model cannot be run step by step", fix=fix, source="section 3.1")]
    baseline = subject.baseline
    length = baseline.target_in.shape[1]
    source, target_in = subject.example_batch(len(baseline.source), baseline.source.shape[1], length)
    source[0, -3:] = subject.pad_id  # a cache must hide padding too
    whole = subject.logits(source, target_in)
    cache = hooks.init_cache(source, length)
    steps = []
    for position in range(length):
        logits, cache = hooks.decode_step(target_in[:, position], position, cache)
        steps.append(to_numpy(logits))
    changes = baseline.change(np.stack(steps, axis=1), whole).max(axis=0)  # (T,)
    seen = f"step by step the logits differ by {changes.max():.2g} of their spread"
    # Half precision: every step rounds on its own.
    limit = 2 * baseline.loose if baseline.epsilon > 1e-6 else baseline.loose
    if changes.max() <= limit:
        return [passed(CACHE, seen, source="section 3.1")]
    first = int((changes > limit).argmax())
    meaning = (
        "A single position is decoded differently already: embedding, positions or cross-attention of the step are not "
        "the model's."
        if first == 0
        else "The first position is right and a later one is not: positions do not advance, keys are written to the "
        "wrong place, or the mask of the cache is off."
    )
    fix = (
        "Give a step the position's own encoding, write keys and values at it, and let it see positions up to its own."
    )
    return [Finding(CACHE, "fail", "cache-differs", f"{seen}, from position {first} on", meaning, fix, "section 3.1")]
