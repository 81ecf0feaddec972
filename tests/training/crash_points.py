"""Kill a process that saves checkpoints, at chosen or at random moments, and look at what is left.

Run as a program by test_checkpoints.py: one fresh process, whose forks do the saving and the dying.
"""

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from keras_transformer.training.checkpoints import (
    latest_checkpoint,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)

CHANGES = ("os.rename", "os.mkdir", "os.rmdir", "os.remove", "shutil.rmtree")


def arrays(step: int, size: int = 5_000) -> dict[str, np.ndarray]:
    return {"model/w": np.full(size, step, "float32"), "model/n": np.int64(step)}


def fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def die_at(change: int) -> None:
    """End the process without any cleaning up, just before its change number `change` to the file system."""
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        opens_to_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
        if event in CHANGES or opens_to_write:
            seen += 1
            if seen == change:
                os._exit(9)

    sys.addaudithook(hook)


def check(directory: Path, allowed: set[int]) -> int:
    checkpoint, warnings = latest_checkpoint(directory)
    assert checkpoint is not None, f"nothing left of {allowed}: {list(directory.iterdir())}"
    assert not warnings, warnings
    for path in list_checkpoints(directory):  # an older one that is being deleted must not look whole either
        load_checkpoint(path)
    assert checkpoint.step in allowed, (checkpoint.step, allowed)
    assert (checkpoint.arrays["model/w"] == checkpoint.arrays["model/n"]).all()
    return int(checkpoint.arrays["model/n"])


def every_point(new_step: int, keep: int) -> int:
    """Die before each single change in turn while step `new_step` is saved after steps 1 and 2."""
    change, status = 0, 1
    while status:
        change += 1
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            for step in (1, 2):
                save_checkpoint(directory, step, arrays(step), {}, keep)

            def save(directory: Path = directory, change: int = change) -> None:
                die_at(change)
                save_checkpoint(directory, new_step, arrays(3), {}, keep)

            status = os.waitstatus_to_exitcode(os.waitpid(fork(save), 0)[1])
            content = check(directory, {2, new_step})
            assert content in ({2, 3} if status else {3})
            # What the crash left is no obstacle for the next save.
            save_checkpoint(directory, 4, arrays(4), {}, keep)
            assert check(directory, {4}) == 4
            assert len(list(directory.iterdir())) == min(keep, len({1, 2, new_step, 4}))
    return change - 1


def random_moments(kills: int) -> int:
    """SIGKILL a process that saves without a pause, again and again, on one directory."""
    chance, last = random.Random(5), 0
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        save_checkpoint(directory, 0, arrays(0), {}, 2)

        def save_for_ever() -> None:
            for step in range(last + 1, last + 10_000):
                save_checkpoint(directory, step, arrays(step), {}, 2)

        while kills > 0 or last < 5:  # on a busy machine many die before their first save
            kills -= 1
            child = fork(save_for_ever)
            time.sleep(chance.uniform(0.0, 0.1))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            last = check(directory, set(range(last, last + 10_000)))
    return last


if __name__ == "__main__":
    print("killed at every point:", [every_point(step, keep) for step, keep in ((3, 1), (2, 1), (2, 3))])
    print("killed at random, steps saved:", random_moments(20))
