"""`examine_corpus`: each planted fault is named with its line, a healthy corpus is clean."""

import gzip
from pathlib import Path

import pytest

from keras_transformer.diagnostics.doctor.corpus import examine_corpus
from keras_transformer.diagnostics.doctor.corpus_batches import count_parameters
from keras_transformer.diagnostics.doctor.findings import Diagnosis, Finding
from keras_transformer.errors import InputError
from keras_transformer.models import Transformer
from keras_transformer.text import Tokenizer, datasets

pytestmark = pytest.mark.backend_independent

Lines = list[str]
PAIRS = 600


@pytest.fixture(scope="module")
def phrases() -> tuple[Lines, Lines, Lines, Lines]:
    """Training and test lines that have nothing wrong."""
    data = datasets.load("phrases", pairs=PAIRS)
    test = data.test["test"]
    return data.train.sources, data.train.targets, test.sources, test.targets


@pytest.fixture(scope="module")
def tokenizer(phrases: tuple[Lines, ...]) -> Tokenizer:
    return Tokenizer.train([[*phrases[0], *phrases[1]]], vocab_size=600)


def examine(folder: Path, sides: tuple[Lines, ...], tokenizer: Tokenizer | None, **options: object) -> Diagnosis:
    """The diagnosis of lines: train source and target, then test source and target."""
    names = ("a.en", "a.de", "t.en", "t.de")[: len(sides)]
    paths = [folder / name for name in names]
    for path, lines in zip(paths, sides, strict=True):
        path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    test = paths[2:] or None
    return examine_corpus(*paths[:2], test=test, tokenizer=tokenizer, presets=(), **options)  # type: ignore[arg-type]


def the(diagnosis: Diagnosis, fault: str) -> Finding:
    return next(finding for finding in diagnosis.findings if finding.fault == fault)


def test_a_healthy_corpus_is_clean(phrases: tuple[Lines, ...], tmp_path: Path) -> None:
    diagnosis = examine(tmp_path, phrases, None)
    assert (diagnosis.faults, diagnosis.warnings, diagnosis.exit_code) == ((), (), 0)
    assert not diagnosis.counts()["skipped"]
    text = diagnosis.table()
    assert "padding" in text
    assert f"{PAIRS} and {PAIRS} lines" in text


def replace(place: int, source: str | None = None, target: str | None = None):
    def plant(lines: tuple[Lines, ...]) -> None:
        for side, text in ((0, source), (1, target)):
            if text is not None:
                lines[side][place] = text

    return plant


def shift(lines: tuple[Lines, ...]) -> None:
    del lines[1][150]
    lines[1].append("Das Haus ist alt.")


def repeat(lines: tuple[Lines, ...]) -> None:
    lines[0][100:110], lines[1][100:110] = lines[0][10:20], lines[1][10:20]


def many_targets(lines: tuple[Lines, ...]) -> None:
    lines[0][30:45] = ["The house is old."] * 15


def copies(lines: tuple[Lines, ...]) -> None:
    lines[1][40:50] = lines[0][40:50]


def swap_some(lines: tuple[Lines, ...]) -> None:
    lines[0][70], lines[1][70] = lines[1][70], lines[0][70]


def leak_test(lines: tuple[Lines, ...]) -> None:
    lines[0][7], lines[1][7] = lines[2][3].upper(), f" {lines[3][3]}"


def leak_sources(lines: tuple[Lines, ...]) -> None:
    lines[0][100:106] = lines[2][20:26]


def swap_test(lines: tuple[Lines, ...]) -> None:
    lines[2][:], lines[3][:] = lines[3][:], lines[2][:]


PLANTED = {
    "line-counts-differ": (
        lambda lines: lines[1].pop(99),
        "a.en has 600 lines, a.de has 599; their lengths part between lines 1 and 400",
        "fail",
    ),
    "empty-lines": (replace(99, target=" "), "a.de: line 100 is empty", "fail"),
    "invalid-encoding": (replace(99, target="Stra\udcdfe"), "a.de: line 100 is not valid UTF-8", "fail"),
    "bad-lines": (replace(99, source="x" * 10_001), "a.en: line 100 is longer than 10,000", "fail"),
    "lines-shifted": (shift, "shift of -1 lines", "fail"),
    "length-ratio-outliers": (replace(99, target="Das Haus ist alt. " * 30), "line 100", "warn"),
    "duplicate-pairs": (repeat, "line 101 is line 11", "warn"),
    "source-with-many-targets": (many_targets, "lines 31, 32", "warn"),
    "untranslated-copies": (copies, "lines 41, 42", "warn"),
    "wrong-language": (swap_some, "line 71", "warn"),
    "wrong-script": (replace(99, target="Старый дом стоит у реки."), "line 100 is not latin", "warn"),
    "train-test-overlap": (leak_test, "line 4 of test", "fail"),
    "train-test-source-overlap": (leak_sources, "lines 21, 22", "warn"),
    "sides-swapped": (swap_test, "opposite", "fail"),
    "mojibake": (replace(99, target="Die TÃ¼r ist grÃ¶ÃŸer."), 'line 100 ("Ã¼" for "ü")', "warn"),
    "control-characters": (replace(99, target="Das Haus\x07 ist alt."), "line 100 (U+0007)", "warn"),
    "markup": (replace(99, source="A <b>dog</b> runs."), 'line 100 ("<b>")', "warn"),
    "tokenized-text": (replace(99, target="Der Hau@@ pt@@ bahnhof ist alt."), "line 100", "warn"),
}


