"""Writing files so that a reader sees the old content or the new, never half of it."""

import contextlib
import os
from pathlib import Path

from keras_transformer.errors import InputError


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file under a temporary name, flush it to disk and rename it into place.

    Args:
        path: the file; folders on the way to it are made.
        data: its content.

    Raises:
        InputError: the folder cannot be made or written to.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "deep", "a.bin")
        >>> write_atomically(path, b"abc")
        >>> path.read_bytes(), [entry.name for entry in path.parent.iterdir()]
        (b'abc', ['a.bin'])
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise InputError(
            f"{path}: cannot be written ({error.strerror or error}); choose a folder you may write to."
        ) from None
