"""The counted operations are those that the backend itself counts in a real forward pass."""

import math
from typing import Any

import keras
import numpy as np
import pytest

from keras_transformer.diagnostics.paper.flops import PASSES, count, flops
from keras_transformer.models import Transformer

ROWS, LENGTH = 2, 12
SIZES = {"vocab_size": 50, "d_model": 16, "num_heads": 4, "d_ff": 24, "num_encoder_layers": 2, "num_decoder_layers": 3}


@pytest.fixture(scope="module")
def model() -> Transformer:
    return Transformer(**SIZES, key_dim=5, value_dim=3, dropout=0.0)


def inputs() -> tuple[Any, Any]:
    ids = np.full((ROWS, LENGTH), 5, "int32")
    return ids, ids


def of_matrices(model: Transformer) -> int:
    """Operations of the products with weights, which are those of length 0."""
    return int(ROWS * LENGTH * sum(count(model).flops(0)))


def of_everything(model: Transformer) -> int:
    return int(ROWS * LENGTH * sum(count(model).flops(LENGTH)))


def test_the_backend_counts_as_many(model: Transformer) -> None:
    counters = {"tensorflow": products_in_graph, "jax": counted_by_xla, "torch": counted_by_torch}
    counters[keras.backend.backend()](model)


def products_in_graph(model: Transformer) -> None:
    import tensorflow as tf

    graph = tf.function(model).get_concrete_function(tuple(map(tf.constant, inputs()))).graph
    products = [operation for operation in graph.get_operations() if operation.type == "MatMul"]
    counted = 0
    for product in products:
        rows, inner = product.inputs[0].shape
        counted += 2 * rows * inner * product.outputs[0].shape[1]
    assert counted == of_matrices(model)


def counted_by_xla(model: Transformer) -> None:
    import jax

    compiled = jax.jit(lambda source, target: model((source, target))).lower(*inputs()).compile()
    # XLA also counts softmax, LayerNorm and sums, which at this size are not small.
    assert 1.0 <= compiled.cost_analysis()["flops"] / of_everything(model) < 1.4


def counted_by_torch(model: Transformer) -> None:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as forward:
        total = model(inputs()).sum()
    per_operation = forward.get_flop_counts()["Global"]
    assert sum(per_operation.values()) == of_everything(model)
    assert per_operation[torch.ops.aten.mm] == of_matrices(model)
    with FlopCounterMode(display=False) as both:
        model(inputs()).sum().backward()
    assert both.get_total_flops() == PASSES * of_everything(model)
    assert math.isfinite(float(total.detach()))


@pytest.mark.tensorflow_backend
def test_both_conventions() -> None:
    section = flops()
    ours = {row.name: row for row in section.rows}
    assert all(row.verdict != "off" for row in section.rows)
    assert ours["base, by the run's duration"].ours == pytest.approx(12 * 3600 * 8 * 9.5e12)
    assert ours["big, by the run's duration"].ours == pytest.approx(2.298e19, rel=1e-3)
    # 6 operations per parameter and pair of tokens, 25,000 of them in 100,000 steps, and 0.7% for the scores.
    assert ours["base, operations"].ours == pytest.approx(6 * 63.05e6 * 25e3 * 1e5 * 1.007, rel=2e-3)
    assert ours["base, share of the paper's figure"].ours < 1
