"""The whole suite again on JAX and PyTorch, each in a process of its own, beside this one.

Keras fixes its backend when it is first imported, so one process cannot test two. The processes start with this run
(`other_backends` in conftest.py) and are waited for here, at its end. A run that was asked for one backend
(`KERAS_BACKEND=jax pytest`) stays on it.
"""

import re
import subprocess

import pytest

from tests.other_backends import BACKEND, OTHERS, Child, installed

LIMIT_SECONDS = 1200

pytestmark = [
    pytest.mark.skipif(BACKEND != "tensorflow", reason=f"asked for {BACKEND} only; plain `pytest` covers all backends"),
    pytest.mark.timeout(LIMIT_SECONDS + 60),
]


@pytest.mark.parametrize("backend", OTHERS)
def test_suite_passes_on(backend: str, other_backends: dict[str, Child], backend_summaries: dict[str, str]) -> None:
    if not installed(backend):
        pytest.skip(f"{backend} is not installed: pip install '.[{backend}]'")
    child = other_backends[backend]
    try:
        end = str(child.process.wait(timeout=LIMIT_SECONDS))
    except subprocess.TimeoutExpired:
        end = f"no end after {LIMIT_SECONDS} s more"
    output = child.log.read_text(encoding="utf-8", errors="replace").strip()
    backend_summaries[backend] = output.rsplit("\n", 1)[-1].strip("= ")
    if end != "0":
        failures = re.split(r"^=+ (?:FAILURES|ERRORS) =+$", output, maxsplit=1, flags=re.MULTILINE)[-1]
        pytest.fail(f"pytest on {backend} ended with {end}:\n{failures[-20_000:]}", pytrace=False)
