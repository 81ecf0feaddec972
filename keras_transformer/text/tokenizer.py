"""Text to subword ids and back."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.text.files import write_atomically
from keras_transformer.text.tokenizer_training import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    UNK_ID,
    TrainingText,
    train_model,
)

__all__ = ["Tokenizer"]

_SPECIAL_IDS = {"pad": PAD_ID, "bos": BOS_ID, "eos": EOS_ID, "unk": UNK_ID}


class Tokenizer:
    """A subword vocabulary shared by both languages: byte-pair encoding with bytes as the last resort.

    The paper shares one byte-pair vocabulary between source and target (section 5.1). The model is a
    SentencePiece file, used in two places with the same result: here through SentencePiece itself, which
    needs no TensorFlow, and inside TensorFlow graphs through keras-hub's `SentencePieceTokenizer`
    (`keras_hub_layer`).

    Ids 0 to 3 are padding, begin, end and unknown. No text becomes one of them: a character outside the
    vocabulary is spelled in the bytes of its UTF-8, and text such as `</s>` is spelled like any other.
    `decode(encode(text))` is `normalize(text)`.

    Args:
        proto: a serialized SentencePiece model with these special ids and byte fallback.

    Raises:
        InputError: the bytes are not such a model.

    Example:
        >>> tokenizer = Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> tokenizer.decode(tokenizer.encode(["a Hund", "日本"]))
        ['a Hund', '日本']

    Reference:
        Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016,
        https://arxiv.org/abs/1508.07909; https://github.com/google/sentencepiece
    """

    pad_id = PAD_ID
    bos_id = BOS_ID
    eos_id = EOS_ID
    unk_id = UNK_ID

    def __init__(self, proto: bytes) -> None:
        self.proto = proto
        self._processor = _open_model(proto, "The tokenizer model")

    @classmethod
    def train(cls, text: TrainingText, vocab_size: int, *, max_sentences: int = 2_000_000) -> Self:
        """Learn a vocabulary. The same text gives the same bytes, on any number of cores.

        Args:
            text: a `ParallelCorpus`, a file, or a list of these; sentences in memory are a list in the list.
            vocab_size: number of pieces, the 4 special ones and the 256 bytes included.
            max_sentences: most sentences learned from; a fixed choice is made among more.

        Returns:
            The tokenizer.

        Raises:
            InputError: a file cannot be read, or the text does not allow a vocabulary of this size.

        Example:
            >>> Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280).vocab_size
            280
        """
        return cls(train_model(text, vocab_size, max_sentences))

    @classmethod
    def load(cls, path: str | Path) -> "Tokenizer":
        """Read a SentencePiece model from a file and check its special ids.

        Args:
            path: the `.model` file.

        Returns:
            The tokenizer; a `TokenizerPair` if that is what was saved.

        Raises:
            InputError: there is no such file, or it is not a model this package can use.

        Example:
            >>> import tempfile, pathlib
            >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.model")
            >>> Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280).save(path)
            >>> Tokenizer.load(path).vocab_size
            280
        """
        tokenizer = Tokenizer(_read_model(path))
        if not source_path(path).is_file():
            return tokenizer
        from keras_transformer.text.tokenizer_pair import TokenizerPair

        return TokenizerPair(Tokenizer(_read_model(source_path(path))), tokenizer)

    @property
    def source(self) -> "Tokenizer":
        """What encodes sources: this one, but for a `TokenizerPair`."""
        return self

    def save(self, path: str | Path) -> None:
        """Write the model file atomically.

        Args:
            path: the file; folders on the way to it are made.

        Raises:
            InputError: the folder cannot be written to.
        """
        write_atomically(path, self.proto)

    @cached_property
    def vocab_size(self) -> int:
        """Number of pieces, the special ones included."""
        return int(self._processor.vocab_size())

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of the model file."""
        return hashlib.sha256(self.proto).hexdigest()

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Turn texts into ids, without begin or end.

        Args:
            texts: the texts; a lone surrogate becomes U+FFFD.

        Returns:
            One list of ids per text, empty for a blank one.

        Raises:
            InputError: `texts` is not a list of strings.

        Example:
            >>> tokenizer = Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280)
            >>> tokenizer.encode(["", " "])
            [[], []]
        """
        if isinstance(texts, str):
            raise InputError(f"encode was given the string {texts[:40]!r}, expected a list of strings.")
        texts = list(texts)
        if not texts:
            return []
        try:
            return self._processor.encode(texts)
        except (TypeError, UnicodeEncodeError, RuntimeError):
            return self._processor.encode([_without_surrogates(text) for text in texts])

    def decode(self, sequences: Iterable[Sequence[int] | np.ndarray]) -> list[str]:
        """Turn ids into texts; a sequence ends before its first end id, other special ids are left out.

        Args:
            sequences: sequences of ids, or a matrix of them.

        Returns:
            One text per sequence; bytes that are not UTF-8 become U+FFFD.

        Raises:
            InputError: an id is outside the vocabulary.

        Example:
            >>> tokenizer = Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280)
            >>> ids = tokenizer.encode(["a dog"])[0]
            >>> tokenizer.decode([[1, *ids, 2, *ids, 0]])
            ['a dog']
        """
        plain = [self._plain_ids(sequence) for sequence in sequences]
        return self._processor.decode(plain) if plain else []

    def _plain_ids(self, sequence: Sequence[int] | np.ndarray) -> list[int]:
        ids = [int(index) for index in sequence]
        if self.eos_id in ids:
            ids = ids[: ids.index(self.eos_id)]
        if ids and not 0 <= min(ids) <= max(ids) < self.vocab_size:
            raise InputError(
                f"The ids to decode run from {min(ids)} to {max(ids)}, expected 0 to {self.vocab_size - 1}: "
                "use the tokenizer the model was trained with."
            )
        return [index for index in ids if index > UNK_ID]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Name ids for a plot: `▁` marks the start of a word.

        Args:
            ids: the ids, special ones too.

        Returns:
            One string per id.

        Example:
            >>> tokenizer = Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280)
            >>> tokenizer.pieces([1, *tokenizer.encode(["a"])[0], 2])
            ['<s>', '▁a', '</s>']
        """
        return [self._processor.id_to_piece(int(index)) for index in ids]

    def normalize(self, text: str) -> str:
        """The text as `decode(encode([text]))` gives it back.

        Unicode NFKC by SentencePiece's table; runs of spaces become one, spaces at the ends go; U+2581 reads
        as a space, a lone surrogate as U+FFFD.

        Args:
            text: any text.

        Returns:
            The normalized text.

        Example:
            >>> Tokenizer.train([["a dog", "ein Hund"]], vocab_size=280).normalize("  ﬁne   １ ")
            'fine 1'
        """
        return self._processor.normalize(_without_surrogates(text)).replace("▁", " ").lstrip(" ")

    @cached_property
    def keras_hub_layer(self) -> Any:
        """The same model as a keras-hub layer, for `tf.data` and for export; needs tensorflow-text."""
        import keras_hub

        return keras_hub.tokenizers.SentencePieceTokenizer(proto=self.proto)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.proto == other.proto

    def __hash__(self) -> int:
        return hash(self.proto)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self.proto,)

    def __repr__(self) -> str:
        return f"Tokenizer(vocab_size={self.vocab_size})"


