"""Does a CTranslate2 model translate as the Python translator does?"""

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from keras_transformer.decoding import Hypothesis, Scorer
from keras_transformer.decoding.protocols import source_side
from keras_transformer.export.verification import ExportError

TIE = 1e-3
"""Two translations of which our model's scores differ by no more are a tie."""

ENOUGH_FOR_BLEU = 500
"""With fewer references than this, BLEU moves by more than 0.3 when a few sentences change."""


@dataclass(frozen=True)
class Limits:
    """What an export may differ by; see `docs/export.md` for what was measured.

    Args:
        apart: largest difference of log P of one translation, in nats per token.
        others: share of translations that may differ without being a tie; None for any.
        chrf: least chrF2 of the translations against the Python translator's.
        bleu: largest loss of BLEU.
    """

    apart: float
    others: float | None
    chrf: float
    bleu: float = 0.3


LIMITS = {
    "float32": Limits(apart=0.001, others=0.005, chrf=99.0),
    "int16": Limits(apart=0.05, others=None, chrf=95.0),
    "int8": Limits(apart=0.25, others=None, chrf=85.0),
}
"""By quantization."""


@dataclass(frozen=True)
class Agreement:
    """How the translations of both compare.

    Attributes:
        sentences: how many were translated by both.
        identical: translations of the same tokens.
        ties: different ones that our model scores alike, to 1e-3.
        apart: how far apart both put log P of one of our translations, at most, in nats per token.
        chrf: chrF2 of its translations against ours.
        bleu: ours and its BLEU; None without references.
        seconds: ours and its; CTranslate2 on one core.
        compute_type: what it computed in.
    """

    sentences: int
    identical: int
    ties: int
    apart: float
    chrf: float
    bleu: tuple[float, float] | None
    seconds: tuple[float, float]
    compute_type: str

    @property
    def others(self) -> int:
        """Different translations that are no ties."""
        return self.sentences - self.identical - self.ties


def compare(translator: Any, client: Any, samples: Sequence[str], references: Sequence[str] | None) -> Agreement:
    """Translate with both.

    Args:
        translator: a `Translator`.
        client: a `ctranslate2_client.Translator` of the exported folder.
        samples: source sentences.
        references: their translations, if known.

    Returns:
        The comparison.
    """
    quiet = copy.copy(translator)
    quiet.on_truncated = lambda truncation: None
    began = time.perf_counter()
    ours = [hypotheses[0] for hypotheses in quiet.translate(list(samples))]
    between = time.perf_counter()
    theirs = client.translate(list(samples))
    seconds = (between - began, time.perf_counter() - between)

    texts = [translation.text for translation in theirs]
    differ = [i for i in range(len(ours)) if ours[i].ids != theirs[i].ids]
    sources = _sources(translator, samples)
    return Agreement(
        sentences=len(ours),
        identical=len(ours) - len(differ),
        ties=_ties(translator, sources, ours, theirs, differ),
        apart=_apart(client, translator.tokenizer, sources, ours),
        chrf=_chrf(texts, [hypothesis.text for hypothesis in ours]),
        bleu=None if references is None else (_bleu([h.text for h in ours], references), _bleu(texts, references)),
        seconds=seconds,
        compute_type=client.engine.compute_type,
    )


def refuse(agreement: Agreement, quantization: str) -> None:
    """Raise if the translations differ by more than the format explains.

    Args:
        agreement: from `compare`.
        quantization: "float32", "int16" or "int8".

    Raises:
        ExportError: what differs by how much.

    Example:
        >>> refuse(Agreement(9, 3, 0, 7.5, 40.0, None, (1.0, 1.0), "float32"), "float32")
        Traceback (most recent call last):
        keras_transformer.export.verification.ExportError: The float32 model scores a translation of the Python
        translator 7.5 nats per token differently, expected 0.001 at most; the export was removed.
    """
    limits, name = LIMITS[quantization], f"The {quantization} model"
    # Each `not <=`, so that NaN is a difference.
    if not agreement.apart <= limits.apart:
        raise ExportError(
            f"{name} scores a translation of the Python translator {agreement.apart:.4g} nats per token differently, "
            f"expected {limits.apart:g} at most; the export was removed."
        )
    if limits.others is not None and agreement.others > limits.others * agreement.sentences:
        raise ExportError(
            f"{name} translates {agreement.others} of {agreement.sentences} sentences otherwise than the Python "
            f"translator, ties not counted, expected {limits.others:.1%} at most; the export was removed."
        )
    if agreement.bleu is not None and agreement.sentences >= ENOUGH_FOR_BLEU:
        before, after = agreement.bleu
        if not before - after <= limits.bleu:
            raise ExportError(
                f"{name} has {after:.2f} BLEU where the Python translator has {before:.2f}, "
                f"expected a loss of {limits.bleu:g} at most; the export was removed."
            )
    elif not agreement.chrf >= limits.chrf:
        raise ExportError(
            f"{name} gives translations of chrF2 {agreement.chrf:.1f} against the Python translator's, "
            f"expected {limits.chrf:g} at least; the export was removed."
        )


def _sources(translator: Any, samples: Sequence[str]) -> list[list[int]]:
    """The pieces the translator reads of each sentence, without the end-of-sentence token."""
    encoded = source_side(translator.tokenizer).encode([text.strip() for text in samples])
    return [list(map(int, pieces))[: translator.max_source_length - 1] for pieces in encoded]


def _apart(client: Any, tokenizer: Any, sources: list[list[int]], ours: list[Hypothesis]) -> float:
    """How far apart both put log P of one of our translations, at most, in nats per token; blank lines left out."""
    rows = [row for row, source in enumerate(sources) if source]
    if not rows:
        return 0.0
    results = client.engine.score_batch(
        [source_side(tokenizer).pieces(sources[row]) for row in rows],
        [list(ours[row].pieces) for row in rows],
        max_batch_size=32,
        max_input_length=0,
    )
    theirs = np.array([sum(result.log_probs) for result in results])
    differences = theirs - [ours[row].log_probability for row in rows]
    return float(np.max(np.abs(differences) / [len(ours[row].ids) + 1 for row in rows]))


def _ties(translator: Any, sources: list[list[int]], ours: Any, theirs: Any, differ: list[int]) -> int:
    """How many of the different translations our own model scores as it scores ours."""
    eos, alpha = translator.tokenizer.eos_id, translator.search.length_penalty
    most = getattr(translator.model, "max_length", None) or np.inf
    rows = [row for row in differ if sources[row] and len(theirs[row].ids) < most]
    scorer = Scorer(translator.model, translator.tokenizer)
    pairs = scorer.score_ids([[*sources[row], eos] for row in rows], [[*theirs[row].ids, eos] for row in rows])
    scores = [pair.log_probability / ((5 + pair.tokens) / 6) ** alpha for pair in pairs]
    return sum(abs(score - ours[row].score) <= TIE for row, score in zip(rows, scores, strict=True))


def _bleu(texts: list[str], references: Sequence[str]) -> float:
    import sacrebleu

    return float(sacrebleu.corpus_bleu(texts, [list(references)]).score)


def _chrf(texts: list[str], references: list[str]) -> float:
    """chrF2, 100 where nothing differs: of translations that are all empty it would be 0."""
    import sacrebleu

    return 100.0 if texts == references else float(sacrebleu.corpus_chrf(texts, [references]).score)
