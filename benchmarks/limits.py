"""Nothing takes unbounded time."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 900.0
"""Seconds that a worker has to start, and a round beyond its own."""


@contextmanager
def end_after(seconds: float, what: str, advice: str = "") -> Iterator[None]:
    """End this process with a sentence if the block takes longer.

    Nothing gentler stops a framework in the middle of an operation; what may be slow and need not be in this process is
    a worker's.

    Args:
        seconds: that it may take.
        what: that it does.
        advice: what to do about it, the end of the sentence.
    """
    sentence = f"{what} took longer than {seconds:,.0f} s, so the process was ended{advice}."
    timer = threading.Timer(seconds, _end, [sentence])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
    os._exit(1)
