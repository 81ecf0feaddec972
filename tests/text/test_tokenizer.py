"""The tokenizer: what comes back, what never happens, and that the two implementations agree."""

import io
import pickle
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.errors import InputError
from keras_transformer.text import datasets
from keras_transformer.text.corpus import ParallelCorpus, read_lines
from keras_transformer.text.datasets.download import cache_folder
from keras_transformer.text.tokenizer import Tokenizer

pytestmark = pytest.mark.backend_independent

ODD = [
    "",
    "   ",
    "\u3000\u2003",
    "a\x00b",
    "\x00",
    "a\tb\nc\r",
    "<s> </s> <pad> <unk> <0x41>",
    "</s>",
    "▁a ▁▁ b",
    "▁▁",
    "a▁",
    "ﬁne Ａ１ ①",
    "e\u0301 \u00e9 \u212b",
    "Straße 日本語 עברית",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 x\u200b\u00ad",
    "\ufffd",
    "x" * 5000,
]

TOKENIZER = Tokenizer.train([["a dog runs over the street", "ein Hund läuft über die Straße"]], vocab_size=320)


@given(st.text() | st.text(st.sampled_from("ab ▁\u3000éﬁ<>s/\x00")))
def test_any_text_comes_back_normalized_and_without_special_ids(text: str) -> None:
    ids = TOKENIZER.encode([text])[0]
    assert TOKENIZER.decode([ids]) == [TOKENIZER.normalize(text)]
    assert all(TOKENIZER.unk_id < index < TOKENIZER.vocab_size for index in ids)


