"""Checkpoints that a crash cannot spoil: written aside, checksummed, then renamed."""

import json
import logging
import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.training.array_file import file_sha256, read_arrays, write_arrays
from keras_transformer.training.state import model_state, restore_model_state

__all__ = [
    "Checkpoint",
    "LatestCheckpoint",
    "checkpoint_step",
    "latest_checkpoint",
    "list_checkpoints",
    "load_checkpoint",
    "model_state",
    "restore_model_state",
    "save_checkpoint",
]

_ARRAYS, _MANIFEST, _FORMAT = "arrays.npz", "manifest.json", 1
_ASIDE = ".writing-"
# A checkpoint being replaced by one of the same step waits under this name, so that one of the two is always
# there.
_FINISHED = re.compile(r"step-(\d{8,})(\.replaced)?")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint read and verified.

    Attributes:
        path: its directory.
        step: number of updates done.
        arrays: arrays by name, as `model_state` gives them.
        metadata: what else was saved with them.
    """

    path: Path
    step: int
    arrays: dict[str, np.ndarray]
    metadata: dict[str, Any]


class LatestCheckpoint(NamedTuple):
    """The newest checkpoint that is whole, and a sentence for each newer one that is not.

    Attributes:
        checkpoint: the checkpoint, None if there is no whole one.
        warnings: one sentence per damaged checkpoint passed over, newest first.
    """

    checkpoint: Checkpoint | None
    warnings: tuple[str, ...]


def save_checkpoint(
    directory: str | os.PathLike[str],
    step: int,
    arrays: Mapping[str, np.ndarray],
    metadata: Mapping[str, Any],
    keep: int | None = None,
) -> Path:
    """Write `directory/step-00001000/` so that it is either wholly there or not at all.

    Arrays and manifest are written into a hidden directory beside the target, flushed to the disk, and the
    directory is renamed. After a kill at any moment `latest_checkpoint` finds either this one or the one
    before.

    Args:
        directory: where checkpoints are kept; made if it is missing.
        step: number of updates done, at least 0. A checkpoint of the same step is replaced.
        arrays: arrays by name.
        metadata: anything JSON can hold.
        keep: how many checkpoints stay, counting this one and those of earlier steps; None for all.

    Returns:
        The checkpoint's directory.

    Raises:
        InputError: the step or `keep` makes no sense, the arrays or metadata cannot be stored, or the disk
            refuses.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = save_checkpoint(folder, 1000, {"w": np.ones(2)}, {"best": 31.5})
        ...     path.name, load_checkpoint(path).metadata
        ('step-00001000', {'best': 31.5})
    """
    if isinstance(step, bool) or not isinstance(step, int | np.integer) or step < 0:
        raise InputError(f"A checkpoint's step is {step!r}; it must be a whole number of at least 0.")
    if keep is not None and keep < 1:
        raise InputError(f"keep is {keep}; the checkpoint just written must stay, so give 1 or more.")
    directory = Path(directory)
    try:
        aside = _aside(directory)
        aside.mkdir(parents=True)
        try:
            _write(aside, int(step), arrays, metadata)
            path = _publish(aside, directory / f"step-{int(step):08d}")
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        _clean(directory, int(step), keep)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"Cannot write a checkpoint into {directory}: {reason}; free or choose another place."
        ) from error
    return path


def list_checkpoints(directory: str | os.PathLike[str]) -> list[Path]:
    """List the finished checkpoints of a directory, oldest step first; nothing is read or verified.

    Args:
        directory: where checkpoints are kept; it may be missing.

    Returns:
        Their directories.
    """
    directory = Path(directory)
    if not directory.is_dir():
        return []
    finished = [path for path in directory.iterdir() if _FINISHED.fullmatch(path.name)]
    return sorted(finished, key=lambda path: (checkpoint_step(path), not path.suffix))


def checkpoint_step(path: str | os.PathLike[str]) -> int:
    """Step in the name of a checkpoint's directory.

    Raises:
        InputError: the name is not that of a checkpoint.

    Example:
        >>> checkpoint_step("run/checkpoints/step-00001000")
        1000
    """
    found = _FINISHED.fullmatch(Path(path).name)
    if not found:
        raise InputError(f"{path} is not a checkpoint; expected a directory named like step-00001000.")
    return int(found[1])


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint and verify both its files; nothing in them is ever executed.

    Args:
        path: a directory written by `save_checkpoint`.

    Returns:
        The checkpoint.

    Raises:
        InputError: the checkpoint is missing or damaged; the sentence says where and how.
    """
    path = Path(path)
    step = checkpoint_step(path)
    try:
        manifest = json.loads((path / _MANIFEST).read_bytes())
        if manifest.pop("sha256") != _manifest_sha256(manifest):
            raise ValueError(f"{_MANIFEST} does not have its own checksum")
        if manifest["format"] != _FORMAT:
            raise ValueError(f"its format is {manifest['format']}, this version reads {_FORMAT}")
        if manifest["step"] != step:
            raise ValueError(f"{_MANIFEST} is of step {manifest['step']}")
        if file_sha256(path / _ARRAYS) != manifest["arrays_sha256"]:
            raise ValueError(f"{_ARRAYS} does not have the checksum in {_MANIFEST}")
        arrays = read_arrays(path / _ARRAYS, manifest["arrays"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"Checkpoint {path} is damaged or incomplete ({reason}); remove it or use another.") from error
    return Checkpoint(path, step, arrays, manifest["metadata"])


def latest_checkpoint(directory: str | os.PathLike[str]) -> LatestCheckpoint:
    """Find and read the newest checkpoint that is whole, passing over damaged ones.

    Args:
        directory: where checkpoints are kept; it may be missing or empty.

    Returns:
        The checkpoint, or None, and a sentence for each damaged one passed over, which is logged too.
    """
    warnings: list[str] = []
    for path in reversed(list_checkpoints(directory)):
        try:
            return LatestCheckpoint(load_checkpoint(path), tuple(warnings))
        except InputError as error:
            warnings.append(f"{error} Passed over.")
            _LOG.warning(warnings[-1])
    return LatestCheckpoint(None, tuple(warnings))


def _aside(directory: Path) -> Path:
    return directory / f"{_ASIDE}{secrets.token_hex(8)}"


def _write(aside: Path, step: int, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
    """Write and flush the two files of a checkpoint."""
    index = write_arrays(aside / _ARRAYS, arrays)
    digest = file_sha256(aside / _ARRAYS)
    manifest: dict[str, Any] = {"format": _FORMAT, "step": step, "arrays_sha256": digest, "arrays": index}
    try:
        # Through JSON and back, so that the checksum is that of what will be read.
        manifest = json.loads(json.dumps(manifest | {"metadata": dict(metadata)}))
    except TypeError as error:
        raise InputError(f"A checkpoint's metadata must be plain JSON values: {error}.") from error
    manifest["sha256"] = _manifest_sha256(manifest)
    with (aside / _MANIFEST).open("w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    _flush_directory(aside)


def _manifest_sha256(manifest: Mapping[str, Any]) -> str:
    return sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _publish(aside: Path, target: Path) -> Path:
    """Rename the written directory to its final name, an older one of the same step out of the way first."""
    replaced = target.with_name(f"{target.name}.replaced")
    if target.exists():
        _discard(replaced)
        target.rename(replaced)
    aside.rename(target)
    _flush_directory(target.parent)
    _discard(replaced)
    return target


def _discard(path: Path) -> None:
    """Delete a checkpoint, under another name: half-deleted it must not look like a finished one."""
    if path.exists():
        gone = _aside(path.parent)
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _clean(directory: Path, step: int, keep: int | None) -> None:
    """Delete what earlier crashes left, and all but the last `keep` checkpoints up to this step.

    Later steps are not touched: they are damaged ones that were passed over, or somebody's other run.
    """
    for left in directory.glob(f"{_ASIDE}*"):
        shutil.rmtree(left, ignore_errors=True)
    upto = [path for path in list_checkpoints(directory) if checkpoint_step(path) <= step]
    for path in upto[: -keep if keep else 0]:
        _discard(path)


def _flush_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
