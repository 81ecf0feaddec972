"""Named parallel corpora: built in, from the cache folder, or downloaded."""

import difflib
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from keras_transformer.errors import InputError
from keras_transformer.text.datasets.dataset import ParallelDataset

__all__ = ["ParallelDataset", "load", "names"]

# Name: module and function, imported when first used.
_LOADERS = {
    "multi30k": ("multi30k", "load_multi30k"),
    "phrases": ("phrases", "load_phrases"),
    "wmt14": ("wmt14", "load_wmt14"),
}


def names() -> list[str]:
    """The data sets that `load` knows.

    Example:
        >>> names()
        ['multi30k', 'phrases', 'wmt14']
    """
    return sorted(_LOADERS)


def load(name: str, source: str = "en", target: str = "de", **options: Any) -> ParallelDataset:
    """A data set by its name.

    Args:
        name: one of `names()`, or with its languages, such as `"wmt14-en-de"`, which then count.
        source: code of the language to translate from.
        target: code of the language to translate into.
        **options: options of the data set itself.

    Returns:
        Its train, validation and test splits.

    Raises:
        InputError: there is no such data set, language or option, or its files cannot be had.

    Example:
        >>> load("multi30")
        Traceback (most recent call last):
        ...
        keras_transformer.errors.InputError: There is no data set 'multi30'; did you mean 'multi30k'? ...
    """
    parts = name.split("-")
    if len(parts) == 3:
        name, source, target = parts
    if name not in _LOADERS:
        raise InputError(f"There is no data set {name!r}{_suggestion(name, names())}")
    module, function = _LOADERS[name]
    loader: Callable[..., ParallelDataset] = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    known = [option for option in inspect.signature(loader).parameters if option not in ("source", "target")]
    for option in options:
        if option not in known:
            raise InputError(f"The data set {name} has no option {option!r}{_suggestion(option, known)}")
    return loader(source=source, target=target, **options)


def _suggestion(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    meant = f"did you mean {close[0]!r}? Known" if close else "known"
    return f"; {meant} are {', '.join(known) or 'none'}."
