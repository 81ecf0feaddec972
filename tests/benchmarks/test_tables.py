"""What is printed: every table says what was measured, and has the faults."""

import numpy as np
import pytest

from benchmarks import changes, decode, memory, pipeline, train
from benchmarks.allocators import tell_given_allocator
from tests.benchmarks.worker import touch_pages

pytestmark = pytest.mark.backend_independent
MACHINE = {"processor": "Some CPU", "cores": 2, "flags": ["avx2"], "memory_bytes": 2**34, "python": "3.11"}
HEAD = {"machine": MACHINE, "isa": "avx2", "allocator": "as it is", "size": "tiny"}
ROW = {
    "name": "ours",
    "own": True,
    "allocator": "default",
    "spread": 0.1,
    "faults_per_step": 54321.0,
    "idle": 0.0,
    "warm_up_seconds": 1.0,
    "peak_bytes": 2**30,
    "versions": {},
    "layout": "some",
}
TRAINED = {"tokens_per_second": 9.0, "source_tokens_per_second": 9.0, "matmul_share": None, "loss": 1.0, "xla": None}
STEP = {"backend": "jax", "precision": "float32", "start_bytes": 2**30, "seconds": 1.0, "loss": 1.0}
REPORTS = {
    "train": (train.show, {"groups": [[{**ROW, **TRAINED, "parameters": 7}]]}),
    "decode": (
        decode.show,
        {"sentences": 3, "split": "some", "results": [{**ROW, "sentences_per_second": 5.0, "bleu": 1.0}]},
    ),
    "memory": (memory.show, {"tokens": 5, "vocab_size": 5, "results": [{**ROW, **STEP}]}),
    "changes": (changes.show, {"rates": {"as it is": [1.0, 2.0]}, "faults_per_step": {"as it is": 54321.0}}),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_table_has_the_faults_of_a_step_and_tells_allocator_instructions_and_machine(name, capsys):
    show, rest = REPORTS[name]
    show({**HEAD, **rest})
    printed = capsys.readouterr().out
    machine, how, *_ = printed.splitlines()
    assert machine.startswith("Some CPU, 2 cores, avx2")
    assert how == "allocator: as it is; instructions: no more than AVX2, emulated"
    (title,) = [line for line in printed.splitlines() if "instructions: avx2" in line]
    assert "allocator as it is" in title or name == "memory"  # which has a column
    assert "faults / step" in printed
    (row,) = [line for line in printed.splitlines() if "54,321" in line]
    assert "as it is" in row or name not in ("memory", "changes")


def test_the_pipeline_has_the_faults_of_a_batch(capsys):
    result = {
        **HEAD,
        "versions": {},
        "batches": "some",
        "prepared_tokens_per_second": 1.0,
        "prepared_seconds": 1.0,
        "target_tokens_per_second": {"NumPy batches": 5.0},
        "faults_per_batch": {"NumPy batches": 3.25},
    }
    pipeline.show(result, None)
    assert "NumPy batches: 5 target tokens/s, 3.2 faults / batch" in capsys.readouterr().out


def test_products_are_told_with_their_size(capsys):
    rates = {"torch": {"float32": {"rate": 3e9, "size": 1024}}, "best": {"float32": 3e9}}
    train.show({**HEAD, "groups": [], "matrix_products": rates})
    assert "matrix product, torch: float32 3 GFLOP/s (of 1,024)" in capsys.readouterr().out


def test_the_allocator_of_this_process_is_told_as_its_environment_has_it():
    assert tell_given_allocator({"PATH": "here"}) == "as it is"
    assert tell_given_allocator({"MALLOC_MMAP_MAX_": "0"}) == "set by MALLOC_MMAP_MAX_=0"


def test_ways_are_left_out_by_a_part_of_their_names():
    left = changes.choose_ways(["bfloat16", "JIT"])
    assert len(left) == len(changes.WAYS) - 2
    assert changes.choose_ways(["a"]).keys() >= {"as it is"}
    assert changes.choose_ways([]) == changes.WAYS


def test_memory_counts_the_faults_of_the_timed_steps():
    from benchmarks.one_step import OneStep

    pages = iter([9000, 8000, 500, 700])

    class Model:
        def train_on_batch(self, inputs, targets, sample_weight):
            touch_pages(next(pages))
            return 2.5

    step = OneStep.__new__(OneStep)
    step.model, step.batch = Model(), (None, None, None)
    answer = step.round(warm=2, steps=2)
    assert answer["steps"] == 2
    assert 1200 <= answer["faults"] < 1400
    assert answer["step_faults"][0] >= 9000
    assert answer["seconds"] > 0


def test_a_stream_is_passed_through_a_batch_at_least():
    def stream():
        while True:
            touch_pages(1000)
            yield None, np.array([[5, 2, 0]]), None

    rate, faults = pipeline.measure_stream(stream(), 0.0)
    assert rate > 0
    assert 1000 <= faults < 1200
    assert pipeline.pass_through(stream(), 0.0)[:2] == (2, 1)
