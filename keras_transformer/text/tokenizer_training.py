"""Learning a subword vocabulary from text."""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.text.corpus import ParallelCorpus, read_lines

PAD_ID, BOS_ID, EOS_ID, UNK_ID = 0, 1, 2, 3
NORMALIZATION = "nfkc"
CHARACTER_COVERAGE = 0.9999  # the rarest characters are spelled in bytes
_LONGEST_SENTENCE_BYTES = 1 << 20
_THREADS = 4  # written into the model file, so fixed: the same text gives the same bytes on any machine

TrainingText = ParallelCorpus | str | Path | Sequence[str | Path | ParallelCorpus | Iterable[str]]


def train_model(text: TrainingText, vocab_size: int, max_sentences: int) -> bytes:
    """Train a byte-fallback BPE model with SentencePiece.

    Args:
        text: files, corpora or iterables of sentences.
        vocab_size: number of pieces, the 4 special ones and the 256 bytes included.
        max_sentences: most sentences learned from; a fixed choice is made among more.

    Returns:
        The serialized model.

    Raises:
        InputError: there is no text, or the text does not allow a vocabulary of this size.

    Example:
        >>> len(train_model([["a dog", "ein Hund"]], vocab_size=280, max_sentences=10)) > 1000
        True
    """
    import sentencepiece

    if vocab_size < 1:
        raise InputError(f"vocab_size is {vocab_size}, expected a positive number of pieces, such as 8000.")
    sentences = _choose([line for part in _parts(text) for line in part if line.strip()], max_sentences)
    if not sentences:
        raise InputError("The tokenizer was given no text to learn from; expected at least one sentence.")
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=vocab_size,
            model_type="bpe",
            byte_fallback=True,
            character_coverage=CHARACTER_COVERAGE,
            normalization_rule_name=NORMALIZATION,
            pad_id=PAD_ID,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            unk_id=UNK_ID,
            max_sentence_length=_LONGEST_SENTENCE_BYTES,
            num_threads=_THREADS,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise _explain(error, vocab_size) from None
    return model.getvalue()


def _parts(text: TrainingText) -> Iterator[Iterable[str]]:
    for part in [text] if isinstance(text, str | Path | ParallelCorpus) else text:
        if isinstance(part, ParallelCorpus):
            yield part.sources
            yield part.targets
        elif isinstance(part, str | Path):
            if not Path(part).exists():
                raise InputError(
                    f"{str(part)[:200]}: there is no such file; a string is taken as the path of a file, "
                    "so give sentences as a list inside the list."
                )
            yield read_lines(part)
        else:
            yield part


def _choose(sentences: list[str], most: int) -> list[str]:
    if len(sentences) <= most:
        return sentences
    chosen = np.random.default_rng(0).choice(len(sentences), most, replace=False)
    return [sentences[index] for index in np.sort(chosen)]


def _explain(error: RuntimeError, vocab_size: int) -> InputError:
    """Say in one sentence what SentencePiece says about the vocabulary size."""
    too_large = re.search(r"value <= (\d+)", str(error))
    if too_large:
        return InputError(
            f"vocab_size is {vocab_size}, but this text gives at most {too_large[1]} pieces: "
            f"set tokenizer.vocab_size={too_large[1]} or less, or give more text."
        )
    too_small = re.search(r"required_chars\. \d+ vs (\d+)", str(error))
    if too_small:
        return InputError(
            f"vocab_size is {vocab_size}, but this text needs at least {too_small[1]} pieces (4 special "
            f"ones, 256 bytes and its characters): set tokenizer.vocab_size={too_small[1]} or more."
        )
    return InputError(f"SentencePiece cannot train a vocabulary of {vocab_size} pieces: {error}.")
