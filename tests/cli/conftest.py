"""One way to type a command: in this process, with exit code, output and errors."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from keras_transformer.cli.main import run


@dataclass
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


class Standard(io.TextIOWrapper):
    """A standard stream over bytes in memory."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", write_through=True)


@pytest.fixture(scope="session")
def command() -> Callable[..., Outcome]:
    def type_command(*arguments: object, stdin: bytes = b"") -> Outcome:
        streams = Standard(stdin), Standard(), Standard()
        saved = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            code = run([str(argument) for argument in arguments])
        finally:
            sys.stdin, sys.stdout, sys.stderr = saved
        out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
        return Outcome(code, out, err)

    return type_command