def source_path(path: str | Path) -> Path:
    """Where a `TokenizerPair` saved at `path` keeps the source's model.

    Example:
        >>> source_path("runs/en-ja/tokenizer.model").as_posix()
        'runs/en-ja/source-tokenizer.model'
    """
    return Path(path).with_name(f"source-{Path(path).name}")


def _read_model(path: str | Path) -> bytes:
    try:
        proto = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); expected a SentencePiece model file."
        ) from None
    _open_model(proto, str(path))
    return proto


def _without_surrogates(text: str) -> str:
    if not isinstance(text, str):
        raise InputError(f"A text to encode is {text!r:.40}, expected a string.")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _open_model(proto: bytes, name: str) -> Any:
    """Load a SentencePiece model and check that its special ids and byte fallback are the package's."""
    import sentencepiece

    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=proto) if proto else None
    except (RuntimeError, OSError):
        processor = None
    if processor is None:
        raise InputError(f"{name}: is not a SentencePiece model; train one with Tokenizer.train.")
    found = {special: getattr(processor, f"{special}_id")() for special in _SPECIAL_IDS}
    if found != _SPECIAL_IDS:
        raise InputError(
            f"{name}: has the special ids {_listed(found)}, expected {_listed(_SPECIAL_IDS)}; train a "
            "tokenizer with Tokenizer.train, or use spm_train --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3."
        )
    if not processor.is_byte(processor.piece_to_id("<0x00>")):
        raise InputError(
            f"{name}: has no byte fallback, so some text would be unknown; train a tokenizer with "
            "Tokenizer.train, or use spm_train --byte_fallback."
        )
    return processor


def _listed(ids: dict[str, int]) -> str:
    return " ".join(f"{name}={index}" for name, index in ids.items())
