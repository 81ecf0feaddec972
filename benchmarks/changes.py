"""`python -m benchmarks changes`: what each thing that makes a training step faster on TensorFlow is worth.

One model as it is, and one more for each thing done as it was before, train in turns in one process.
"""

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest import mock

from benchmarks import data, machine
from benchmarks.table import print_table, print_top, write_json
from benchmarks.turns import Spread, say

WAYS: dict[str, tuple[list[str], list[str]]] = {
    "as it is": ([], []),
    "one pair a row (data.packed=false)": (["data.packed=false"], []),
    "the loss one block at a time": ([], ["one block"]),
    "nothing compiled in the graph": ([], ["plain graph"]),
    "nor dropout's noise from a hash, but from TensorFlow's generator": ([], ["plain graph", "generator"]),
    "Adam of ten operations a variable": ([], ["plain Adam"]),
    "the loss on all logits (training.loss_in_blocks=false)": (["training.loss_in_blocks=false"], []),
    "all of that": (["data.packed=false", "training.loss_in_blocks=false"], ["generator", "plain graph", "plain Adam"]),
    "the whole step compiled (training.jit_compile=true)": (["training.jit_compile=true"], []),
    "every layer computed twice (training.remat=true)": (["training.remat=true"], []),
    "bfloat16 (training.precision=mixed_bfloat16)": (["training.precision=mixed_bfloat16"], []),
}
"""Each way: settings, and parts of the package replaced."""


def patches(names: list[str]) -> Iterator[Any]:
    """The replacements of these names, in force while a training step is traced."""
    import tensorflow as tf

    from keras_transformer.layers import dropout, fusion
    from keras_transformer.training import blocked_loss
    from keras_transformer.training.adam import Adam

    def generated(shape: Any, seed: Any) -> Any:
        return tf.random.stateless_uniform(shape, tf.cast(seed, tf.int32), None, None, tf.uint32)

    if "generator" in names:
        yield mock.patch.object(dropout, "noise", generated)
    if "plain graph" in names:
        yield mock.patch.object(fusion, "_tensorflow_graph", return_value=None)
    if "one block" in names:
        yield mock.patch.object(blocked_loss, "PARALLEL_BLOCKS", 1)
    if "plain Adam" in names:
        yield mock.patch.object(Adam, "_one_pass", return_value=False)


def forget() -> None:
    """Drop the compiled pieces, so that the next model's are traced anew."""
    from keras_transformer.layers import dropout, residual
    from keras_transformer.training import blocked_loss

    for module in (dropout, residual, blocked_loss):
        for value in vars(module).values():
            getattr(value, "cache_clear", lambda: None)()


def run(options: Namespace) -> None:
    """Measure and print."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from benchmarks.ours import train

    work = options.work.resolve()
    pairs = data.write(work, options.dataset, options.tokens)
    settings = {
        "preset": options.size,
        "pairs": str(pairs),
        "tokenizer": str(data.tokenizer_path(work, options.dataset)),
        "dataset": options.dataset,
        "tokens": options.tokens,
        "batches": options.batches,
        "warm": None,
        "precision": "float32",
    }
    data.load_tokenizer(work, options.dataset)
    trainers: dict[str, Any] = {}
    for name, (overrides, parts) in WAYS.items():
        say(f"compiling: {name}")
        forget()
        with ExitStack() as stack:
            for patch in patches(parts):
                stack.enter_context(patch)
            trainers[name] = train({**settings, "options": [*overrides, *options.options]})
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        for name, trainer in trainers.items():
            passed = trainer.round(seconds=options.seconds)
            rates[name].append(passed["target_tokens"] / passed["seconds"])
    report = {
        "command": "changes",
        "size": options.size,
        "tokens_per_batch": options.tokens,
        "machine": machine.describe(),
        "rates": rates,
    }
    if options.json:
        write_json(report)
        return
    print_top(report)
    plain = max(rates["as it is"])
    lines = []
    for name, values in rates.items():
        spread = Spread.of(values)
        lines.append([name, f"{spread.most:,.0f}", f"{spread.median:,.0f}", f"{spread.most / plain:.2f}"])
    # What else a machine does only ever takes time away, so the best round says most about a small difference.
    print_table("training on TensorFlow", ["way", "target tokens/s, best", "median", "best, of as it is"], lines)
