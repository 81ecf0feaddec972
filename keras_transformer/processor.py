"""What makes a process fast on the processor at hand: freed memory is kept, and TensorFlow multiplies by oneDNN."""

import ctypes
import os
import platform
import sys

ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX, _ARENA_MAX = -1, -2, -4, -8  # the parameters of mallopt(3)
_SETTINGS = ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, 2**31 - 1), (_TOP_PAD, 64 * 2**20), (_ARENA_MAX, 1))


def keep_freed_memory() -> bool:
    """Tell the C library to keep what is freed for what comes next, instead of giving it back to the system.

    A training step allocates and frees the same large tensors again and again. By default glibc asks the system for
    each large one anew, and the system clears and maps every page of it at the first touch: a page fault for each
    4 KiB. Where page faults are dear, that halves the speed. All threads share one arena, because each arena would keep
    its own. Every command of `keras-transformer` and `train` call this; a script with a `fit` of its own calls it
    once, before its first step. It does nothing where the allocator is not glibc's, or where the environment sets it
    (`MALLOC_...`, `GLIBC_TUNABLES`).

    Returns:
        Whether it was done.

    Example:
        >>> keep_freed_memory() in (True, False)
        True
    """
    if any((name.startswith("MALLOC_") and name.endswith("_")) or name == "GLIBC_TUNABLES" for name in os.environ):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version") or not hasattr(library, "mallopt"):
        return False
    return [library.mallopt(*setting) for setting in _SETTINGS] == [1] * len(_SETTINGS)


def use_onednn() -> bool:
    """Have TensorFlow multiply matrices by oneDNN on every x86 processor, unless the environment says otherwise.

    TensorFlow does so by itself only where the processor has AVX512-VNNI or newer instructions. With AVX2 alone a
    training step is slower without it. TensorFlow reads `TF_ENABLE_ONEDNN_OPTS` when it is imported,
    so `import keras_transformer` calls this first; it comes too late where TensorFlow is imported already.

    Returns:
        Whether TensorFlow will use oneDNN because of this call.

    Example:
        >>> use_onednn()  # TensorFlow is here already, or its variable is set
        False
    """
    if "tensorflow" in sys.modules or ONEDNN in os.environ or platform.machine() not in ("x86_64", "AMD64"):
        return False
    os.environ[ONEDNN] = "1"
    return True
