"""N lines in, N lines out."""

import logging
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

from keras_transformer.decoding import Hypothesis, Scorer, Translator
from keras_transformer.decoding import batches as batching
from keras_transformer.decoding.translator import Truncation
from keras_transformer.errors import InputError


@pytest.fixture(scope="module")
def copier(toys: SimpleNamespace) -> Translator:
    """A translator that gives its input back."""
    return Translator(
        toys.CopyModel(130), toys.Letters(), beam_size=2, batch_size=4, max_length_offset=3, max_source_length=8
    )


def test_lines_keep_their_order(copier: Translator) -> None:
    lines = ["longest", "", "a", "  ", "word", "a word", "\t", "a", "", "b c", "xyz"]
    assert copier(lines) == [line.strip() for line in lines]
    assert copier([]) == []
    assert copier([" ", ""]) == ["", ""]
    assert copier(["one\n"]) == ["one"]


def test_hypotheses_carry_their_scores(toys: SimpleNamespace) -> None:
    """log P is the score without its length penalty, and what the scorer says of the same ids."""
    model = toys.random_transformer(vocab_size=130, spread=0.4)
    letters = toys.Letters()
    translator = Translator(model, letters, beam_size=3, n_best=3, max_length_offset=4, length_penalty=1.0)
    lines = ["hello", "", "how r u", "ok"]
    results = translator.translate(lines)
    assert results[1] == [Hypothesis("", 0.0, 0.0, (), ())]
    pairs = [(line, h) for line, found in zip(lines, results, strict=True) for h in found if line]
    assert len(pairs) == 9
    for _, h in pairs:
        assert h.log_probability == pytest.approx(h.score * (5 + len(h.ids) + 1) / 6)
        assert h.pieces == tuple(chr(i) for i in h.ids)
        assert h.text == "".join(h.pieces).replace("\n", " ").replace("\r", " ")
    scored = Scorer(model, letters).score_ids(
        [[*map(ord, line), 2] for line, _ in pairs], [[*h.ids, 2] for _, h in pairs]
    )
    np.testing.assert_allclose(
        [score.log_probability for score in scored], [h.log_probability for _, h in pairs], rtol=1e-5
    )
    for found in results:
        assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)


def test_cut_lines_are_reported(copier: Translator, toys: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "keras_transformer"):
        assert copier(["ab", "x" * 30, "y" * 7]) == ["ab", "x" * 7, "y" * 7]
    assert copier.truncated == [Truncation(line=2, tokens=31, kept=8)]
    assert "line 2 has 31 tokens" in caplog.text
    assert copier(["ab"]) == ["ab"]
    assert copier.truncated == []
    heard: list[Truncation] = []
    strict = Translator(toys.CopyModel(130), toys.Letters(), max_source_length=3, on_truncated=heard.append)
    assert strict(["abc"]) == ["ab"]
    assert heard == [Truncation(1, 4, 3)]


def test_streaming_reads_no_further_than_a_chunk(copier: Translator) -> None:
    read = []

    def lines() -> Iterator[str]:
        for i in range(7):
            read.append(i)
            yield f"line {i}\n" if i != 1 else "\n"

    stream = copier.stream(lines(), chunk_size=3)
    assert next(stream)[0].text == "line 0"
    assert len(read) == 3
    assert [hypotheses[0].text for hypotheses in stream] == ["", *(f"line {i}" for i in range(2, 7))]
    long = list(copier.stream(["a", "b", "c", "z" * 40], chunk_size=3))
    assert len(long) == 4
    assert [cut.line for cut in copier.truncated] == [4]


def test_a_line_break_in_the_output_is_a_space(toys: SimpleNamespace) -> None:
    letters = toys.Letters()
    letters.decode = lambda rows: ["a\r\nb" for _ in rows]
    assert Translator(toys.CopyModel(130), letters, beam_size=2)(["x"]) == ["a  b"]


def test_a_model_of_nan_is_refused(toys: SimpleNamespace) -> None:
    model = toys.random_transformer(vocab_size=130)
    model.set_weights([np.full_like(weight, np.nan) for weight in model.get_weights()])
    with pytest.raises(ArithmeticError, match="not numbers"):
        Translator(model, toys.Letters(), beam_size=2, max_length_offset=1)(["x"])


def test_few_shapes_where_each_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "compiles_each_shape", lambda: True)
    shapes = {batching.pad_rows([[5] * 3] * rows, 0, 12).shape for rows in range(1, 13)}
    assert shapes == {(1, 8), (2, 8), (4, 8), (8, 8), (12, 8)}
    monkeypatch.setattr(batching, "compiles_each_shape", lambda: False)
    assert batching.pad_rows([[5] * 9] * 3, 0, 12).shape == (3, 16)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t("A dog runs."), "put it in a list"),
        (lambda t: t.translate(b"A dog runs."), "put it in a list"),
        (lambda t: t.stream("A dog runs."), "put it in a list"),
        (lambda t: t(["a", None]), "line 2 of lines is a NoneType"),
        (lambda t: list(t.stream(["a", 3])), "line 2 of lines is a int"),
        (lambda t: t.stream([], chunk_size=0), "chunk_size is 0"),
    ],
)
@pytest.mark.backend_independent
def test_what_is_not_a_list_of_strings_is_refused(copier: Translator, call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(copier)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eos_id": 3}, "eos_id is 2 and the tokenizer's 3"),
        ({"vocab_size": 200}, "200 pieces and the model knows 130"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"max_source_length": 1}, "max_source_length is 1"),
    ],
)
@pytest.mark.backend_independent
def test_what_does_not_fit_is_refused(toys: SimpleNamespace, changes: dict[str, int], message: str) -> None:
    letters = toys.Letters()
    options = {name: changes[name] for name in changes if not hasattr(letters, name)}
    for name in changes.keys() - options.keys():
        setattr(letters, name, changes[name])
    with pytest.raises(InputError, match=message):
        Translator(toys.CopyModel(130), letters, **options)


def test_batches_at_the_same_time_give_what_they_give_alone(
    toys: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, letters = toys.random_transformer(vocab_size=130, spread=0.4), toys.Letters()
    translator = Translator(model, letters, beam_size=3, n_best=2, max_length_offset=4, batch_size=2)
    lines = ["hello", "how r u", "ok", "", "a longer line", "yes", "no", "perhaps", "I see"]
    together = translator.translate(lines)
    alone = [translator.translate([line])[0] for line in lines]
    assert [[h.text for h in found] for found in together] == [[h.text for h in found] for found in alone]
    for found, other in zip(together, alone, strict=True):
        np.testing.assert_allclose([h.score for h in found], [h.score for h in other], rtol=1e-5)


def test_a_batch_that_fails_says_so_and_no_batch_is_read_in_vain(toys: SimpleNamespace) -> None:
    """Two batches are under way at most: the next is asked for when one is done."""
    from keras_transformer.decoding import compiled

    asked: list[int] = []

    def batches() -> Iterator[np.ndarray]:
        for number in range(6):
            asked.append(number)
            yield np.array([[5, 6, 2]], "int32") if number < 4 else "no batch"

    search = compiled.SearchModel(toys.CopyModel(130), Translator(toys.CopyModel(130), toys.Letters()).search)
    answers = compiled.predict_each(search, search.model, batches())
    next(answers)
    assert len(asked) <= compiled.PARALLEL_BATCHES + 1
    with pytest.raises(Exception, match=r".+"):
        list(answers)
