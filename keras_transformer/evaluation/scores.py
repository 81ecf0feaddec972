"""Corpus scores of a translation, each with the signature that says how it was computed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from keras_transformer.errors import InputError


@dataclass(frozen=True)
class Scores:
    """What sacreBLEU says of one translated corpus.

    A figure without its signature cannot be compared with anything, so each carries one. All scores are in
    percent; BLEU and chrF rise with quality, TER (edits per reference word) falls.

    Attributes:
        sentences: number of sentence pairs scored.
        bleu: sacreBLEU, cased, on detokenized text with the `13a` tokenizer: the figure to publish.
        bleu_signature: sacreBLEU's signature of `bleu`.
        bleu_detail: n-gram precisions, brevity penalty and lengths behind `bleu`, as sacreBLEU prints them.
        chrf: chrF2, the character n-gram F-score (order 6, beta 2).
        chrf_signature: sacreBLEU's signature of `chrf`.
        ter: translation edit rate with tercom's tokenization.
        ter_signature: sacreBLEU's signature of `ter`.
        bleu_lowercased_tokenized: BLEU with both sides lowercased before the `13a` tokenizer, for comparison
            with papers on Multi30k that report lowercased tokenized BLEU. Never compare it with `bleu`.
        bleu_lowercased_tokenized_signature: sacreBLEU's signature of `bleu_lowercased_tokenized`.

    Example:
        >>> from keras_transformer.evaluation import evaluate_translations
        >>> scores = evaluate_translations(["Ein Hund läuft schnell ."], ["Ein Hund läuft schnell."])
        >>> scores.bleu_signature
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...'

    Reference:
        Post (2018), "A Call for Clarity in Reporting BLEU Scores".
    """

    sentences: int
    bleu: float
    bleu_signature: str
    bleu_detail: str
    chrf: float
    chrf_signature: str
    ter: float
    ter_signature: str
    bleu_lowercased_tokenized: float
    bleu_lowercased_tokenized_signature: str

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain numbers and strings, ready for `json.dumps`.

        Returns:
            One entry per attribute, in order.

        Example:
            >>> from keras_transformer.evaluation import evaluate_translations
            >>> evaluate_translations(["Guten Tag."], ["Guten Tag."]).to_dict()["ter"]
            0.0
        """
        return asdict(self)

    def table(self) -> str:
        """The scores as lines of text for people.

        Returns:
            One line per score with its signature, then the detail of BLEU. It has no trailing newline.

        Example:
            >>> from keras_transformer.evaluation import evaluate_translations
            >>> print(evaluate_translations(["Ein Hund läuft dort."], ["Ein Hund läuft dort."]).table())
            1 sentence
            BLEU                           100.00  nrefs:1|case:mixed|eff:no|tok:13a|...
            chrF2                          100.00  nrefs:1|case:mixed|eff:yes|nc:6|nw:0|...
            TER (lower is better)            0.00  nrefs:1|case:mixed|tok:tercom|norm:no|...
            BLEU, lowercased, tokenized *  100.00  nrefs:1|case:lc|eff:no|tok:13a|...
            BLEU detail: 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)
            * only for comparison with papers on Multi30k; it is not comparable with the first line
        """
        rows = [
            ("BLEU", self.bleu, self.bleu_signature),
            ("chrF2", self.chrf, self.chrf_signature),
            ("TER (lower is better)", self.ter, self.ter_signature),
            (
                "BLEU, lowercased, tokenized *",
                self.bleu_lowercased_tokenized,
                self.bleu_lowercased_tokenized_signature,
            ),
        ]
        width = max(len(name) for name, _, _ in rows)
        plural = "" if self.sentences == 1 else "s"
        return "\n".join(
            [
                f"{self.sentences} sentence{plural}",
                *(f"{name:<{width}}  {score:6.2f}  {signature}" for name, score, signature in rows),
                f"BLEU detail: {self.bleu_detail}",
                "* only for comparison with papers on Multi30k; it is not comparable with the first line",
            ]
        )


def evaluate_translations(hypotheses: Sequence[str], references: Sequence[str]) -> Scores:
    """Score translations against one reference each, on plain detokenized text.

    BLEU is the corpus BLEU of Papineni et al. (2002): with clipped n-gram counts summed over the corpus,
    BLEU = BP * exp(1/4 sum_n log p_n), BP = min(1, exp(1 - reference length / hypothesis length)). It is a
    property of the corpus, not the mean over sentences; the order of the sentences does not matter.

    Args:
        hypotheses: the translations, one string per sentence. An empty string counts as an empty translation.
        references: the reference translations, in the same order.

    Returns:
        The scores with their signatures.

    Raises:
        InputError: for a single string in place of a list, an element that is not a string, lists of
            different length, or empty lists.

    Example:
        >>> evaluate_translations(["The cat sat on the mat."], ["The cat sat on the mat."]).bleu
        100.00...

    Reference:
        Papineni et al. (2002); Popović (2015), chrF; Snover et al. (2006), TER; Post (2018), sacreBLEU.
    """
    hypotheses = _checked(hypotheses, "hypotheses")
    references = _checked(references, "references")
    if len(hypotheses) != len(references):
        raise InputError(
            f"There are {len(hypotheses)} hypotheses and {len(references)} references; each hypothesis needs "
            "the reference on the same line, so give both the same number of lines."
        )
    if not hypotheses:
        raise InputError("There is nothing to score: hypotheses and references are empty; give at least one line.")

    from sacrebleu.metrics import BLEU, CHRF, TER  # here, because `--help` must not wait for it

    bleu, lowercased, chrf, ter = BLEU(), BLEU(lowercase=True), CHRF(), TER(case_sensitive=True)
    bleu_score = bleu.corpus_score(hypotheses, [references])
    return Scores(
        sentences=len(hypotheses),
        bleu=bleu_score.score,
        bleu_detail=_detail(bleu_score),
        chrf=chrf.corpus_score(hypotheses, [references]).score,
        ter=ter.corpus_score(hypotheses, [references]).score,
        bleu_lowercased_tokenized=lowercased.corpus_score(hypotheses, [references]).score,
        # A signature is known only after scoring: it counts the references.
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
        ter_signature=str(ter.get_signature()),
        bleu_lowercased_tokenized_signature=str(lowercased.get_signature()),
    )


def _detail(bleu: Any) -> str:
    """The parts of a sacreBLEU BLEU score in the notation of its own command line."""
    precisions = "/".join(f"{precision:.1f}" for precision in bleu.precisions)
    return (
        f"{precisions} (BP = {bleu.bp:.3f} ratio = {bleu.ratio:.3f} hyp_len = {bleu.sys_len} ref_len = {bleu.ref_len})"
    )


def _checked(lines: Sequence[str], name: str) -> list[str]:
    """`lines` as a list of str, or one sentence about what it is instead."""
    if isinstance(lines, (str, bytes)):
        raise InputError(
            f"`{name}` is one {type(lines).__name__}, which would be scored letter by letter; give a list of "
            "strings, one per sentence (for a single sentence, a list with one element)."
        )
    checked = list(lines)
    for index, line in enumerate(checked):
        if not isinstance(line, str):
            raise InputError(
                f"`{name}[{index}]` is of type {type(line).__name__}, but every element must be a str; "
                "give one reference string per sentence and decode bytes first."
            )
    return checked
