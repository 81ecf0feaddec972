"""The comparison fails at each kind of difference, and the fresh process has none of this package."""

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keras_transformer.export import ExportError, verification
from keras_transformer.export.verification import Expected, compare, run_python

pytestmark = pytest.mark.backend_independent

EXPECTED = [
    Expected(b"a dog", "ein Hund", -0.5, (5, 6), (9, 8)),
    Expected(b"", "", 0.0, (), ()),
    Expected(b"long " * 40, "lang", -12.0, tuple(range(5, 30)), (7,)),
]


def truth() -> dict[str, Any]:
    pairs = [[item.translation, item.score] for item in EXPECTED]
    return {
        "load_seconds": 0.25,
        "batches": [pairs[:2], pairs[:1], pairs[1:2], pairs[2:], []],
        "ids": [[[9, 8, 2, 0], -0.5], [[0, 0, 0, 0], 0.0]],
    }


def run(answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    requests: list[dict[str, Any]] = []

    def fresh(request: dict[str, Any]) -> dict[str, Any]:
        requests.append(request)
        return answer

    monkeypatch.setattr(verification, "run_fresh", fresh)
    assert compare(Path("model"), EXPECTED, max_source_length=10, eos_id=2) == 0.25
    return requests


def test_what_is_asked_of_the_fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    (request,) = run(truth(), monkeypatch)
    together, first, second, long, nothing = [
        [base64.b64decode(text) for text in batch] for batch in request["batches"]
    ]
    assert together == [b"a dog", b""]
    assert (first, second, nothing) == ([b"a dog"], [b""], [])
    assert long == [b"long " * 40]  # apart: it is slow
    assert request["source_ids"] == [[5, 6, 2], [0, 0, 0]]


def test_rounding_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = truth()
    answer["batches"][0][0] = ["ein Hund", -0.50009]
    answer["batches"][3] = [["lang", -12.001]]
    run(answer, monkeypatch)


@pytest.mark.parametrize(
    ("batch", "index", "value", "words"),
    [
        (0, 0, ["ein hund", -0.5], "'a dog' in a batch as 'ein hund', .* 'ein Hund'"),
        (0, 0, ["ein Hund", -0.5002], "in a batch with -0.500200"),
        (0, 0, ["ein Hund", float("nan")], "in a batch with nan"),
        (0, 1, ["x", 0.0], "'' in a batch as 'x'"),
        (1, 0, ["eine", -0.5], "alone as 'eine'"),
        (3, 0, ["lang", -12.01], r"long \.\.\.' alone with -12.01"),
    ],
)
def test_each_difference_is_named(
    batch: int, index: int, value: list[Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = truth()
    answer["batches"][batch][index] = value
    with pytest.raises(ExportError, match=words):
        run(answer, monkeypatch)


@pytest.mark.parametrize(
    ("row", "words"),
    [([[9, 8, 2, 0], -0.6], "with -0.6"), ([[9, 2, 8, 0], -0.5], r"as \(9,\), the Python translator as \(9, 8\)")],
)
def test_a_difference_of_the_ids_signature_is_named(
    row: list[Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExportError, match="'a dog' by the signature `ids` " + words):
        run({**truth(), "ids": [row, [[0, 0, 0, 0], 0.0]]}, monkeypatch)


def test_a_translation_of_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = truth()
    answer["batches"][-1] = [["x", 0.0]]
    with pytest.raises(ExportError, match="1 translations of 0 sentences"):
        run(answer, monkeypatch)


def test_a_process_that_fails_shows_its_last_lines() -> None:
    with pytest.raises(ExportError, match=r"(?s)load it failed \(exit status 3\).*two"):
        run_python(["-c", "import sys; print('one', 'two', sep=chr(10), file=sys.stderr); sys.exit(3)"], "load it")


@pytest.mark.parametrize("name", ["keras_transformer", "keras_transformer.errors", "keras_hub", "sentencepiece"])
def test_the_fresh_process_cannot_import(name: str) -> None:
    script = Path(verification.__file__).with_name("fresh_process.py")
    code = f"""
import sys
sys.path.append({str(script.parent)!r})
import fresh_process
sys.meta_path.insert(0, fresh_process.Blocker())
import json.tool
try:
    import {name}
except ImportError as error:
    sys.exit(0 if "where a SavedModel is served" in str(error) else 1)
sys.exit(2)
"""
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
