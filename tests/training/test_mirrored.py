"""One device and two replicas must train alike."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.training.mirrored_run import SETTINGS

pytestmark = pytest.mark.tensorflow_backend


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Results by number of replicas; a process each, since a process has one strategy and one set of devices."""
    folder = tmp_path_factory.mktemp("mirrored")
    program = Path(__file__).with_name("mirrored_run.py")
    environment = os.environ | {"KERAS_BACKEND": "tensorflow"}
    processes = {
        replicas: subprocess.Popen(
            [sys.executable, program, str(replicas), folder / f"{replicas}.npz"],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for replicas in (1, 2)
    }
    for process in processes.values():
        _, errors = process.communicate(timeout=280)
        assert process.returncode == 0, errors[-4000:]
    return {replicas: dict(np.load(folder / f"{replicas}.npz")) for replicas in processes}


def test_losses_and_weights_after_ten_steps_are_those_of_one_device(runs):
    one, two = runs[1], runs[2]
    assert len(one["losses"]) == 10
    assert one["shapes"] == one["buckets"] > 2  # every bucket shape was in it
    np.testing.assert_allclose(two["losses"], one["losses"], atol=1e-5)
    states = [name for name in one if name.startswith(("model/", "optimizer/"))]
    assert len(states) > 60
    for name in states:
        np.testing.assert_allclose(two[name], one[name], atol=1e-5, err_msg=name)


def test_metrics_are_those_of_the_whole_batch(runs):
    for name in ("token_accuracy", "perplexity"):
        assert runs[2][name] == pytest.approx(runs[1][name], rel=1e-5)


def test_what_replicas_would_train_wrongly_is_refused(runs):
    accepted = {"plain", "bfloat16"}
    for name, message in zip(SETTINGS, runs[2]["refusals"], strict=True):
        assert (name in accepted) == (message == ""), (name, message)
        assert name in accepted or (name.split("_")[0] in message and "2 replicas; " in message)
    float16 = runs[2]["refusals"][list(SETTINGS).index("float16")]
    assert "bfloat16" in float16
    assert set(runs[1]["refusals"]) == {""}


def test_replicas_drop_different_values(runs):
    first, second = runs[2]["dropped"]
    np.testing.assert_array_equal(first, runs[1]["dropped"][0])
    assert set(np.unique(first)) == set(np.unique(second)) == {0.0, 2.0}
    assert 10 < (first != second).sum() < 54
