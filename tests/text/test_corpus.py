"""Reading parallel text: what is taken, what is refused and how it is said."""

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.errors import InputError
from keras_transformer.text.corpus import ParallelCorpus, overlap, read_lines
from keras_transformer.text.lines import split_lines

pytestmark = pytest.mark.backend_independent


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def refusal(*paths: Path, **options: object) -> str:
    """The one sentence with which the files are refused."""
    with pytest.raises(InputError) as caught:
        ParallelCorpus(*paths, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.fixture
def bad_files(tmp_path: Path) -> tuple[Path, Path]:
    """10,000 pairs, of which line 18 has no target, line 4,022 is not UTF-8 and line 9,000 is too long."""
    sources = [f"sentence {i}".encode() for i in range(10_000)]
    targets = [f"Satz {i}".encode() for i in range(10_000)]
    targets[17], sources[4021], targets[8999] = b"  \t ", b"caf\xe9", b"8999" + b"x" * 9_997
    sources[5] = b"5" + b"x" * 9_999  # not too long
    return (
        write(tmp_path, "a.en", b"\n".join(sources) + b"\n"),
        write(tmp_path, "a.de", b"\n".join(targets) + b"\n"),
    )


def test_three_bad_lines_among_ten_thousand_are_named(bad_files: tuple[Path, Path]) -> None:
    source, target = bad_files
    assert refusal(source, target) == (
        f"3 of 10,000 lines are bad ({target}: line 18 is empty; {source}: line 4022 is not valid UTF-8; "
        f"{target}: line 9000 is longer than 10,000 characters): correct them, or train without such pairs by "
        "data.on_bad_line=drop."
    )


def test_bad_lines_are_dropped_in_pairs_and_counted(bad_files: tuple[Path, Path]) -> None:
    corpus = ParallelCorpus(*bad_files, on_bad_line="drop")
    assert (corpus.report.lines, corpus.report.kept, len(corpus)) == (10_000, 9_997, 9_997)
    assert {bad.reason: bad.first for bad in corpus.report.dropped} == {
        "empty": (18,),
        "not valid UTF-8": (4022,),
        "longer than 10,000 characters": (9000,),
    }
    assert all(re.findall(r"\d+", source) == re.findall(r"\d+", target) for source, target in corpus)
    assert "3 dropped" in str(corpus.report)


def test_a_line_with_two_faults_counts_once(tmp_path: Path) -> None:
    paths = write(tmp_path, "a", "good\n\n"), write(tmp_path, "b", "gut\n\n")
    corpus = ParallelCorpus(*paths, on_bad_line="drop")
    assert sum(bad.count for bad in corpus.report.dropped) == 1


def test_only_the_first_few_bad_lines_are_named(tmp_path: Path) -> None:
    paths = write(tmp_path, "a", "x\n" * 9), write(tmp_path, "b", "y\n" + "\n" * 8)
    assert "lines 2, 3, 4, 5, 6 and 3 more are empty" in refusal(*paths)


def test_files_of_different_length_are_refused_whatever_the_policy(tmp_path: Path) -> None:
    paths = write(tmp_path, "a", "one\ntwo\nthree\n"), write(tmp_path, "b", "eins\nzwei\n")
    for policy in ("refuse", "drop"):
        message = refusal(*paths, on_bad_line=policy)
        assert f"{paths[0]} has 3 lines but {paths[1]} has 2" in message


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b""), "the file is empty"),
        (b"\x7fELF\x02\x01\x00\x00 \n", "is a binary file"),
        ("ein Satz\n".encode("utf-16"), "the text is UTF-16, expected UTF-8"),
        (gzip.compress(b"one\n" * 1000)[:-20], "the gzip data is damaged"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_file_that_is_not_text_is_refused(tmp_path: Path, data: bytes, told: str, side: int) -> None:
    paths = [write(tmp_path, "a.en", "one\n"), write(tmp_path, "a.de", "eins\n")]
    paths[side].write_bytes(data)
    message = refusal(*paths, on_bad_line="drop")
    assert message.startswith(f"{paths[side]}: ")
    assert told in message


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = write(tmp_path, "a.en", "one\n")
    assert refusal(good, tmp_path / "none.de") == f"{tmp_path}/none.de: there is no such file; check the path."
    assert f"{tmp_path}: is a folder" in refusal(good, tmp_path)
    assert "holds no gzip data" in refusal(good, write(tmp_path, "b.gz", "eins\n"))

    def denied(path: Path) -> bytes:  # the tests may run as root, whom no permission stops
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert f"{good}: permission to read the file is denied" in refusal(good, good)


def test_a_nul_byte_late_in_a_text_file_is_a_bad_line(tmp_path: Path) -> None:
    data = b"a sentence of text\n" * 1000 + b"a \x00 b\n"
    paths = write(tmp_path, "a", data), write(tmp_path, "b", b"x\n" * 1001)
    assert "line 1001 is holding a NUL byte" in refusal(*paths)
    assert len(ParallelCorpus(*paths, on_bad_line="drop")) == 1000


def test_two_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "a\tb\nno tab\nc\td\te\n\tx\nf\tg\n")
    message = refusal(path)
    assert "4 of 5" not in message
    for told in ("line 2 is without a tab", "line 3 is of more than two columns", "line 4 is empty"):
        assert told in message
    assert list(ParallelCorpus(path, on_bad_line="drop")) == [("a", "b"), ("f", "g")]
    assert "none of its 2 lines has a tab" in refusal(write(tmp_path, "b.tsv", "a b\nc d\n"))


