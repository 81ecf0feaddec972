"""The worst batch first: a run that does not fit into memory says so before it has worked."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import keras

from keras_transformer.errors import InputError
from keras_transformer.training.config import RunConfig
from keras_transformer.training.state import model_state, restore_model_state

_SIGNS = ("RESOURCE_EXHAUSTED", "ResourceExhausted", "OOM when", "out of memory")


def run_largest_batch(model: keras.Model, batches: Any, config: RunConfig) -> None:
    """Make one update with the batch that needs most memory, and undo it.

    Weights, optimizer and random state are put back, so it leaves no trace; the training step it compiles is the one
    that `fit` goes on with.

    Args:
        model: compiled.
        batches: `TokenBatches`.
        config: the run.

    Raises:
        InputError: the device's memory does not hold it.
    """
    from keras_transformer.text.tf_dataset import as_dataset

    before = model_state(model)
    batch = batches.largest()
    try:
        # The type must be that of the dataset that `fit` will read: TensorFlow compiles a training step for it.
        one = as_dataset(lambda: iter([batch]), 1, batches.packed_shape)
        model.fit(one, epochs=1, steps_per_epoch=1, shuffle=False, verbose=0)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        (source, target_in, *_), *_ = batch
        raise InputError(
            f"The largest batch ({source.shape[0]} rows of {source.shape[1]} and {target_in.shape[1]} subwords) does "
            f"not fit into memory; lower training.tokens_per_batch ({config.training.tokens_per_batch}) or "
            "data.max_length."
        ) from error
    restore_model_state(model, before)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a backend says with it that a device's memory does not suffice."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in _SIGNS)


def peak_memory() -> int:
    """The most bytes that this process has had in memory so far; 0 where the system does not say."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    try:
        import resource
    except ImportError:  # not a POSIX system
        return 0
    # Not on Linux, where a new process begins with the figure of the one that started it.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident_memory(process: int) -> int:
    """Bytes that a process has in memory now; 0 where the system does not say, or it has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def free_memory() -> int | None:
    """Bytes that a new process could take: what is available, or what the container's limit leaves of it.

    Returns:
        The number, None where the system does not say (no /proc).

    Example:
        >>> free = free_memory()
        >>> free is None or free > 0
        True
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None
    group = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError, ValueError):  # no such limit
        used = int((group / "memory.current").read_text()) - _reclaimable(group / "memory.stat")
        free = min(free, max(int((group / "memory.max").read_text()) - used, 1))
    return free


def _reclaimable(statistics: Path) -> int:
    """Bytes of a container's memory that hold files and are given up when others need them."""
    named = (line.split() for line in statistics.read_text().splitlines())
    return next((int(value) for name, value in named if name == "inactive_file"), 0)
