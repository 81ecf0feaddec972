"""`python -m benchmarks pipeline`: how fast the data pipeline is by itself, as a ratio to what a model consumes.

Encoding happens once, before the batches, and is timed apart.
"""

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any

from benchmarks import machine
from benchmarks.allocators import tell_given_allocator
from benchmarks.data import load_corpus
from benchmarks.isa import GIVEN
from benchmarks.limits import end_after
from benchmarks.protocol import minor_faults
from benchmarks.table import print_top, show_faults, write_json

WARM_SHARE = 0.1
"""Of the time that is measured, to warm up before."""


def run(options: Namespace) -> None:
    """Measure and print."""
    with end_after(options.patience + 2 * options.seconds, "the data pipeline"):
        result = measure(options)
    if options.json:
        write_json(result)
    else:
        show(result, options.consumed)


def measure(options: Namespace) -> dict[str, Any]:
    """The report."""
    from keras_transformer.text import ParallelCorpus, TokenBatches, Tokenizer

    corpus = ParallelCorpus(*options.train) if options.train else load_corpus(options.dataset).train
    tokenizer = Tokenizer.train(corpus, options.vocab_size)
    began = time.perf_counter()
    shapes = {"num_buckets": options.num_buckets, "packed": options.packed}
    batches = TokenBatches(corpus, tokenizer, options.tokens, seed=1, **shapes)
    prepared = time.perf_counter() - began
    report = batches.report
    tokens = report.source_tokens + report.target_tokens
    ways = {"NumPy batches": batches.iterate(), "tf.data": batches.dataset().as_numpy_iterator()}
    measured = {name: measure_stream(stream, options.seconds) for name, stream in ways.items()}
    return {
        "command": "pipeline",
        "isa": options.isa,
        "allocator": tell_given_allocator(GIVEN),
        "machine": machine.describe(),
        "versions": {name: version(name) for name in ("tensorflow", "sentencepiece", "numpy")},
        "batches": str(report),
        "prepared_seconds": prepared,
        "prepared_tokens_per_second": tokens / prepared,
        "target_tokens_per_second": {name: rate for name, (rate, _) in measured.items()},
        "faults_per_batch": {name: faults for name, (_, faults) in measured.items()},
    }


def show(result: dict[str, Any], consumed: float | None) -> None:
    print_top(result)
    print(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    print(result["batches"])
    rate = result["prepared_tokens_per_second"]
    print(f"encoding and planning, once: {result['prepared_seconds']:.1f} s, {rate:,.0f} tokens/s")
    for name, rate in result["target_tokens_per_second"].items():
        ratio = f", {rate / consumed:,.0f} times what training consumes" if consumed else ""
        faults = show_faults(result["faults_per_batch"][name])
        print(f"{name}: {rate:,.0f} target tokens/s{ratio}, {faults} faults / batch")


def measure_stream(stream: Iterable[Any], seconds: float) -> tuple[float, float]:
    """Real target tokens per second, and minor page faults for each batch, after a tenth of the time to warm up."""
    iterator = iter(stream)
    pass_through(iterator, seconds * WARM_SHARE)
    before = minor_faults()
    tokens, batches, passed = pass_through(iterator, seconds)
    return tokens / passed, (minor_faults() - before) / batches


def pass_through(iterator: Iterator[Any], seconds: float) -> tuple[int, int, float]:
    """Real target tokens and batches of so many seconds, a batch at least, and the seconds that they took."""
    tokens, batches, passed, began = 0, 0, 0.0, time.perf_counter()
    while not batches or passed < seconds:
        _, target, _ = next(iterator)
        tokens, batches = tokens + int((target != 0).sum()), batches + 1
        passed = time.perf_counter() - began
    return tokens, batches, passed
