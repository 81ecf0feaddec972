"""Dropout that draws the same noise on every replica is named; ours is healthy."""

import json
import os
import subprocess
import sys

import pytest

from tests.beside import ROOT


@pytest.mark.tensorflow_backend
def test_noise_that_is_the_same_on_two_replicas() -> None:
    program = ROOT / "tests/diagnostics/doctor/two_replicas.py"
    environment = os.environ | {"KERAS_BACKEND": "tensorflow"}
    result = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    verdicts = json.loads(result.stdout.splitlines()[-1])
    noise, replicas = ["noise of dropout", "pass", None], ["noise on replicas", "pass", None]
    assert verdicts["healthy"] == [noise, replicas]
    assert verdicts["stock"] == [noise, ["noise on replicas", "fail", "dropout-same-on-replicas"]]
