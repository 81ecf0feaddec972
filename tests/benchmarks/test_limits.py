"""A process that takes too long ends itself."""

import os
import subprocess
import sys
import time

import pytest

from benchmarks.limits import end_after
from tests.beside import ROOT

pytestmark = pytest.mark.backend_independent


def test_it_is_ended_with_a_sentence():
    block = "with end_after(0.2, 'sleeping', '; wake'): time.sleep(60)"
    command = [sys.executable, "-c", f"import time\nfrom benchmarks.limits import end_after\n{block}"]
    environment, began = {**os.environ, "PYTHONPATH": str(ROOT)}, time.monotonic()
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50)
    assert result.returncode == 1
    assert result.stderr == "sleeping took longer than 0 s, so the process was ended; wake.\n"
    assert time.monotonic() - began < 20


def test_what_ends_in_time_goes_on():
    with end_after(0.3, "this test"):
        pass
    time.sleep(0.5)
