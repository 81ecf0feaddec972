"""Lines from standard input."""

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.cli.streams import InputLines
from keras_transformer.cli.translate import translate
from keras_transformer.errors import InputError

pytestmark = pytest.mark.backend_independent


@given(st.lists(st.binary(max_size=8).filter(lambda row: b"\n" not in row and not row.endswith(b"\r"))))
def test_as_many_lines_as_line_ends_whatever_the_bytes(rows: list[bytes]) -> None:
    lines = InputLines(io.BytesIO(b"".join(row + b"\n" for row in rows)))
    assert list(lines) == [row.decode("utf-8", errors="replace") for row in rows]
    assert lines.invalid == [number for number, row in enumerate(rows, 1) if not _is_utf8(row)]
    assert (lines.warning() is None) == (not lines.invalid)


def test_a_last_line_needs_no_end_and_other_separators_are_text() -> None:
    text = "a\u2028b\x85c\x0cd\r\nlast"
    assert list(InputLines(io.BytesIO(text.encode()))) == ["a\u2028b\x85c\x0cd", "last"]


def test_the_warning_names_the_first_lines() -> None:
    lines = InputLines(io.BytesIO(b"\xff\n" * 7 + b"good\n"))
    assert len(list(lines)) == 8
    assert "lines 1, 2, 3, 4, 5 and 2 more are not valid UTF-8" in str(lines.warning())


def _is_utf8(row: bytes) -> bool:
    try:
        row.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_a_closed_standard_input_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="is closed"):
        translate(tmp_path)
