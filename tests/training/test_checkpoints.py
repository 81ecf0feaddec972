import errno
import importlib.util
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.training import checkpoints
from keras_transformer.training.checkpoints import (
    checkpoint_step,
    latest_checkpoint,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)

pytestmark = pytest.mark.backend_independent

STATE = {"model/w": np.arange(6, dtype="float32").reshape(2, 3)}


def names(directory):
    return sorted(path.name for path in Path(directory).iterdir())


def test_arrays_and_metadata_come_back_bit_for_bit(tmp_path):
    arrays = {
        "float32": np.float32([[1.5, -0.0], [np.nan, np.inf]]),
        "float16": np.float16([1e-7]),
        "bfloat16": np.arange(7).astype(ml_dtypes.bfloat16) / 3,
        "bfloat16 scalar": np.array(0.1, ml_dtypes.bfloat16),
        "bfloat16 columns": np.asfortranarray(np.ones((2, 3)), ml_dtypes.bfloat16).T,
        "seed": np.uint32([1, 2**32 - 1]),
        "step": np.int64(2**40),
        "flag": np.array(True),
        "empty": np.zeros((0, 4)),
        "file": np.int8([1]),
        "../../../evil": np.int32([2]),
        "/absolute/é\n": np.int32([3]),
    }
    metadata = {"best": 31.5, "nested": {"epochs": [1, 2], "none": None}, "text": "Straße"}
    path = save_checkpoint(tmp_path / "run" / "checkpoints", 1000, arrays, metadata)
    assert names(path.parent) == ["step-00001000"]
    assert names(path) == ["arrays.npz", "manifest.json"]
    assert names(tmp_path) == ["run"]
    loaded = load_checkpoint(path)
    assert (loaded.path, loaded.step, loaded.metadata) == (path, 1000, metadata)
    assert list(loaded.arrays) == list(arrays)
    for name, array in arrays.items():
        assert loaded.arrays[name].dtype == array.dtype, name
        assert loaded.arrays[name].shape == array.shape, name
        assert loaded.arrays[name].tobytes() == array.tobytes(), name


def test_a_checkpoint_is_as_readable_as_any_other_file(tmp_path):
    path = save_checkpoint(tmp_path, 1, STATE, {})
    (tmp_path / "other").mkdir()
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_last_n_stay(tmp_path):
    for step in (90, 100, 5, 100_000_000, 7):
        save_checkpoint(tmp_path / "all", step, STATE, {})
        save_checkpoint(tmp_path / "two", step, STATE, {}, keep=2)
    assert [checkpoint_step(path) for path in list_checkpoints(tmp_path / "all")] == [5, 7, 90, 100, 100_000_000]
    # Steps later than the one just saved are nobody's to delete.
    assert [checkpoint_step(path) for path in list_checkpoints(tmp_path / "two")] == [7, 100, 100_000_000]
    assert list_checkpoints(tmp_path / "missing") == []


def test_the_one_just_written_stays_beside_a_later_damaged_one(tmp_path):
    for step in (10, 20):
        save_checkpoint(tmp_path, step, STATE, {}, keep=1)
    (tmp_path / "step-00000020" / "arrays.npz").write_bytes(b"")
    save_checkpoint(tmp_path, 15, STATE, {}, keep=1)
    assert latest_checkpoint(tmp_path).checkpoint.step == 15


def test_same_step_is_replaced(tmp_path):
    save_checkpoint(tmp_path, 3, STATE, {"run": 1})
    path = save_checkpoint(tmp_path, 3, STATE, {"run": 2})
    assert load_checkpoint(path).metadata == {"run": 2}
    assert names(tmp_path) == ["step-00000003"]


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def pickled(path):
    np.savez(path / "arrays.npz", **{"00000": np.array([{"a": 1}], dtype=object)})
    manifest = json.loads((path / "manifest.json").read_text())
    del manifest["sha256"]
    manifest["arrays_sha256"] = checkpoints.file_sha256(path / "arrays.npz")
    manifest["sha256"] = checkpoints._manifest_sha256(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))


