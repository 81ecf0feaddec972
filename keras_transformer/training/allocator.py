"""Memory that is freed stays with the process."""

import ctypes
import os

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4  # the parameters of mallopt(3)


def keep_freed_memory() -> bool:
    """Tell the C library to keep what is freed for what comes next, instead of giving it back to the system.

    A training step allocates and frees the same large tensors again and again; by default glibc asks the system for
    each large one anew, and every page of it is cleared and mapped at the first touch. That makes a training step on
    PyTorch much slower and on JAX a little; on TensorFlow it does not, so `train` does this on the other two.
    Does nothing where the allocator is not glibc's, or where the environment sets it (`MALLOC_...`).

    Returns:
        Whether it was done.

    Example:
        >>> keep_freed_memory() in (True, False)
        True
    """
    if any(name.startswith("MALLOC_") and name.endswith("_") for name in os.environ):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version") or not hasattr(library, "mallopt"):
        return False
    settings = ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, 2**31 - 1), (_TOP_PAD, 64 * 2**20))
    return [library.mallopt(*setting) for setting in settings] == [1] * len(settings)
