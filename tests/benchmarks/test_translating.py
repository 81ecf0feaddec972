"""Steps of decoding, counted from outside."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.decode import read_chunking
from benchmarks.translating import Sentences, by_length, in_chunks
from tests.benchmarks.worker import touch_pages

pytestmark = pytest.mark.backend_independent


@pytest.mark.parametrize(("rows", "shortest"), [(1, 0), (3, 0), (20, 0), (20, 39), (400, 0)])
def test_chunks_are_those_of_the_saved_model(rows, shortest):
    import tensorflow as tf

    from keras_transformer.export.servable import _in_chunks

    random = np.random.default_rng(rows)
    lengths = random.integers(shortest, 40, rows)
    ids = np.where(np.arange(40) < lengths[:, None], 9, 0).astype("int32")
    marks = random.permutation(rows) + 1  # a number for each row, to know it again
    marked = np.concatenate([ids, -marks[:, None]], axis=1).astype("int32")  # the last column counts as one more id
    chunks = []

    def best(chunk):
        tf.numpy_function(lambda seen: chunks.append(seen[:, -1].tolist()), [chunk], [])
        return chunk[:, :1], tf.cast(chunk[:, 0], tf.float32)

    _in_chunks(best, tf.constant(marked))
    expected = in_chunks((lengths + 1).tolist(), **read_chunking())
    assert sorted([-int(marks[place]) for place in chunk] for chunk in expected) == sorted(chunks)
    assert sorted(place for chunk in expected for place in chunk) == list(range(rows))
    assert rows < 400 or len(expected) > 2


def test_batches_of_alike_length_from_either_end():
    rows = ["aaa", "a", "aa", "aaaa", "aaaaa"]
    assert by_length(rows, 2) == [[1, 2], [0, 3], [4]]
    assert by_length(rows, 2, longest_first=True) == [[4, 3], [0, 2], [1]]


class Words:
    """A tokenizer whose pieces are words."""

    def encode(self, texts, out_type=int):
        return [text.split() for text in texts]


@pytest.fixture
def sentences(tmp_path):
    lines = Path(tmp_path, "lines")
    lines.write_text("one\ntwo words\nand three words\n", encoding="utf-8")
    made = Sentences({"lines": str(lines), "tokenizer": ""})
    made.tokenizer = Words()
    return made


def test_a_batch_takes_a_step_for_each_piece_of_its_longest_translation_and_one_for_the_end(sentences):
    assert sentences.count_steps(["a", "a b c", "a b"], [[0, 1], [2]]) == (3 + 1) + (2 + 1)
    assert sentences.count_steps(["", "a", "a"], [[0], [], [1, 2]]) == 1 + 2


def test_a_round_counts_the_pages_touched_while_it_translates(sentences):
    def translate(lines):
        touch_pages(3000)
        return lines

    result = sentences.timed(translate, [[0, 1, 2]])
    assert result["outputs"] == ["one", "two words", "and three words"]
    assert 3000 <= result["faults"] < 3500
    assert result["steps"] == 4
