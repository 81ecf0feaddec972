"""How fast the machine multiplies: only what is asked for, and in bounded time."""

import pytest

from benchmarks import machine
from benchmarks.peers import matmul

pytestmark = pytest.mark.backend_independent


class Clock:
    """A clock that only products move, and their sizes."""

    def __init__(self, rate):
        self.now, self.rate, self.sizes, self.kinds = 0.0, rate, [], set()

    def product(self, n, dtype="float32"):
        def multiply():
            self.now += 2.0 * n**3 / self.rate
            self.sizes.append(n)
            self.kinds.add(dtype)

        return multiply


@pytest.fixture
def clock(monkeypatch):
    made = Clock(rate=100e9)
    monkeypatch.setattr(matmul.time, "perf_counter", lambda: made.now)
    return made


def test_the_size_is_doubled_while_the_next_fits(clock):
    result = matmul.measure_product(clock.product, 4096, 4.0)
    assert sorted(set(clock.sizes)) == [512, 1024, 2048, 4096]
    assert result["rate"] == pytest.approx(100e9)
    assert clock.now <= 4.0 + 1e-9
    assert clock.sizes.count(4096) == 2  # until the time is over


def test_the_next_size_is_left_where_eight_times_the_last_does_not_fit(clock):
    clock.rate = 10e9  # 1,024 takes 0.2 s, 2,048 would take 1.7 s
    result = matmul.measure_product(clock.product, 4096, 2.0)
    assert sorted(set(clock.sizes)) == [512, 1024]
    assert result["size"] in (512, 1024)
    assert clock.now <= 2.0


def test_a_precision_that_takes_minutes_is_one_small_product(clock):
    clock.rate = 1e6
    assert matmul.measure_product(clock.product, 4096, 4.0) == {"rate": pytest.approx(1e6), "size": 512}
    assert clock.sizes == [512]


def test_the_best_rate_comes_with_its_size(clock):
    def make(n):
        clock.rate = {512: 50e9, 1024: 200e9}.get(n, 100e9)
        return clock.product(n)

    assert matmul.measure_product(make, 4096, 30.0) == {"rate": pytest.approx(200e9), "size": 1024}


def test_a_worker_multiplies_in_no_precision_but_those_asked_for(clock, monkeypatch):
    monkeypatch.setitem(matmul.PRODUCTS, "some", clock.product)
    monkeypatch.setattr(matmul, "versions", lambda *names: {})
    products = matmul.Products({"framework": "some", "largest": 1024})
    clock.kinds.clear()
    assert set(products.round(["bfloat16"], 1.0)["rates"]) == {"bfloat16"}
    assert clock.kinds == {"bfloat16"}


class Recorded:
    """In place of a worker."""

    asked: list = []  # noqa: RUF012

    def __init__(self, name, python, module, work, environment):
        self.asked.append(("worker", None, environment))

    def ask(self, command, patience, **arguments):
        self.asked.append((command, patience, arguments))
        return {"rates": {kind: {"rate": 3e9, "size": 512} for kind in arguments.get("precisions", ())}}

    def stop(self):
        self.asked.append(("stop", None, {}))


def test_only_the_precisions_asked_for_are_asked_of_it_and_not_for_ever(tmp_path, monkeypatch):
    Recorded.asked.clear()
    monkeypatch.setattr(machine, "Worker", Recorded)
    monkeypatch.setattr(machine, "interpreter", lambda peer, work: peer)
    rates = machine.product_rates(["tensorflow"], ["float32"], tmp_path, seconds=2.0, isa="avx2", patience=30.0)
    assert rates == {"tensorflow": {"float32": {"rate": 3e9, "size": 512}}, "best": {"float32": 3e9}}
    (_, _, environment), (_, start, _), (_, round_, arguments), _ = Recorded.asked
    assert environment["ONEDNN_MAX_CPU_ISA"] == "AVX2"
    assert (start, round_) == (30.0, 32.0)
    assert arguments == {"precisions": ["float32"], "seconds": 2.0}


def test_pytorch_multiplies_here(tmp_path):
    pytest.importorskip("torch")
    rates = machine.product_rates(["torch"], ["float32"], tmp_path, largest=64, seconds=0.1)
    assert set(rates["torch"]) == {"float32"}
    assert rates["torch"]["float32"]["rate"] == rates["best"]["float32"] > 0
    assert rates["torch"]["float32"]["size"] == 64
