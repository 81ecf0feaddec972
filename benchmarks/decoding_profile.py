"""Where the time of an exported SavedModel goes, by operation: python -m benchmarks.decoding_profile MODEL < lines."""

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.allocators import tell_given_allocator
from benchmarks.flops import decoding_flops
from benchmarks.isa import GIVEN, ISAS, use_isa
from benchmarks.limits import PATIENCE, end_after
from benchmarks.sizes import Size

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


def model_operations(model: Path, lines: list[str], translations: list[str]) -> float:
    """Floating-point operations that these translations take at the least, by `decoding_flops`."""
    import sentencepiece

    extra = model / "assets.extra"
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(extra / "tokenizer.model"))
    manifest = json.loads((extra / "manifest.json").read_text(encoding="utf-8"))
    fields, beam_size = manifest["model"], manifest["decoding"]["beam_size"]
    size = Size(
        fields["num_decoder_layers"], fields["d_model"], fields["num_heads"], fields["d_ff"], 0.0, fields["vocab_size"]
    )
    source, target = ([len(pieces) + 1 for pieces in tokenizer.encode(text)] for text in (lines, translations))
    squares = [sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((source, source), (target, target))]
    cross = sum(s * t for s, t in zip(source, target, strict=True))
    return decoding_flops(size, sum(source), sum(target), *squares, cross, beam_size)


def product_rate(session: Any, n: int = 2048, repeats: int = 8) -> float:
    """Operations per second of an n x n product in this session, the best of a few."""
    import tensorflow as tf

    matrix = tf.Variable(tf.random.normal((n, n)), use_resource=True)
    session.run(matrix.initializer)
    product, best = (matrix @ matrix).op, float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        session.run(product)
        best = min(best, time.perf_counter() - start)
    return 2.0 * n**3 / best


def main() -> None:
    """Print the rate, its share of the matrix-product rate, and the operations that take most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="directory of the SavedModel, NAME/VERSION")
    parser.add_argument("--top", type=int, default=20, help="operations to print")
    parser.add_argument("--isa", choices=tuple(ISAS), default="native")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that all of it may take (900)")
    options = parser.parse_args()
    use_isa(options.isa, own=False)  # TensorFlow alone
    lines = sys.stdin.read().splitlines()
    with end_after(options.patience, "the profile"):
        profile(options, lines)


def profile(options: argparse.Namespace, lines: list[str]) -> None:
    """Measure and print."""
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the tokenizer's operations

    v1 = tf.compat.v1
    # One thread, so that the times of operations add up.
    one = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with v1.Graph().as_default(), v1.Session(config=one) as session:
        signature = v1.saved_model.load(session, ["serve"], str(options.model)).signature_def["serving_default"]
        feed = {signature.inputs["text"].name: lines}
        outputs = [signature.outputs[name].name for name in ("translation", "score")]
        session.run(outputs, feed)
        start = time.perf_counter()
        translations, _ = session.run(outputs, feed)
        seconds, metadata = time.perf_counter() - start, v1.RunMetadata()
        trace = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(outputs, feed, options=trace, run_metadata=metadata)
        machine = product_rate(session)
    spent, calls = by_operation(metadata)
    total = sum(spent.values())
    operations = model_operations(options.model, lines, [text.decode() for text in translations])
    print(f"allocator: {tell_given_allocator(GIVEN)}; instructions: {ISAS[options.isa]}")
    print(f"{len(lines) / seconds:.0f} sentences/s on one thread; {sum(calls.values()):,} operations of TensorFlow")
    print(
        f"{operations / 1e9:.0f} GFLOP at the least, {operations / seconds / 1e9:.1f} GFLOP/s: "
        f"{operations / seconds / machine:.0%} of the rate of a matrix product, {machine / 1e9:.0f} GFLOP/s"
    )
    for name, milliseconds in spent.most_common(options.top):
        print(f"{name:32}{milliseconds:10.1f} ms {milliseconds / total:7.1%} {calls[name]:8,} calls")


if __name__ == "__main__":
    main()
