"""Where the time of a training step goes, by operation: python benchmarks/training_profile.py --size base.

Settings may follow, such as training.precision=mixed_bfloat16.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import data, machine
from benchmarks.allocators import tell_given_allocator
from benchmarks.flops import training_flops
from benchmarks.isa import GIVEN, ISAS, use_isa
from benchmarks.limits import PATIENCE, end_after
from benchmarks.protocol import minor_faults
from benchmarks.sizes import SIZES, WARM
from benchmarks.table import show_faults

KINDS = {
    "matrix products": r"_?(Mkl|Fused|Batch)*(BatchMatMul|MatMul)\w*",
    "compiled pieces: dropout, residual, normalisation, softmax, loss": r"ExecuteAsyncOnStream",
    "transposing, splitting, joining": r"_?(Mkl)?(Transpose|SplitV?|ConcatV2?|Slice|Pack|Reshape)",
    "Adam": r"ResourceApplyAdam",
    "bias, ReLU and their gradients": r"_?(Mkl)?(BiasAdd|BiasAddGrad|Relu|ReluGrad)",
    "adding gradients, scaling, casting": r"_?(Mkl)?(AddN|AddV2?|Add|Mul|Cast|Sub|Sum|RealDiv)",
    "embedding: looking up, and its gradient": r"(ResourceGather|GatherV2?|UnsortedSegmentSum|StridedSlice\w*)",
}
"""Names of TensorFlow's operations, and of the span in which XLA runs a piece."""


def by_kind(trace: Path, steps: int) -> tuple[Counter[str], Counter[str]]:
    """Milliseconds and calls a step of each kind, from a trace of TensorFlow's profiler."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    spent: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for file in trace.rglob("*.xplane.pb"):
        space = xplane_pb2.XSpace()
        space.ParseFromString(file.read_bytes())
        for plane in space.planes:
            if "CPU" not in plane.name:
                continue
            for event in (event for line in plane.lines for event in line.events):
                name = plane.event_metadata[event.metadata_id].name.split(":")[-1]
                kind = next((kind for kind, form in KINDS.items() if re.fullmatch(form, name)), None)
                if kind:
                    spent[kind] += event.duration_ps / 1e9 / steps
                    calls[kind] += 1
    return spent, Counter({kind: count // steps for kind, count in calls.items()})


def main() -> None:
    """Print the time of a step and what it consists of."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=sorted(SIZES), default="tiny")
    parser.add_argument("--dataset", default="multi30k")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--work", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--isa", choices=tuple(ISAS), default="native")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that all of it may take (900)")
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()
    use_isa(options.isa)
    import keras_transformer  # noqa: F401 - before TensorFlow, as a user has it: it sets what TensorFlow then reads

    with end_after(options.patience, "the profile"):
        profile(options)


def make_trainer(options: argparse.Namespace, work: Path) -> Any:
    """Our trainer, warm."""
    from benchmarks.ours import train

    data.load_tokenizer(work, options.dataset)
    settings = {
        "preset": options.size,
        "pairs": str(data.write(work, options.dataset, options.tokens)),
        "tokenizer": str(data.tokenizer_path(work, options.dataset)),
        "dataset": options.dataset,
        "tokens": options.tokens,
        "batches": 4,
        "warm": list(range(WARM[options.size])),
        "precision": "float32",
        "options": options.settings,
    }
    return train(settings)


def profile(options: argparse.Namespace) -> None:
    """Measure and print."""
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(1)  # one operation after the other, on all cores
    work = options.work.resolve()
    bfloat16 = any("bfloat16" in setting for setting in options.settings)
    precision = "mixed_bfloat16" if bfloat16 else "float32"
    rates = machine.product_rates(["tensorflow"], [precision], work, isa=options.isa, patience=options.patience)
    (most,) = rates["best"].values()
    trainer = make_trainer(options, work)
    inputs, targets, weights = next(iter(trainer.dataset(0)))

    def steps() -> float:
        began = time.perf_counter()
        for _ in range(options.steps):
            trainer.model.train_on_batch(inputs, targets, sample_weight=weights)
        return (time.perf_counter() - began) / options.steps

    steps()
    before = minor_faults()
    step = steps()
    faults = (minor_faults() - before) / options.steps
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder):
            traced = steps()
        spent, calls = by_kind(Path(folder), options.steps)
    flops = training_flops(SIZES[options.size], *trainer.counts(0))
    products = spent["matrix products"]
    print(f"allocator: {tell_given_allocator(GIVEN)}; instructions: {ISAS[options.isa]}")
    print(f"{options.size}, of the model: {flops / 1e9:,.0f} GFLOP a step")
    print(f"{'a step':68}{1e3 * step:9.1f} ms ({1e3 * traced:,.1f} ms while traced)")
    print(f"{'faults / step':68}{show_faults(faults):>9}")
    for kind, milliseconds in spent.most_common():
        print(f"{kind:68}{milliseconds:9.1f} ms {milliseconds / 1e3 / traced:6.1%} {calls[kind]:6,} calls")
    print(f"{'everything else':68}{1e3 * traced - sum(spent.values()):9.1f} ms")
    print(
        f"best product {most / 1e9:,.0f} GFLOP/s; the step reaches {flops / step / most:.0%} of it, "
        f"its products alone {flops / products * 1e3 / most:.0%}"
    )


if __name__ == "__main__":
    main()
