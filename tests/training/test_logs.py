"""Metrics on disk, and signals."""

import os
import signal
import time
from pathlib import Path

import pytest

from keras_transformer.training import signals
from keras_transformer.training.files import write_atomically
from keras_transformer.training.logs import MetricsLog
from keras_transformer.training.signals import Interrupts

pytestmark = pytest.mark.backend_independent


def test_lines_of_lost_work_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log = MetricsLog(path, tmp_path / "logs")
    for step in (10, 20, 30):
        log.write("train", step, {"loss": 1.0})
        log.write("validation", step, {"bleu": 1.0})
    log.write("final", 30, {"bleu": 1.0})
    log.close()
    with path.open("a") as file:
        file.write('{"kind": "train", "step": 1')  # killed while it wrote

    log = MetricsLog(path, tmp_path / "logs", step=20, validated_step=10)
    log.write("train", 30, {"loss": 2.0})
    log.close()
    assert path.read_text().splitlines() == [
        '{"kind": "train", "step": 10, "loss": 1.0}',
        '{"kind": "validation", "step": 10, "bleu": 1.0}',
        '{"kind": "train", "step": 20, "loss": 1.0}',
        '{"kind": "train", "step": 30, "loss": 2.0}',
    ]


def test_tensorboard_reads_the_scalars_without_those_of_lost_work(tmp_path: Path) -> None:
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    for start, steps, loss in ((0, (10, 20, 30), 1.0), (20, (30,), 2.0)):
        log = MetricsLog(tmp_path / "metrics.jsonl", tmp_path / "logs", step=start)
        for step in steps:
            log.write("train", step, {"loss": loss, "note": "text is no scalar"})
        log.close()
        time.sleep(1.1)  # TensorBoard reads files in the order of their names, which hold the second they were made
    read = event_accumulator.EventAccumulator(str(tmp_path / "logs"))
    read.Reload()
    assert read.Tags()["scalars"] == ["train/loss"]
    assert [(event.step, event.value) for event in read.Scalars("train/loss")] == [(10, 1.0), (20, 1.0), (30, 2.0)]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(temporary: Path) -> None:
        temporary.write_text("ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, fail)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, lambda path: path.write_text("text"))
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_second_ctrl_c_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before, killed = signal.getsignal(signal.SIGINT), []
    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.received == signal.SIGINT
        monkeypatch.setattr(signals.os, "kill", lambda process, number: killed.append((process, number)))
        signal.raise_signal(signal.SIGINT)
        assert killed == [(os.getpid(), signal.SIGINT)]
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before
