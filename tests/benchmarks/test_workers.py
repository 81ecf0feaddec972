"""Workers: what they count, and that none takes unbounded time."""

import sys
import time
from pathlib import Path

import pytest

from benchmarks import environments
from benchmarks.environments import EnvironmentMissingError
from benchmarks.isa import GIVEN, ONEDNN, make_isa_environment
from benchmarks.turns import Entrant, take_turns
from benchmarks.workers import Worker, WorkerError

pytestmark = pytest.mark.backend_independent
MODULE = "tests.benchmarks.worker"
PATIENCE = 60.0


@pytest.fixture
def worker(tmp_path):
    started = Worker("test", Path(sys.executable), MODULE, tmp_path, make_isa_environment("avx2", own=False))
    yield started
    started.stop()


def test_a_round_counts_the_fresh_pages_that_it_touches(worker):
    worker.ask("start", PATIENCE)
    idle = worker.ask("round", PATIENCE)["faults"]
    busy = worker.ask("round", PATIENCE, pages=5000)["faults"]
    assert idle < 1000
    assert 5000 <= busy < 6000


def test_a_worker_tells_the_instructions_that_it_is_held_to(worker):
    told = worker.ask("start", PATIENCE)["environment"]
    assert told["ONEDNN_MAX_CPU_ISA"] == "AVX2"
    assert told["XLA_FLAGS"].endswith("--xla_cpu_max_isa=AVX2")
    assert told[ONEDNN] == GIVEN.get(ONEDNN, "0")


def test_a_worker_does_not_inherit_what_the_package_has_set_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setenv(ONEDNN, "set by the package")
    worker = Worker("test", Path(sys.executable), MODULE, tmp_path, {})
    try:
        assert worker.ask("start", PATIENCE)["environment"].get(ONEDNN) == GIVEN.get(ONEDNN)
    finally:
        worker.stop()


def ended(pid: int) -> bool:
    """Whether there is no such process, or only what nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_worker_that_never_answers_is_ended_in_time_with_what_it_started(worker, tmp_path):
    worker.ask("start", PATIENCE)
    began, child = time.monotonic(), tmp_path / "child"
    with pytest.raises(WorkerError, match=r"^test did not answer 'round' in 1 s and was ended; see .*\.log$"):
        worker.ask("round", 1.0, sleep=60.0, child=str(child))
    assert time.monotonic() - began < 10
    assert worker.process.poll() is not None
    assert ended(int(child.read_text()))


def test_one_that_never_starts_is_ended_in_time(worker):
    with pytest.raises(WorkerError, match=r"did not answer 'start'"):
        worker.ask("start", 1.0, sleep=60.0)
    assert worker.process.poll() is not None


def test_one_that_needs_too_much_memory_is_ended(worker):
    worker.ask("start", PATIENCE)
    with pytest.raises(WorkerError, match=r"needs more than 0\.0 GiB"):
        worker.ask("round", PATIENCE, memory_limit=2**20, sleep=60.0)
    assert worker.process.poll() is not None


def test_turns_wait_for_a_round_and_no_longer_and_give_faults_for_each_step(tmp_path):
    def entrant(name, own):
        return Entrant(name, lambda: Path(sys.executable), MODULE, {}, own=own)

    ours, peer = measured = take_turns(
        [entrant("ours", True), entrant("peer", False)], tmp_path, 2, PATIENCE, pages=4000, steps=4, seconds=0.1
    )
    assert [each.name for each in measured] == ["ours", "peer"]
    for each in (ours, peer):
        assert len(each.faults_per_step) == 2
        assert all(1000 <= faults < 1300 for faults in each.faults_per_step)


def test_a_round_that_does_not_end_is_missing_and_the_turns_go_on(tmp_path, capsys):
    stuck = Entrant("stuck", lambda: Path(sys.executable), MODULE, {})
    began = time.monotonic()
    assert take_turns([stuck], tmp_path, 2, 5.0, sleep=60.0) == []
    assert time.monotonic() - began < 30
    assert "a round is missing: stuck default did not answer 'round' in 5 s" in capsys.readouterr().err


def test_making_an_environment_is_given_up_in_time():
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(EnvironmentMissingError, match="environment of hf was not made in"):
        environments._run(command, "hf", 0.5)