@given(st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cc"])))
def test_the_normalization_is_nfkc_and_single_spaces(text: str) -> None:
    assert TOKENIZER.normalize(text) == " ".join(filter(None, unicodedata.normalize("NFKC", text).split(" ")))


@pytest.mark.parametrize("text", ODD)
def test_odd_text_comes_back(text: str, tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode([text])) == [tokenizer.normalize(text)]


def test_lone_surrogates_become_replacement_characters(tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode(["a \ud800 dog", "a"])) == ["a \ufffd dog", "a"]


def test_literal_markers_are_text(tokenizer: Tokenizer) -> None:
    for marker in ("<pad>", "<s>", "</s>", "<unk>", "<0x0A>"):
        ids = tokenizer.encode([f"{marker} a {marker}"])[0]
        assert min(ids) > 3
        assert tokenizer.decode([ids]) == [f"{marker} a {marker}"]


def test_decoding_stops_at_the_first_end_and_leaves_special_ids_out(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(["a dog"])[0]
    rows = np.array([[1, *ids, 0, 3, 2, 9, 9], [2, *ids, 0, 3, 2, 9, 9]], "int64")
    assert tokenizer.decode(rows) == ["a dog", ""]
    assert tokenizer.decode([]) == []
    assert tokenizer.decode([[]]) == [""]


def test_ids_of_another_vocabulary_are_refused(tokenizer: Tokenizer) -> None:
    for ids in ([5, 400], [-1]):
        with pytest.raises(InputError, match="expected 0 to 399"):
            tokenizer.decode([ids])


def test_one_string_is_not_a_list_of_texts(tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="expected a list of strings"):
        tokenizer.encode("a dog")
    with pytest.raises(InputError, match="is 5, expected a string"):
        tokenizer.encode(["a dog", 5])  # type: ignore[list-item]


def test_the_graph_tokenizer_agrees(tokenizer: Tokenizer, corpus: ParallelCorpus) -> None:
    texts = [*ODD, *corpus.sources[:500], *corpus.targets[:500]]
    assert_graph_agrees(tokenizer, texts)


def test_the_graph_tokenizer_agrees_on_multi30k() -> None:
    folder = cache_folder("multi30k")
    if not (folder / "train.de.gz").exists():
        pytest.skip(f"the Multi30k files are not in {folder} (set KERAS_TRANSFORMER_HOME)")
    train = datasets.load("multi30k").train
    assert_graph_agrees(Tokenizer.train(train, vocab_size=8000), [*train.sources, *train.targets])


def assert_graph_agrees(tokenizer: Tokenizer, texts: list[str]) -> None:
    """Encode and decode in TensorFlow graphs, where tensorflow-text does the work, and compare."""
    import tensorflow as tf

    layer = tokenizer.keras_hub_layer
    graph = tf.data.Dataset.from_tensors(texts).map(layer)
    ids = next(iter(graph))
    assert isinstance(ids, tf.RaggedTensor)
    assert ids.to_list() == tokenizer.encode(texts)
    back = tf.function(layer.detokenize)(ids)
    assert [text.decode() for text in back.numpy()] == tokenizer.decode(tokenizer.encode(texts))


def test_training_gives_the_same_bytes_in_another_process_without_tensorflow(
    tmp_path: Path, corpus: ParallelCorpus, run_bare: Callable[..., str]
) -> None:
    for side, lines in (("en", corpus.sources), ("de", corpus.targets)):
        (tmp_path / side).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = [tmp_path / "en", tmp_path / "de"]
    here = Tokenizer.train(files, vocab_size=400)
    assert here == Tokenizer.train([read_lines(path) for path in files], vocab_size=400)
    script = """
from keras_transformer.text.tokenizer import Tokenizer
tokenizer = Tokenizer.train(sys.argv[3:], vocab_size=400)
assert tokenizer.decode(tokenizer.encode(["ein \u65e5 Hund"])) == ["ein \u65e5 Hund"]
print(tokenizer.fingerprint)
"""
    assert run_bare(script, *files).strip() == here.fingerprint


def test_vocabularies_too_large_or_too_small_name_the_limit_and_the_limit_works() -> None:
    text = [["a dog runs over the street", "ein Hund läuft über die Straße"]]
    limits = []
    for size, told in ((100, r"tokenizer\.vocab_size=(\d+) or more"), (9999, r"vocab_size=(\d+) or less")):
        with pytest.raises(InputError, match=told) as caught:
            Tokenizer.train(text, vocab_size=size)
        limits.append(int(str(caught.value).split("tokenizer.vocab_size=")[1].split(" ")[0]))
    smallest, largest = limits
    assert Tokenizer.train(text, vocab_size=smallest).vocab_size == smallest < largest
    assert Tokenizer.train(text, vocab_size=largest).vocab_size == largest
    with pytest.raises(InputError):
        Tokenizer.train(text, vocab_size=smallest - 1)
    with pytest.raises(InputError):
        Tokenizer.train(text, vocab_size=largest + 1)
    with pytest.raises(InputError, match="positive"):
        Tokenizer.train(text, vocab_size=0)


def test_training_needs_text_and_takes_strings_as_paths(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no text to learn from"):
        Tokenizer.train([["", "  "]], vocab_size=300)
    with pytest.raises(InputError, match="a string is taken as the path"):
        Tokenizer.train(["A dog runs."], vocab_size=300)


def test_a_fixed_choice_is_learned_from(corpus: ParallelCorpus) -> None:
    some = [Tokenizer.train(corpus, vocab_size=320, max_sentences=200) for _ in range(2)]
    assert some[0] == some[1] != Tokenizer.train(corpus, vocab_size=320)


def test_saved_and_loaded(tmp_path: Path, tokenizer: Tokenizer) -> None:
    path = tmp_path / "run" / "tokenizer.model"
    tokenizer.save(path)
    assert [entry.name for entry in path.parent.iterdir()] == ["tokenizer.model"]
    assert Tokenizer.load(path) == tokenizer == pickle.loads(pickle.dumps(tokenizer))
    assert sentencepiece.SentencePieceProcessor(model_file=str(path)).vocab_size() == 400


def foreign_model(**options: object) -> bytes:
    model = io.BytesIO()
    settings = {
        "vocab_size": 300,
        "model_type": "bpe",
        "byte_fallback": True,
        "pad_id": 0,
        "bos_id": 1,
        "eos_id": 2,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a dog runs over the street", "ein Hund läuft über die Straße"]),
        model_writer=model,
        minloglevel=2,
        **{**settings, "unk_id": 3, **options},
    )
    return model.getvalue()


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (b"", "is not a SentencePiece model"),
        (b"not a model", "is not a SentencePiece model"),
        (foreign_model(pad_id=-1, unk_id=0), "has the special ids pad=-1 bos=1 eos=2 unk=0, expected pad=0"),
        (foreign_model(byte_fallback=False, vocab_size=40), "has no byte fallback"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, model: bytes, told: str) -> None:
    path = tmp_path / "foreign.model"
    path.write_bytes(model)
    with pytest.raises(InputError, match=told) as caught:
        Tokenizer.load(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_model_and_an_unwritable_folder_are_said(tmp_path: Path, tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Tokenizer.load(tmp_path / "none.model")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        tokenizer.save(tmp_path / "file" / "tokenizer.model")