def test_a_corpus_with_no_good_pair_is_refused(tmp_path: Path) -> None:
    paths = write(tmp_path, "a", "\n \n"), write(tmp_path, "b", "x\ny\n")
    assert "no pair is left" in refusal(*paths, on_bad_line="drop")


def test_an_unknown_policy_is_refused(tmp_path: Path) -> None:
    assert "'refuse' or 'drop'" in refusal(write(tmp_path, "a.tsv", "a\tb\n"), on_bad_line="skip")


def test_lines_end_at_newlines_only(tmp_path: Path) -> None:
    text = "\ufeffone\u2028still one\r\ntwo\x85\x0cstill two\r\n\nlast, without an end"
    path = write(tmp_path, "a.txt", text)
    assert read_lines(path) == ["one\u2028still one", "two\x85\x0cstill two", "", "last, without an end"]


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), min_size=1))
def test_any_lines_come_back(lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    assert split_lines(data) == (lines, [])
    assert split_lines(data.replace(b"\n", b"\r\n")) == (lines, [])
    assert split_lines(data + b"\xff\n") == ([*lines, ""], [len(lines)])


def test_gzip_is_read_alike_and_has_the_same_fingerprint(tmp_path: Path) -> None:
    plain = write(tmp_path, "a.en", "one\ntwo\n"), write(tmp_path, "a.de", "eins\r\nzwei")
    packed = [write(tmp_path, f"{path.name}.gz", gzip.compress(path.read_bytes())) for path in plain]
    one, other = ParallelCorpus(*plain), ParallelCorpus(*packed)
    assert list(one) == list(other) == [("one", "eins"), ("two", "zwei")]
    assert one.fingerprint == other.fingerprint
    assert len({one.fingerprint, one[:1].fingerprint, ParallelCorpus(*plain[::-1]).fingerprint}) == 3


def test_fingerprint_sees_where_lines_end() -> None:
    pairs = [[("ab", "c"), ("d", "e")], [("a", "c"), ("bd", "e")], [("ab", "ce"), ("d", "é")]]
    assert len({ParallelCorpus.from_pairs(p).fingerprint for p in pairs}) == 3


def test_pairs_in_memory_are_checked_too() -> None:
    with pytest.raises(InputError, match="element 1 is 'ab', expected a pair"):
        ParallelCorpus.from_pairs([("a", "b"), "ab"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="element 0 is"):
        ParallelCorpus.from_pairs([("a", b"b")])  # type: ignore[list-item]
    with pytest.raises(InputError, match="toy: line 1 is not valid Unicode"):
        ParallelCorpus.from_pairs([("\ud800", "b")], name="toy")
    with pytest.raises(InputError, match="no pair is left"):
        ParallelCorpus.from_pairs([])


def test_slices_are_corpora() -> None:
    corpus = ParallelCorpus.from_pairs([(str(i), str(-i)) for i in range(10)])
    part = corpus[2:8:3]
    assert isinstance(part, ParallelCorpus)
    assert (list(part), part.report.kept) == ([("2", "-2"), ("5", "-5")], 2)


def test_overlap_counts_repeats_of_the_first() -> None:
    assert overlap([("a", "b")] * 3 + [("c", "d")], [("a", "b"), ("a", "d")]) == 3
