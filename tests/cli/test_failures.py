"""Every way to end is an exit code and at most one sentence."""

import errno
from pathlib import Path

import pydantic
import pytest

from keras_transformer.cli.failures import describe
from keras_transformer.errors import InputError

pytestmark = pytest.mark.backend_independent


class Settings(pydantic.BaseModel):
    steps: int
    rate: float = 0


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (InputError("a.en is empty."), 2, "a.en is empty."),
        (OSError(errno.ENOSPC, "No space left on device", "runs/x"), 2, "runs/x: the disk is full; free some"),
        (PermissionError(errno.EACCES, "Permission denied", b"runs"), 2, "runs: permission denied; choose a place"),
        (OSError(errno.EIO, "Input/output error"), 2, "Input/output error."),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (BrokenPipeError(), 141, ""),
        (ZeroDivisionError("division by zero\nmore"), 1, "Unexpected ZeroDivisionError: division by zero."),
        (
            RuntimeError("in user code:\n\n    ValueError: bad shape"),
            1,
            "Unexpected RuntimeError: ValueError: bad shape.",
        ),
        (OSError("without a number"), 1, "Unexpected OSError: without a number."),
        (RuntimeError(), 1, "Unexpected RuntimeError: no message."),
    ],
)
def test_an_exception_is_one_sentence(error: BaseException, code: int, sentence: str) -> None:
    got_code, got = describe(error)
    assert got_code == code
    assert got.startswith(sentence)
    assert "\n" not in got


def test_a_validation_error_names_the_setting_and_counts_the_rest() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Settings(steps="many", rate="fast")
    code, sentence = describe(caught.value)
    assert code == 2
    assert sentence.startswith("steps is 'many': Input should be a valid integer")
    assert sentence.endswith("(1 more settings are wrong.)")


def test_a_full_disk_is_a_sentence(command, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full to stand for a full disk")
    lines = tmp_path / "a.de"
    lines.write_text("Ein Hund läuft.\n", encoding="utf-8")
    outcome = command("evaluate", "--hypotheses", lines, "--references", lines, "--save", full)
    assert outcome.code == 2
    assert outcome.err.lower().startswith("keras-transformer: the disk is full;")
