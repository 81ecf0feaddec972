"""A run that was killed again and again ends in the same bits as one that was not."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from keras_transformer.training.checkpoints import list_checkpoints, load_checkpoint
from keras_transformer.training.files import read_json

SCRIPT = Path(__file__).with_name("small_run.py")
# Two TensorFlow runs with several threads in a product differ in the last bits, interrupted or not.
ONE_THREAD = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1", "OMP_NUM_THREADS": "1"}


pytestmark = pytest.mark.timeout(900)  # five short processes one after the other, on a machine that may be busy


def start(out: Path, *death: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(out), *death]
    cache = {"JAX_COMPILATION_CACHE_DIR": str(out.parent / "cache"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    environment = {**os.environ, **ONE_THREAD, **cache}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process: subprocess.Popen[str]) -> int:
    output, _ = process.communicate(timeout=600)
    assert process.returncode in (0, -signal.SIGKILL, 128 + signal.SIGTERM), output[-3000:]
    return process.returncode


def lines(run: Path) -> list[dict[str, object]]:
    """metrics.jsonl without what a clock says."""
    read = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key not in ("seconds", "tokens_per_second")} for line in read]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run that was left alone, and one that was not."""
    folder = tmp_path_factory.mktemp("resume")
    calm, stormy = folder / "calm", folder / "stormy"
    assert ended(start(calm)) == 0

    assert ended(start(stormy, "checkpoint:2")) == -signal.SIGKILL
    assert [path.name for path in list_checkpoints(stormy / "checkpoints")] == ["step-00000010"]
    assert ended(start(stormy, "best:1")) == -signal.SIGKILL  # at 15, after the checkpoint of 10
    (stormy / "best" / ".tmp-model.keras").touch()
    # 10 + 45 updates: at a step of no other meaning, late enough to push a member of the average out.
    assert ended(start(stormy, "term:45")) == 128 + signal.SIGTERM
    assert not (stormy / "result.json").exists()
    damaged = list_checkpoints(stormy / "checkpoints")[-1]
    assert damaged.name == "step-00000055"
    content = bytearray((damaged / "arrays.npz").read_bytes())
    content[len(content) // 2] ^= 1
    (damaged / "arrays.npz").write_bytes(content)
    assert ended(start(stormy)) == 0
    return calm, stormy


def test_weights_optimizer_and_random_state_are_equal_to_the_bit(runs: tuple[Path, Path]) -> None:
    calm, stormy = (list_checkpoints(run / "checkpoints") for run in runs)
    assert [path.name for path in calm] == [path.name for path in stormy] == [f"step-000000{n}" for n in (40, 50, 60)]
    for left, right in zip(calm, stormy, strict=True):
        expected, found = load_checkpoint(left).arrays, load_checkpoint(right).arrays
        assert expected.keys() == found.keys()
        assert any(name.startswith("optimizer/") for name in found)
        assert any("seed_generator" in name for name in found)
        for name, array in expected.items():
            np.testing.assert_array_equal(array, found[name], err_msg=f"{name} at {left.name}", strict=True)


def test_metrics_are_equal_and_there_once(runs: tuple[Path, Path]) -> None:
    calm, stormy = map(lines, runs)
    assert calm == stormy
    assert [line["step"] for line in stormy if line["kind"] == "train"] == list(range(4, 61, 4))
    assert [line["step"] for line in stormy if line["kind"] == "validation"] == [15, 30, 45, 60]


def test_best_average_and_result_are_equal(runs: tuple[Path, Path]) -> None:
    calm, stormy = runs
    for which in ("best", "average"):
        assert read_json(calm / which / "score.json") == read_json(stormy / which / "score.json") is not None
    assert read_json(calm / "average" / "score.json")["steps"] == [40, 50, 60]
    results = [read_json(run / "result.json") for run in runs]
    assert {**results[0], "seconds": 0} == {**results[1], "seconds": 0}


def test_nothing_temporary_is_left(runs: tuple[Path, Path]) -> None:
    calm, stormy = ({path.relative_to(run) for path in run.rglob("*") if "logs" not in path.parts} for run in runs)
    assert calm == stormy
