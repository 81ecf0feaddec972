"""The formula of training operations, against a count made by somebody else."""

import pytest

from benchmarks.flops import PASSES, decoding_flops, training_flops
from benchmarks.sizes import SIZES, Size

pytestmark = pytest.mark.backend_independent


def test_of_a_batch_without_padding_as_pytorch_counts():
    torch = pytest.importorskip("torch")
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    d, heads, d_ff, layers, vocab, (rows, s, t) = 16, 2, 40, 2, 50, (3, 5, 7)
    model = torch.nn.Transformer(d, heads, layers, layers, d_ff, 0.0, batch_first=True)
    projection = torch.nn.Linear(d, vocab, bias=False)
    source, target = torch.randn(rows, s, d, requires_grad=True), torch.randn(rows, t, d, requires_grad=True)
    # The fused kernel of attention is not counted, so its parts do the work.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        projection(model(source, target)).sum().backward()
    size = Size(layers, d, heads, d_ff, 0.0, vocab)
    counts = rows * s, rows * t, rows * s * s, rows * t * t, rows * s * t
    assert counter.get_total_flops() == pytest.approx(training_flops(size, *counts), rel=1e-6)


def test_a_pair_of_tokens_of_base_takes_six_operations_a_parameter():
    base = SIZES["base"]
    matrices = 6 * (4 * 512**2 + 2 * 512 * 2048) + 6 * (8 * 512**2 + 2 * 512 * 2048) + 8000 * 512
    assert training_flops(base, 1, 1, 0, 0, 0) == 6 * matrices


def test_a_search_pays_the_source_once_and_the_target_for_each_hypothesis():
    size, counts = SIZES["tiny"], (7, 5, 49, 25, 35)
    greedy, beam = (decoding_flops(size, *counts, beam_size=beams) for beams in (1, 4))
    source = training_flops(size, 7, 0, 49, 0, 0) / PASSES
    assert beam - source == pytest.approx(4 * (greedy - source))
    # Of the pairs of a query and a key, one forward pass over whole rows computes twice those that a search needs.
    assert greedy == pytest.approx(training_flops(size, 7, 5, 49, 25 / 2, 35) / PASSES)
