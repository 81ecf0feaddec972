"""`python -m benchmarks changes`: what each thing that makes a training step faster on TensorFlow is worth.

One model as it is, and one more for each thing done as it was before, train in turns in one process.
"""

import os
import statistics
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest import mock

from benchmarks import data, machine
from benchmarks.allocators import tell_given_allocator
from benchmarks.isa import GIVEN
from benchmarks.limits import end_after
from benchmarks.protocol import count_faults
from benchmarks.sizes import WARM
from benchmarks.table import print_table, print_top, show_faults, write_json
from benchmarks.turns import Spread, say

PLAIN = "as it is"
WAYS: dict[str, tuple[list[str], list[str]]] = {
    PLAIN: ([], []),
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
ADVICE = "; --leave-out TEXT leaves out the ways with that text in their names"


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
    import keras_transformer  # noqa: F401 - before TensorFlow, as a user has it: it sets what TensorFlow then reads

    trainers = compile_ways(options)
    rounds = measure_ways(trainers, options)
    rates = {name: [each["target_tokens"] / each["seconds"] for each in passed] for name, passed in rounds.items()}
    faults = {name: [each["faults"] / each["steps"] for each in passed] for name, passed in rounds.items()}
    report = {
        "command": "changes",
        "size": options.size,
        "tokens_per_batch": options.tokens,
        "isa": options.isa,
        "allocator": tell_given_allocator(GIVEN),
        "machine": machine.describe(),
        "rates": rates,
        "faults_per_step": {name: statistics.median(values) for name, values in faults.items()},
        "round_faults_per_step": faults,
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def compile_ways(options: Namespace) -> dict[str, Any]:
    """A trainer of each way, warm."""
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
        "each_shape": True,
        "warm": list(range(WARM[options.size])),
        "precision": "float32",
    }
    data.load_tokenizer(work, options.dataset)
    trainers: dict[str, Any] = {}
    for name, (overrides, parts) in choose_ways(options.leave_out).items():
        say(f"compiling: {name}")
        forget()
        with ExitStack() as stack:
            stack.enter_context(end_after(options.patience, f"compiling and warming up {name!r}", ADVICE))
            for patch in patches(parts):
                stack.enter_context(patch)
            trainers[name] = train({**settings, "options": [*overrides, *options.options]})
    return trainers


def choose_ways(left_out: list[str]) -> dict[str, tuple[list[str], list[str]]]:
    """All but those with one of these texts in their names; what all are compared with always stays."""
    return {
        name: way
        for name, way in WAYS.items()
        if name == PLAIN or not any(text.casefold() in name.casefold() for text in left_out)
    }


def measure_ways(trainers: dict[str, Any], options: Namespace) -> dict[str, list[dict[str, Any]]]:
    """The rounds of each way, in turns."""
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in trainers}
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        for name, trainer in trainers.items():
            with end_after(options.seconds + options.patience, f"a round of {name!r}", ADVICE):
                rounds[name].append(count_faults(trainer.round, seconds=options.seconds))
    return rounds


def show(report: dict[str, Any]) -> None:
    """A table for people."""
    print_top(report)
    plain = max(report["rates"][PLAIN])
    lines = []
    for name, values in report["rates"].items():
        spread, faults = Spread.of(values), show_faults(report["faults_per_step"][name])
        rates = [f"{spread.most:,.0f}", f"{spread.median:,.0f}", f"{spread.most / plain:.2f}"]
        lines.append([name, *rates, faults])
    # What else a machine does only ever takes time away, so the best round says most about a small difference.
    header = ["way", "target tokens/s, best", "median", "best, of as it is", "faults / step"]
    title = f"training {report['size']} on TensorFlow, allocator {report['allocator']}, instructions: {report['isa']}"
    print_table(title, header, lines)
