"""Does a SavedModel translate as the Python translator does? Asked in a process that has nothing of this package."""

import base64
import copy
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_transformer.decoding.protocols import source_side
from keras_transformer.errors import InputError

TOLERANCE = 1e-4
"""Largest difference of scores, absolute below 1 and relative above."""

DEFAULT_SAMPLES = ("A dog runs through the park.", "Two children are playing with a red ball.")


class ExportError(InputError):
    """The SavedModel does not do what the Python translator does, so it was not kept."""


@dataclass(frozen=True)
class Expected:
    """One sentence and what the Python translator makes of it.

    Attributes:
        text: the sentence as bytes, which may be invalid UTF-8.
        translation: the best translation.
        score: its score.
        source_ids: ids of the sentence, not cut, without the end-of-sentence token.
        target_ids: ids of the translation, without the end-of-sentence token.
    """

    text: bytes
    translation: str
    score: float
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]


def expect(translator: Any, samples: Sequence[str]) -> list[Expected]:
    """What the Python translator says of the samples and of some odd sentences.

    The odd ones: an empty line, a blank one, letters outside the vocabulary and Unicode that is normalized, bytes that
    are not UTF-8, and a sentence longer than the translator reads.

    Args:
        translator: a `Translator`.
        samples: sentences; they come first in the result.

    Returns:
        One entry per sentence.
    """
    long = next((text for text in samples if text.strip()), DEFAULT_SAMPLES[0]) + " "
    pieces = max(1, len(source_side(translator.tokenizer).encode([long])[0]))
    long *= 1 + translator.max_source_length // pieces
    odd = [b"", b" \t ", "\t ﬁve Ünïcödé 日本 ① 😀\u2028x\u3000".encode(), b"not \xff UTF-8 \xf0\x9f", long.encode()]
    texts = [*(text.encode("utf-8", "replace") for text in samples), *odd]
    # A str cannot hold invalid bytes; U+FFFD is what reading a file with errors="replace" gives, and the graph too.
    lines = [text.decode("utf-8", "replace") for text in texts]
    quiet = copy.copy(translator)
    quiet.on_truncated = lambda truncation: None  # the long sentence is cut on purpose
    best = [hypotheses[0] for hypotheses in quiet.translate(lines)]
    ids = source_side(translator.tokenizer).encode([line.strip() for line in lines])
    return [
        Expected(text, hypothesis.text, hypothesis.score, tuple(source), tuple(hypothesis.ids))
        for text, hypothesis, source in zip(texts, best, ids, strict=True)
    ]


def compare(directory: Path, expected: Sequence[Expected], max_source_length: int, eos_id: int) -> float:
    """Run the SavedModel in a fresh process and compare.

    Args:
        directory: the SavedModel.
        expected: sentences with what they must give.
        max_source_length: source tokens read of one text, the end-of-sentence token included.
        eos_id: the id that ends a source.

    Returns:
        Seconds that the process took to load the SavedModel, imports not counted.

    Raises:
        ExportError: if the process fails, or at the first difference.
    """
    rows = [[*item.source_ids[: max_source_length - 1], eos_id] if item.source_ids else [] for item in expected]
    short = [index for index, item in enumerate(expected) if len(item.source_ids) < max_source_length]
    # Sentences as long as can be are slow, and would be for all sentences of their batch.
    long = [index for index in range(len(expected)) if index not in short]
    batches = [short, *([index] for index in [*short[:2], *long]), []]
    width = max((len(rows[index]) for index in short), default=0)
    answer = run_fresh(
        {
            "path": str(directory),
            "batches": [[base64.b64encode(expected[i].text).decode("ascii") for i in batch] for batch in batches],
            "source_ids": [rows[index] + [0] * (width - len(rows[index])) for index in short],
        }
    )
    for batch, results in zip(batches, answer["batches"], strict=True):
        if len(results) != len(batch):
            raise ExportError(f"The exported model gives {len(results)} translations of {len(batch)} sentences.")
        how = "in a batch" if len(batch) > 1 else "alone"
        for index, (translation, score) in zip(batch, results, strict=True):
            item = expected[index]
            _check(item, (item.translation, translation), score, how)
    for index, (ids, score) in zip(short, answer["ids"], strict=True):
        item = expected[index]
        found = tuple(ids[: ids.index(eos_id)] if eos_id in ids else ())
        _check(item, (item.target_ids, found), score, "by the signature `ids`")
    return float(answer["load_seconds"])


def run_fresh(request: Mapping[str, Any]) -> dict[str, Any]:
    """Start `fresh_process.py` on a request and return its answer.

    Args:
        request: see `fresh_process.answer`.

    Raises:
        ExportError: if the process fails; the message has its last lines.
    """
    script = Path(__file__).with_name("fresh_process.py")
    with tempfile.TemporaryDirectory() as folder:
        question, reply = Path(folder, "request.json"), Path(folder, "answer.json")
        question.write_text(json.dumps(request), encoding="utf-8")
        run_python(["-P", str(script), str(question), str(reply)], "load and run the exported model")
        answer: dict[str, Any] = json.loads(reply.read_text(encoding="utf-8"))
    return answer


def run_python(arguments: Sequence[str], purpose: str) -> None:
    """Run this Python on the TensorFlow backend and the CPU, quietly.

    Args:
        arguments: what follows the interpreter's name.
        purpose: "The process that was to ... failed" if it fails.

    Raises:
        ExportError: if the exit status is not 0; the message has the last lines of its output.
    """
    environment = {
        **os.environ,
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        # This process may hold an accelerator's memory, and its rounding (TF32) is not the CPU's.
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-6:])
        raise ExportError(f"The process that was to {purpose} failed (exit status {done.returncode}): {tail}")


def _check(item: Expected, results: tuple[object, object], score: float, how: str) -> None:
    """Raise at a difference between what Python expected and what the SavedModel gave."""
    shown = item.text.decode("utf-8", "replace")
    shown = shown if len(shown) <= 80 else shown[:80] + "..."
    wanted, found = results
    if found != wanted:
        raise ExportError(
            f"The exported model translates {shown!r} {how} as {found!r}, the Python translator as {wanted!r}; "
            "the export was removed."
        )
    if not abs(score - item.score) <= TOLERANCE * max(1.0, abs(item.score)):  # `not <=` so that NaN is a difference
        raise ExportError(
            f"The exported model scores {shown!r} {how} with {score:.6f}, the Python translator with "
            f"{item.score:.6f}; the export was removed."
        )
