"""The one error a person can do something about."""


class InputError(ValueError):
    """Bad input from outside: a file, a setting, a name.

    The message is one sentence that says what was received, what was expected and the fix. The command line
    prints it without a traceback and exits with code 2.

    Example:
        >>> raise InputError("--beam-size is 0, at least 1 is needed.")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: --beam-size is 0, at least 1 is needed.
    """
