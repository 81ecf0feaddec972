"""`python -m benchmarks pipeline`: how fast the data pipeline is by itself, as a ratio to what a model consumes.

Encoding happens once, before the batches, and is timed apart.
"""

import time
from argparse import Namespace
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from benchmarks import machine
from benchmarks.data import load_corpus
from benchmarks.table import print_top, write_json


def run(options: Namespace) -> None:
    """Measure and print."""
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
    result = {
        "command": "pipeline",
        "machine": machine.describe(),
        "versions": {name: version(name) for name in ("tensorflow", "sentencepiece", "numpy")},
        "batches": str(report),
        "prepared_seconds": prepared,
        "prepared_tokens_per_second": tokens / prepared,
        "target_tokens_per_second": {name: measure(stream, options.seconds) for name, stream in ways.items()},
    }
    if options.json:
        write_json(result)
    else:
        show(result, options.consumed)


def show(result: dict[str, Any], consumed: float | None) -> None:
    print_top(result)
    print(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    print(result["batches"])
    rate = result["prepared_tokens_per_second"]
    print(f"encoding and planning, once: {result['prepared_seconds']:.1f} s, {rate:,.0f} tokens/s")
    for name, rate in result["target_tokens_per_second"].items():
        ratio = f", {rate / consumed:,.0f} times what training consumes" if consumed else ""
        print(f"{name}: {rate:,.0f} target tokens/s{ratio}")


def measure(stream: Iterable[Any], seconds: float) -> float:
    """Real target tokens per second."""
    iterator = iter(stream)
    next(iterator)
    tokens = 0
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        _, target, _ = next(iterator)
        tokens += int((target != 0).sum())
    return tokens / passed
