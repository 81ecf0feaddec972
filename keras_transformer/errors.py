"""The one error a person can do something about."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Bad input from outside: a file, a setting, a name.

    The message is one sentence that says what was received, what was expected and the fix. The command line
    prints it without a traceback and exits with code 2.

    Example:
        >>> raise InputError("--beam-size is 0, at least 1 is needed.")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: --beam-size is 0, at least 1 is needed.
    """

    # Keras adds the arguments of the layer that raised to the message of an error without this mark.
    _keras_call_info_injected = True


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint to add to an error about an unknown name, with a leading space.

    Example:
        >>> did_you_mean("d_modle", ["d_model", "d_ff"])
        " Did you mean 'd_model'?"
    """
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f" Did you mean {close[0]!r}?" if close else f" Known: {', '.join(names)}."
