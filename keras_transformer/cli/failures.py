"""Why a command failed, as an exit code and one sentence."""

import errno
import os

from keras_transformer.errors import InputError

INPUT = 2
UNFORESEEN = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
READER_GONE = 141  # 128 + SIGPIPE

_ADVICE = {
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.EACCES: "permission denied; choose a place you may read and write",
    errno.EPERM: "permission denied; choose a place you may read and write",
    errno.EROFS: "the file system is read-only; choose another place",
    errno.ENOSPC: "the disk is full; free some space and run the same command again",
    errno.EDQUOT: "the disk quota is used up; free some space and run the same command again",
    errno.EISDIR: "is a folder, expected a file",
    errno.ENOTDIR: "a part of the path is a file, expected a folder",
    errno.EEXIST: "exists already and is not a folder; choose another path",
}


def describe(error: BaseException) -> tuple[int, str]:
    """The exit code and the sentence for an exception.

    Args:
        error: what ended the command.

    Returns:
        The code, and the sentence without a newline; empty when there is nothing to say.

    Example:
        >>> from keras_transformer.cli.failures import describe
        >>> describe(FileNotFoundError(2, "No such file or directory", "a.en"))
        (2, 'a.en: there is no such file or folder; check the path.')
    """
    if isinstance(error, BrokenPipeError):
        return READER_GONE, ""
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return INTERRUPTED, "Interrupted."
    if isinstance(error, InputError):
        return INPUT, str(error)
    if isinstance(error, OSError) and error.errno is not None:
        return INPUT, _system_sentence(error)
    if hasattr(error, "format_message"):  # what typer raises for a wrong option or argument
        return INPUT, f"{error.format_message().rstrip('.')}. See --help."
    if type(error).__module__.startswith("pydantic"):
        return INPUT, _validation_sentence(error)
    lines = str(error).strip().splitlines() or ["no message"]
    line = lines[-1].strip() if lines[0].endswith(":") else lines[0]  # "in user code:" announces the reason below
    return UNFORESEEN, f"Unexpected {type(error).__name__}: {line.rstrip('.')}. KERAS_TRANSFORMER_DEBUG=1 shows where."


def _system_sentence(error: OSError) -> str:
    reason = _ADVICE.get(error.errno or 0) or error.strerror or os.strerror(error.errno or 0)
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return f"{' -> '.join(names)}: {reason}." if names else f"{reason[:1].upper()}{reason[1:]}."


def _validation_sentence(error: BaseException) -> str:
    findings = error.errors() if hasattr(error, "errors") else []
    if not findings:
        return str(error)
    first = findings[0]
    key = ".".join(map(str, first["loc"])) or "The configuration"
    more = f" ({len(findings) - 1} more settings are wrong.)" if len(findings) > 1 else ""
    return f"{key} is {first['input']!r:.80}: {first['msg']}.{more}"