DAMAGES = {
    "bit in the arrays": lambda path: flip(path / "arrays.npz", 150),
    "last bit of the arrays": lambda path: flip(path / "arrays.npz", -1),
    "arrays cut": lambda path: os.truncate(path / "arrays.npz", 100),
    "arrays empty": lambda path: os.truncate(path / "arrays.npz", 0),
    "no arrays": lambda path: (path / "arrays.npz").unlink(),
    "manifest cut": lambda path: os.truncate(path / "manifest.json", 40),
    "manifest empty": lambda path: os.truncate(path / "manifest.json", 0),
    "manifest is a list": lambda path: (path / "manifest.json").write_text("[]"),
    "manifest is not text": lambda path: (path / "manifest.json").write_bytes(b"\xff\xfe\x00"),
    "no manifest": lambda path: (path / "manifest.json").unlink(),
    "metadata changed": lambda path: (path / "manifest.json").write_text(
        (path / "manifest.json").read_text().replace('"best": 1', '"best": 2')
    ),
    "of another step": lambda path: [
        (path / name).write_bytes((path.parent / "step-00000001" / name).read_bytes())
        for name in ("arrays.npz", "manifest.json")
    ],
    "pickle in a valid file": pickled,
    "a file": lambda path: ([file.unlink() for file in path.iterdir()], path.rmdir(), path.write_text("x")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named_and_the_one_before_used(tmp_path, caplog, damage):
    for step in (1, 2):
        path = save_checkpoint(tmp_path, step, STATE, {"best": step - 1})
    DAMAGES[damage](path)
    with pytest.raises(InputError, match=rf"{re.escape(str(path))} is damaged or incomplete \(.+\)"):
        load_checkpoint(path)
    with caplog.at_level(logging.WARNING):
        checkpoint, warnings = latest_checkpoint(tmp_path)
    assert checkpoint.step == 1
    assert len(warnings) == 1
    assert str(path) in warnings[0]
    assert warnings[0] in caplog.text


def test_nothing_to_find(tmp_path):
    assert latest_checkpoint(tmp_path / "missing") == (None, ())
    save_checkpoint(tmp_path, 1, STATE, {})
    (tmp_path / "step-00000001" / "manifest.json").unlink()
    checkpoint, warnings = latest_checkpoint(tmp_path)
    assert checkpoint is None
    assert len(warnings) == 1


@pytest.mark.parametrize("name", ["step-1", "step-00000001.tmp", "best", "step-00000001x", ".."])
def test_other_names_are_no_checkpoints(tmp_path, name):
    with pytest.raises(InputError, match="named like step-00001000"):
        load_checkpoint(tmp_path / name)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"step": -1}, "step is -1"),
        ({"step": "../5"}, "step is '../5'"),
        ({"keep": 0}, "keep is 0"),
        ({"metadata": {"a": object()}}, "plain JSON"),
        ({"arrays": {"a": np.array([None])}}, "'a' has dtype object"),
        ({"arrays": {"a": np.array(["text"])}}, "'a' has dtype"),
    ],
)
def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path, arguments, match):
    with pytest.raises(InputError, match=match):
        save_checkpoint(tmp_path, **({"step": 1, "arrays": STATE, "metadata": {}} | arguments))
    assert names(tmp_path) == []


def test_a_disk_that_refuses_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Not a directory"):
        save_checkpoint(tmp_path / "file", 1, STATE, {})
    save_checkpoint(tmp_path / "full", 1, STATE, {})

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"Cannot write a checkpoint into .*full: No space left on device"):
        save_checkpoint(tmp_path / "full", 2, STATE, {}, keep=1)
    assert names(tmp_path / "full") == ["step-00000001"]


def test_files_are_flushed_before_the_name_appears(tmp_path, monkeypatch):
    events = []
    real_fsync, real_rename = os.fsync, Path.rename

    def fsync(descriptor):
        events.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real_fsync(descriptor)

    def rename(self, target):
        events.append("rename")
        return real_rename(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    save_checkpoint(tmp_path / "checkpoints", 1, STATE, {})
    place = events.index("rename")
    assert {"arrays.npz", "manifest.json"} <= set(events[:place])
    assert events[place - 1].startswith(".")  # the hidden directory itself
    assert events[place + 1 :] == ["checkpoints"]


def test_killed_at_any_moment_a_whole_checkpoint_is_left():
    program = Path(__file__).with_name("crash_points.py")
    # Keras on NumPy is quick to import and to fork; it needs SciPy, which TensorFlow does not bring.
    environment = os.environ | ({"KERAS_BACKEND": "numpy"} if importlib.util.find_spec("scipy") else {})
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=200, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    points = json.loads(done.stdout.splitlines()[0].partition(": ")[2])
    assert min(points) >= 8, done.stdout
    assert int(done.stdout.rpartition(" ")[2]) >= 5, done.stdout
