"""The whole suite again on JAX and PyTorch, both at once, each in a process of its own.

Keras fixes its backend when it is first imported, so one process cannot test two. A run that was asked for
one backend (`KERAS_BACKEND=jax pytest`) stays on it.
"""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OTHERS = ("jax", "torch")
DOCTESTS = ("layers", "models", "training", "decoding")  # what runs on a backend; the others run once
LIMIT_SECONDS = 1200

pytestmark = [
    pytest.mark.skipif(
        os.environ["KERAS_BACKEND"] != "tensorflow",
        reason=f"asked for {os.environ['KERAS_BACKEND']} only; plain `pytest` covers all backends",
    ),
    pytest.mark.timeout(LIMIT_SECONDS + 60),
]


@dataclass
class Child:
    """A test run on another backend and the file that takes its output."""

    process: subprocess.Popen[bytes]
    log: Path


def start(backend: str, log: Path) -> Child:
    command = [sys.executable, "-m", "pytest", "-q", "-r", "fE", "--tb=short", "-p", "no:cacheprovider"]
    command += ["tests", *(f"keras_transformer/{room}" for room in DOCTESTS)]
    environment = os.environ | {"KERAS_BACKEND": backend}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return Child(process, log)


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Child]]:
    logs = tmp_path_factory.mktemp("backends")
    started = {name: start(name, logs / f"{name}.log") for name in OTHERS if importlib.util.find_spec(name)}
    yield started
    for child in started.values():
        child.process.kill()
        child.process.wait()


def installed(backend: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(backend) is None
    return pytest.mark.skipif(missing, reason=f"{backend} is not installed: pip install '.[{backend}]'")


@pytest.mark.parametrize("backend", [pytest.param(name, marks=installed(name)) for name in OTHERS])
def test_suite_passes_on(backend: str, children: dict[str, Child], backend_summaries: dict[str, str]) -> None:
    child = children[backend]
    try:
        code = child.process.wait(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        code = f"no end after {LIMIT_SECONDS} s"
    output = child.log.read_text(encoding="utf-8", errors="replace").strip()
    backend_summaries[backend] = output.rsplit("\n", 1)[-1].strip("= ")
    if code != 0:
        failures = re.split(r"^=+ (?:FAILURES|ERRORS) =+$", output, maxsplit=1, flags=re.MULTILINE)[-1]
        pytest.fail(f"pytest on {backend} ended with {code}:\n{failures[-20_000:]}", pytrace=False)
