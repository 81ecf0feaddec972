"""Signals that ask a training run to end well."""

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupts:
    """Notes SIGTERM and SIGINT instead of dying, while used as a context.

    The training loop looks at `received` after each step. A second SIGINT (Ctrl-C) ends the process at once;
    what is on disk stays whole, since every file of a run is written under a temporary name first. In a thread
    other than the main one, where Python takes no signals, it does nothing.

    Example:
        >>> import os, signal
        >>> with Interrupts() as interrupts:
        ...     os.kill(os.getpid(), signal.SIGTERM)
        ...     interrupts.received == signal.SIGTERM
        True
    """

    received: int | None = None

    def __init__(self) -> None:
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None and number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        self.received = number
