"""Corpus scores against a BLEU written here from its definition, and against sacreBLEU's own functions."""

import json
import math
import subprocess
import sys
from collections import Counter

import pytest

from keras_transformer.errors import InputError
from keras_transformer.evaluation import evaluate_translations

pytestmark = pytest.mark.backend_independent

REFERENCES = [
    "Ein brauner Hund läuft heute sehr schnell durch den Park.",
    "Die Frau, die dort steht, liest ein Buch.",
    "Morgen werden wir nicht kommen.",
    "Zwei Kinder spielen im Garten.",
]
HYPOTHESES = [
    "Ein brauner hund läuft heute schnell durch den Park.",
    "Die Frau, die da steht, liest ein Buch.",
    "Wir werden morgen nicht kommen.",
    "Zwei Kinder spielen in dem Garten.",
]


def tokens(line: str) -> list[str]:
    """What `13a` does to sentences whose only punctuation is commas and full stops."""
    return line.replace(",", " ,").replace(".", " .").split()


def ngrams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def bleu_by_definition(hypotheses: list[str], references: list[str]) -> float:
    """BP * exp(1/4 sum_n log p_n), with clipped counts summed over the corpus."""
    pairs = [(tokens(h), tokens(r)) for h, r in zip(hypotheses, references, strict=True)]
    log_precision = 0.0
    for order in range(1, 5):
        matched = sum(sum((ngrams(h, order) & ngrams(r, order)).values()) for h, r in pairs)
        possible = sum(sum(ngrams(h, order).values()) for h, _ in pairs)
        log_precision += math.log(matched / possible) / 4
    hypothesis_length = sum(len(h) for h, _ in pairs)
    reference_length = sum(len(r) for _, r in pairs)
    return 100 * min(1.0, math.exp(1 - reference_length / hypothesis_length)) * math.exp(log_precision)


def test_bleu_is_the_papers_definition() -> None:
    scores = evaluate_translations(HYPOTHESES, REFERENCES)
    assert scores.bleu == pytest.approx(bleu_by_definition(HYPOTHESES, REFERENCES), abs=1e-9)
    lowered = [[line.lower() for line in side] for side in (HYPOTHESES, REFERENCES)]
    assert scores.bleu_lowercased_tokenized == pytest.approx(bleu_by_definition(*lowered), abs=1e-9)
    assert scores.bleu_lowercased_tokenized > scores.bleu + 1  # "hund" and "Wir"/"morgen" now match


def test_bleu_of_a_hand_counted_corpus() -> None:
    # 5 of 6 words, 3 of 5 bigrams, 2 of 4 trigrams, 1 of 3 four-grams; equal lengths, so no brevity penalty.
    scores = evaluate_translations(["the cat sat on a mat"], ["the cat sat on the mat"])
    assert scores.bleu == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert scores.ter == pytest.approx(100 / 6)  # one substitution over six reference words
    assert "83.3/60.0/50.0/33.3" in scores.bleu_detail


def test_short_output_pays_the_brevity_penalty() -> None:
    scores = evaluate_translations(["the cat sat on"], ["the cat sat on the mat"])
    assert scores.bleu == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_every_score_is_sacrebleus() -> None:
    import sacrebleu

    scores = evaluate_translations(HYPOTHESES, REFERENCES)
    assert scores.bleu == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score
    assert scores.chrf == sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score
    assert scores.ter == sacrebleu.corpus_ter(HYPOTHESES, [REFERENCES], case_sensitive=True).score
    lowercased = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES], lowercase=True)
    assert scores.bleu_lowercased_tokenized == lowercased.score
    assert "case:mixed" in scores.bleu_signature
    assert "tok:13a" in scores.bleu_signature
    assert "case:lc" in scores.bleu_lowercased_tokenized_signature
    assert "case:mixed|tok:tercom" in scores.ter_signature
    assert "nc:6|nw:0" in scores.chrf_signature
    shown = (scores.bleu_signature, scores.ter_signature, scores.bleu_detail, f"{scores.chrf:.2f}")
    assert all(value in scores.table() for value in shown)


def test_a_perfect_translation_scores_100_and_no_edits() -> None:
    scores = evaluate_translations(REFERENCES, REFERENCES)
    assert scores.bleu == pytest.approx(100.0)
    assert scores.bleu_lowercased_tokenized == pytest.approx(100.0)
    assert scores.chrf == pytest.approx(100.0)
    assert scores.ter == 0.0


def test_the_order_of_sentences_does_not_matter() -> None:
    forward = evaluate_translations(HYPOTHESES, REFERENCES)
    backward = evaluate_translations(HYPOTHESES[::-1], REFERENCES[::-1])
    for name, value in forward.to_dict().items():
        assert backward.to_dict()[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    pairing_broken = evaluate_translations(HYPOTHESES[::-1], REFERENCES)
    assert pairing_broken.bleu < forward.bleu - 20


def test_an_empty_translation_is_scored_not_dropped() -> None:
    scores = evaluate_translations(["", *HYPOTHESES[1:]], REFERENCES)
    assert scores.sentences == 4
    assert scores.bleu < evaluate_translations(HYPOTHESES, REFERENCES).bleu


def test_scores_survive_json() -> None:
    scores = evaluate_translations(HYPOTHESES, REFERENCES)
    assert json.loads(json.dumps(scores.to_dict())) == scores.to_dict()
    assert len(scores.table().splitlines()) == 7


@pytest.mark.parametrize(
    ("hypotheses", "references", "words"),
    [
        (["a"], ["a", "b"], ["1 hypotheses", "2 references", "same number of lines"]),
        ([], [], ["empty", "at least one line"]),
        ("a sentence", ["a sentence"], ["hypotheses", "one str", "list of strings"]),
        (["a sentence"], "a sentence", ["references", "one str", "list of strings"]),
        (["a", None], ["a", "b"], ["hypotheses[1]", "NoneType"]),
        (["a"], [["a"]], ["references[0]", "list"]),
    ],
)
def test_bad_input_gets_one_sentence(hypotheses, references, words) -> None:
    with pytest.raises(InputError) as error:
        evaluate_translations(hypotheses, references)
    assert all(word in str(error.value) for word in words)
    assert "\n" not in str(error.value)


def test_importing_the_room_does_not_import_sacrebleu() -> None:
    code = "import sys, keras_transformer.evaluation.scores; sys.exit('sacrebleu' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
