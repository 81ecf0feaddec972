"""Starts of processes."""

import json
import time
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import startup
from benchmarks.starts import Case, read_marks, start
from benchmarks.startup import cases, measure

pytestmark = pytest.mark.backend_independent
MARK = "from benchmarks.marks import mark; import time; mark('one'); time.sleep(0.3); mark('two')"


def test_a_process_is_timed_from_start_to_end_and_its_modules_are_counted():
    def started(program):
        (figures,) = start(Case("some", ("-c", program)), "native", 60.0)
        return figures

    plain, busy = started("pass"), started("import xml.dom.minidom, time; time.sleep(0.3); sum(range(10**7))")
    assert 20 < plain["modules"] < busy["modules"] - 5
    assert busy["seconds"] > plain["seconds"] + 0.3
    assert busy["processor_seconds"] > plain["processor_seconds"] + 0.05
    assert busy["processor_seconds"] < busy["seconds"] + 0.2


def test_marks_count_from_the_start_or_from_the_mark_before():
    since_start = start(Case("marks", ("-c", MARK), marks=True), "native", 60.0)
    assert [each["name"] for each in since_start] == ["one", "two"]
    assert 0 < since_start[0]["seconds"] < 10
    assert since_start[1]["seconds"] > since_start[0]["seconds"] + 0.3
    output = "noise\n" + "".join(f"{json.dumps(each)}\n" for each in since_start)
    assert read_marks(output, apart=False) == since_start
    first, second = read_marks(output, apart=True)
    assert first == since_start[0]
    assert second["seconds"] == pytest.approx(since_start[1]["seconds"] - since_start[0]["seconds"])


def test_a_process_that_never_ends_is_left_out_in_time(capsys):
    began = time.monotonic()
    both = [Case("stuck", ("-c", "import time; time.sleep(60)")), Case("broken", ("-c", "1 / 0"))]
    assert measure(both, Namespace(rounds=2, isa="native", patience=2.0)) == []
    assert time.monotonic() - began < 30
    said = capsys.readouterr().err
    assert said.count("left out: stuck did not end in 2 s and was ended") == 1
    assert said.count("ZeroDivisionError") == 1


def test_medians_of_the_rounds(monkeypatch):
    seconds = iter([3.0, 1.0, 2.0])

    def told(case, isa, patience):
        return [{"name": case.name, "seconds": next(seconds), "processor_seconds": 1.0, "modules": 7}]

    monkeypatch.setattr(startup, "start", told)
    (result,) = measure([Case("some", (), "jax")], Namespace(rounds=3, isa="native", patience=1.0))
    assert result["seconds"] == 2.0
    assert result["rounds"] == [3.0, 1.0, 2.0]
    assert result["backend"] == "jax"


def test_help_needs_no_backend():
    (figures,) = start(Case("help", ("-c", startup.COMMAND, "--help")), "native", 60.0)
    assert figures["modules"] < 1500


def test_what_needs_a_run_is_left_out_without_one():
    names = [case.name for case in cases(Namespace(backends=["jax"], run=None), None)]
    assert "train" in names
    assert not any("translate" in name or "SavedModel" in name for name in names)
    with_run = [case.name for case in cases(Namespace(backends=["jax"], run=Path("run")), Path("model"))]
    assert len(with_run) == len(names) + 2


def test_training_is_stopped_after_two_steps(monkeypatch):
    from benchmarks import first_steps

    told = []
    monkeypatch.setattr(first_steps, "mark", told.append)
    marks = first_steps.Marks()
    marks.set_model(Namespace(stop_training=False))
    marks.on_train_batch_end(0)
    assert not marks.model.stop_training
    marks.on_train_batch_end(1)
    assert marks.model.stop_training
    assert told == list(first_steps.NAMES)
