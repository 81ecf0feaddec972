"""Where the time of an exported SavedModel goes, by operation: python benchmarks/decoding_profile.py MODEL < lines."""

import argparse
import os
import re
import sys
import time
from collections import Counter
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def by_operation(metadata: Any) -> tuple[Counter[str], Counter[str]]:
    """Milliseconds and calls of each kind of operation in TensorFlow's trace of one run."""
    spent: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            kind = re.search(r"= (\w+)", node.timeline_label)
            name = kind.group(1) if kind else node.node_name
            spent[name] += (node.op_end_rel_nanos - node.op_start_rel_nanos) / 1e6
            calls[name] += 1
    return spent, calls


def main() -> None:
    """Print the rate and the operations that take most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="directory of the SavedModel, NAME/VERSION")
    parser.add_argument("--top", type=int, default=20, help="operations to print")
    options = parser.parse_args()
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the tokenizer's operations

    lines, v1 = sys.stdin.read().splitlines(), tf.compat.v1
    # One thread, so that the times of operations add up.
    one = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with v1.Graph().as_default(), v1.Session(config=one) as session:
        signature = v1.saved_model.load(session, ["serve"], options.model).signature_def["serving_default"]
        feed = {signature.inputs["text"].name: lines}
        outputs = [output.name for output in signature.outputs.values()]
        session.run(outputs, feed)
        start = time.perf_counter()
        session.run(outputs, feed)
        seconds, metadata = time.perf_counter() - start, v1.RunMetadata()
        trace = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(outputs, feed, options=trace, run_metadata=metadata)
    spent, calls = by_operation(metadata)
    total = sum(spent.values())
    print(f"{len(lines) / seconds:.0f} sentences/s on one thread; {sum(calls.values()):,} operations")
    for name, milliseconds in spent.most_common(options.top):
        print(f"{name:32}{milliseconds:10.1f} ms {milliseconds / total:7.1%} {calls[name]:8,} calls")


if __name__ == "__main__":
    main()
