"""How fast the data pipeline is by itself, as a ratio to what a model consumes.

    python benchmarks/pipeline.py --dataset multi30k --consumed 7000

`--consumed` is the training rate to compare with, in target tokens per second, as `keras-transformer train` prints it.
Encoding happens once, before the batches, and is timed apart.
"""

import argparse
import os
import platform
import time
from importlib.metadata import version

from keras_transformer.text import ParallelCorpus, TokenBatches, Tokenizer, datasets


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--train", nargs=2, metavar=("SOURCE", "TARGET"), help="two files of parallel text")
    text.add_argument("--dataset", default="phrases", help="or a named data set (default: phrases)")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--tokens-per-batch", type=int, default=4096)
    parser.add_argument("--num-buckets", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each way is timed")
    parser.add_argument("--consumed", type=float, help="target tokens per second of the training to compare with")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    corpus = ParallelCorpus(*arguments.train) if arguments.train else datasets.load(arguments.dataset).train
    tokenizer = Tokenizer.train(corpus, arguments.vocab_size)
    started = time.perf_counter()
    shapes = arguments.num_buckets
    batches = TokenBatches(corpus, tokenizer, arguments.tokens_per_batch, seed=1, num_buckets=shapes)
    prepared = time.perf_counter() - started
    report = batches.report
    names = ", ".join(f"{name} {version(name)}" for name in ("tensorflow", "sentencepiece", "numpy"))
    print(f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}, {names}")
    print(report)
    tokens = report.source_tokens + report.target_tokens
    print(f"encoding and planning, once: {prepared:.1f} s, {tokens / prepared:,.0f} tokens/s")
    ways = {"NumPy batches": batches.iterate(), "tf.data": batches.dataset().as_numpy_iterator()}
    for name, stream in ways.items():
        rate = measure(stream, arguments.seconds)
        ratio = f", {rate / arguments.consumed:,.0f} times what training consumes" if arguments.consumed else ""
        print(f"{name}: {rate:,.0f} target tokens/s{ratio}")


def measure(stream: object, seconds: float) -> float:
    """Real target tokens per second."""
    iterator = iter(stream)  # type: ignore[call-overload]
    next(iterator)
    tokens = 0
    started = time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        _, target, _ = next(iterator)
        tokens += int((target != 0).sum())
    return tokens / passed


if __name__ == "__main__":
    main()