ALSO = {"untranslated-copies": {"wrong-language"}}
"""What one planted fault is besides."""


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_named(fault: str, phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path) -> None:
    plant, evidence, verdict = PLANTED[fault]
    lines = tuple(list(side) for side in phrases)
    plant(lines)
    diagnosis = examine(tmp_path, lines, tokenizer)
    assert {*diagnosis.faults, *diagnosis.warnings} - ALSO.get(fault, set()) == {fault}
    finding = the(diagnosis, fault)
    assert finding.verdict == verdict
    assert evidence in finding.evidence
    assert finding.meaning
    assert finding.fix


def test_bad_lines_do_not_stop_the_examination(
    phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    lines = tuple(list(side) for side in phrases)
    lines[0][0] = ""
    leak_test(lines)
    diagnosis = examine(tmp_path, lines, tokenizer)
    assert diagnosis.faults == ("empty-lines", "train-test-overlap")
    assert "line 4 of test" in the(diagnosis, "train-test-overlap").evidence


@pytest.mark.parametrize("lines", [([" "], [""]), (["a dog"], ["ein Hund"]), (["日本"] * 3, ["日本"] * 3)])
def test_the_smallest_corpora_are_examined(lines: tuple[Lines, Lines], tmp_path: Path) -> None:
    diagnosis = examine(tmp_path, lines, None)
    assert diagnosis.ok == (lines[0] != [" "])


def test_files_that_are_no_text_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(gzip.compress(b"a dog\n" * 99)[:-9])
    (tmp_path / "a.de").write_bytes(b"")
    diagnosis = examine_corpus(tmp_path / "a.en", tmp_path / "a.de")
    assert diagnosis.faults == ("corpus-not-text",)
    evidence = the(diagnosis, "corpus-not-text").evidence
    assert "damaged" in evidence
    assert "a.de: the file is empty" in evidence
    with pytest.raises(InputError, match="no such file"):
        examine_corpus(tmp_path / "a.en", tmp_path / "none")


@pytest.mark.parametrize("content", [bytes(range(256)) * 80, b"\xc5" * 20_000, "Stra\xdfe\n".encode("latin-1") * 9])
def test_bytes_without_a_line_of_text_are_no_text(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(content)
    (tmp_path / "a.de").write_bytes(b"ein Hund\n" * 9)
    assert examine_corpus(tmp_path / "a.en", tmp_path / "a.de").faults == ("corpus-not-text",)


def test_a_nul_in_the_first_line_is_one_bad_line(
    phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    diagnosis = examine(tmp_path, ([f"{phrases[0][0]}\0", *phrases[0][1:]], phrases[1]), tokenizer)
    assert diagnosis.faults == ("bad-lines",)
    assert "line 1 is holding a NUL byte (of 600)" in the(diagnosis, "bad-lines").evidence
    assert "padding and batches" in diagnosis.table()


def test_a_target_that_is_the_source_fails(phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path) -> None:
    diagnosis = examine(tmp_path, (phrases[0], phrases[0]), tokenizer)
    assert diagnosis.faults == ("untranslated-copies",)


def test_a_side_in_reverse_order_is_misaligned(
    phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    diagnosis = examine(tmp_path, (phrases[0][::-1], phrases[1]), tokenizer)
    assert "lines-unrelated" in diagnosis.warnings
    assert "correlation of log lengths" in the(diagnosis, "lines-unrelated").evidence


def test_characters_outside_a_given_vocabulary_are_counted(
    phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    targets = [f"{line} 日本" for line in phrases[1]]
    finding = the(examine(tmp_path, (phrases[0], targets), tokenizer), "unknown-characters")
    assert "of 65 characters" in finding.evidence
    assert "most often 日 本" in finding.evidence
    assert "line 1 of a.de" in finding.evidence


def test_long_pairs_and_padding_are_those_of_the_real_batches(
    phrases: tuple[Lines, ...], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    from keras_transformer.text import TokenBatches

    pairs = list(zip(phrases[0], phrases[1], strict=True))
    report = TokenBatches(pairs, tokenizer, 512, max_length=12).report
    diagnosis = examine(tmp_path, phrases[:2], tokenizer, tokens_per_batch=512, max_length=12)
    assert f"{report.too_long:,} of {PAIRS} pairs" in the(diagnosis, "pairs-too-long").evidence
    assert any(f"{report.steps_per_epoch} batches an epoch" in finding.evidence for finding in diagnosis.findings)


def test_memory_counts_the_weights_of_the_real_model() -> None:
    model = Transformer(vocab_size=50, d_model=16, num_heads=2, d_ff=24, num_encoder_layers=1, num_decoder_layers=2)
    assert count_parameters(model.config) == model.count_params()
