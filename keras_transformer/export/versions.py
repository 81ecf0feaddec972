"""Where an export goes: `NAME/VERSION/`, complete or not there at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keras_transformer.errors import InputError


def version_directory(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """The directory `NAME/VERSION` that an export to `path` fills.

    TensorFlow Serving serves the highest number below `NAME`, so the last part is a whole number. When `path` does
    not end in one, it is taken as `NAME` and the version after the highest existing one is used.

    Args:
        path: `NAME/VERSION` or `NAME`, absolute or relative.
        overwrite: whether an existing version may be replaced.

    Returns:
        The path of the version directory. Nothing is created.

    Raises:
        InputError: if the version exists (and `overwrite` is false), or a file is in the way.

    Example:
        >>> version_directory("no_such_folder/en-de").as_posix()
        'no_such_folder/en-de/1'
    """
    target = Path(path)
    if not _is_version(target.name):
        _refuse_file(target)
        target = target / str(1 + max(_versions(target), default=0))
    _refuse_file(*target.parents)
    if target.exists() and not overwrite:
        following = target.with_name(str(1 + max(_versions(target.parent))))
        raise InputError(
            f"{target} exists already and an exported version is never changed by accident; "
            f"export to {following} or pass overwrite (--overwrite) to replace it."
        )
    return target


def plain_directory(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """The directory that an export without versions fills.

    Args:
        path: absolute or relative.
        overwrite: whether an existing one may be replaced.

    Returns:
        The path. Nothing is created.

    Raises:
        InputError: if it exists (and `overwrite` is false), or a file is in the way.

    Example:
        >>> plain_directory("no_such_folder/en-de-int8").as_posix()
        'no_such_folder/en-de-int8'
    """
    target = Path(path)
    _refuse_file(target, *target.parents)
    if target.exists() and not overwrite:
        raise InputError(f"{target} exists already; choose another folder or pass overwrite (--overwrite).")
    return target


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A temporary directory beside `target` that becomes `target` only if the block succeeds.

    Its name is not a number, so TensorFlow Serving does not see it, and the rename is atomic because both are in
    the same directory. If the block raises, the temporary directory is removed and `target` stays as it was.

    Args:
        target: the version directory to fill; an existing one is replaced.

    Yields:
        The temporary directory, which exists and is empty.

    Raises:
        InputError: if the directory cannot be written to.
    """
    staging = target.with_name(f".{target.name}.{os.getpid()}.partial")
    retired = target.with_name(f".{target.name}.{os.getpid()}.replaced")
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to {target.parent}: {error.strerror or error}; choose a directory you may write to."
        ) from error
    try:
        yield staging
        if target.exists():
            target.rename(retired)
        staging.rename(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(retired, ignore_errors=True)


def _refuse_file(*paths: Path) -> None:
    """Raise if one of the directories is a file."""
    obstacle = next((path for path in paths if path.exists() and not path.is_dir()), None)
    if obstacle is not None:
        raise InputError(f"{obstacle} is a file, not a directory; give a directory such as saved_models/en-de/1.")


def _is_version(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _versions(directory: Path) -> list[int]:
    """The version numbers below a model's directory."""
    if not directory.is_dir():
        return []
    return [int(entry.name) for entry in directory.iterdir() if _is_version(entry.name)]
