"""The whole suite again on JAX and PyTorch, and a share of it on TensorFlow, in processes beside this one.

They start with this run (`beside` in conftest.py) and are waited for here, at its end. A run that was asked for one
backend (`KERAS_BACKEND=jax pytest`), or for none of these tests, starts none.
"""

import re

import pytest

from tests.beside import BACKEND, PARTS, Beside, Part

LIMIT_SECONDS = 1200

pytestmark = [
    pytest.mark.skipif(BACKEND != "tensorflow", reason=f"asked for {BACKEND} only; plain `pytest` covers all backends"),
    pytest.mark.timeout(LIMIT_SECONDS + 60),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_tests_pass_in(part: Part, beside: Beside, summaries: dict[str, str]) -> None:
    if not part.possible:
        pytest.skip(f"{part.backend} is not installed: pip install '.[{part.backend}]'")
    try:
        status, output = beside.end(part, LIMIT_SECONDS)
    except TimeoutError:
        pytest.fail(f"no end of {part.name} after {LIMIT_SECONDS} s more", pytrace=False)
    summaries[part.name] = output.rsplit("\n", 1)[-1].strip("= ")
    if status != 0:
        failures = re.split(r"^=+ (?:FAILURES|ERRORS) =+$", output, maxsplit=1, flags=re.MULTILINE)[-1]
        pytest.fail(f"pytest of {part.name} ended with {status}:\n{failures[-20_000:]}", pytrace=False)
