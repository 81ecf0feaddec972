"""Named arrays in one file: an uncompressed `.npz` that knows bfloat16 and holds no pickles."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from keras_transformer.errors import InputError

_PLAIN_KINDS = "biufc"


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Write the arrays and wait until they are on the disk.

    Members are called by number; the names are in the returned index only, so a name can neither clash with
    an argument of `np.savez` nor point out of the file.

    Args:
        path: file to write.
        arrays: arrays by name, of a boolean, integer, float (bfloat16 and the float8 types too) or complex
            dtype.

    Returns:
        The index: name, member, dtype and shape of each array.

    Raises:
        InputError: an array's dtype needs pickle (objects, strings, records).
    """
    index, members = [], {}
    for place, (name, array) in enumerate(arrays.items()):
        array = np.asarray(array)
        member = f"{place:05d}"
        members[member] = _as_plain(name, array)
        index.append({"name": name, "member": member, "dtype": array.dtype.name, "shape": list(array.shape)})
    with path.open("wb") as file:
        np.savez(file, **members)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    return index


def read_arrays(path: Path, index: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Read arrays written by `write_arrays`, in the order of the index.

    Raises:
        ValueError: a member is not what the index says, or would need pickle. (KeyError, OSError and
            zipfile.BadZipFile pass through.)
    """
    arrays = {}
    with np.load(path, allow_pickle=False) as members:
        for entry in index:
            array = members[entry["member"]]
            dtype = _dtype(entry["dtype"])
            if array.dtype != dtype:
                array = array.view(dtype)
            if list(array.shape) != entry["shape"]:
                raise ValueError(f"{entry['name']} has shape {array.shape}, its index says {entry['shape']}")
            arrays[entry["name"]] = array
    return arrays


def file_sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _as_plain(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind in _PLAIN_KINDS and not _is_extension(array.dtype):
        return array
    if _is_extension(array.dtype):
        # NumPy writes a foreign dtype as nameless bytes; unsigned integers of its size keep every bit.
        return array.view(f"u{array.dtype.itemsize}")
    raise InputError(
        f"Array {name!r} has dtype {array.dtype}, which a checkpoint cannot hold; give numbers or put "
        "it in the metadata."
    )


def _is_extension(dtype: np.dtype[Any]) -> bool:
    return hasattr(ml_dtypes, dtype.name)


def _dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))
