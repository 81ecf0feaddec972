"""Checks of what people hand to the decoder."""

from collections.abc import Sequence
from typing import Any

from keras_transformer.decoding.protocols import TokenizerLike, source_side
from keras_transformer.errors import InputError


def check_whole(name: str, value: Any, least: int, fix: str) -> None:
    """Refuse what is not a whole number of at least `least`.

    Example:
        >>> check_whole("beam_size", 0, 1, "use 1 for greedy search")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: beam_size is 0; expected a whole number of at least 1:
        use 1 for greedy search.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} is {value!r}; expected a whole number of at least {least}: {fix}.")


def check_lines(name: str, lines: Any) -> None:
    """Refuse one string, which would be read letter by letter, and lines that are not strings.

    Example:
        >>> check_lines("lines", "A dog runs.")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: lines is one str; expected a list of strings, one per line:
        put it in a list.
    """
    if isinstance(lines, str | bytes):
        kind = type(lines).__name__
        raise InputError(f"{name} is one {kind}; expected a list of strings, one per line: put it in a list.")
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise InputError(
                f"line {number} of {name} is a {type(line).__name__}; expected a string: convert it first."
            )


def check_lengths(lengths: Sequence[int], most: int | None) -> None:
    """Refuse pairs that are longer than what a model with learned positions can read.

    Example:
        >>> check_lengths([5, 9, 7], most=8)
        Traceback (most recent call last):
        keras_transformer.errors.InputError: pair 2 has 9 tokens on its longer side and the model has 8 positions:
        shorten it, or score with a model that has more.
    """
    if most is None:
        return
    for number, length in enumerate(lengths, 1):
        if length > most:
            raise InputError(
                f"pair {number} has {length} tokens on its longer side and the model has {most} positions: "
                "shorten it, or score with a model that has more."
            )


def check_tokenizer(model: Any, tokenizer: TokenizerLike) -> None:
    """Refuse a tokenizer that is not the one the model was trained with, as far as can be told."""
    config = model.config
    for name in ("pad_id", "bos_id", "eos_id"):
        ours, theirs = getattr(config, name), getattr(tokenizer, name)
        if ours != theirs:
            raise InputError(
                f"the model's {name} is {ours} and the tokenizer's {theirs}; "
                "use the tokenizer the model was trained with."
            )
    source = source_side(tokenizer)
    for name, pieces, known in (
        ("tokenizer", tokenizer.vocab_size, getattr(config, "vocab_size", None)),
        ("source's tokenizer", source.vocab_size, getattr(config, "source_symbols", None)),
    ):
        if known is not None and pieces > known:
            raise InputError(
                f"the {name} has {pieces} pieces and the model knows {known}; "
                "use the tokenizer the model was trained with."
            )
