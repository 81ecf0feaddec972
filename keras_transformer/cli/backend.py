"""The backend, imported without the notes that its native libraries print while they load."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

from keras_transformer.processor import keep_freed_memory


def import_backend(searches: bool = False) -> None:
    """Import Keras and TensorFlow, which also reads the text on other backends, in silence; keep freed memory.

    TensorFlow tells standard error which processor features and drivers it found, whatever `TF_CPP_MIN_LOG_LEVEL` says,
    since that is before its log is set up. If the import fails, everything it said is shown.

    Args:
        searches: whether the command does little but translate. `Translator` keeps two cores busy by itself on
            TensorFlow, so on a machine of two an operation then has one thread, unless `TF_NUM_INTRAOP_THREADS` is set.

    Example:
        >>> import_backend()
        >>> "keras" in sys.modules
        True
    """
    keep_freed_memory()
    if "keras" in sys.modules and "tensorflow" in sys.modules:
        return
    with _native_silence():
        import keras

        if keras.backend.backend() == "jax":
            import jax

            jax.devices()
        with contextlib.suppress(ImportError):
            import tensorflow

            if searches and (os.cpu_count() or 1) <= 2 and "TF_NUM_INTRAOP_THREADS" not in os.environ:
                tensorflow.config.threading.set_intra_op_parallelism_threads(1)
            tensorflow.config.list_physical_devices()  # looks for drivers now rather than at the first operation


@contextlib.contextmanager
def _native_silence() -> Iterator[None]:
    """Keep file descriptor 2 in a temporary file, and replay it only after an exception."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as kept, contextlib.ExitStack() as stack:
        terminal = os.dup(2)
        stack.callback(os.close, terminal)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            os.dup2(terminal, 2)
            kept.seek(0)
            os.write(2, kept.read())
            raise
        finally:
            os.dup2(terminal, 2)
