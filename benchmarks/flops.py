"""Floating-point operations that training on real tokens, and translating them, takes. Standard library only."""

from benchmarks.sizes import Size

PASSES = 3
"""Forward; backward with a product for the inputs' gradient and one for the weights'."""


def training_flops(size: Size, source: int, target: int, source2: int, target2: int, cross: int) -> float:
    """Operations of one training step: two per multiply-add of every matrix product, forward and backward.

    Of pairs with s source and t target tokens, padding left out, N layers on both sides, d = d_model, f = d_ff:

        encoder          N (4 d^2 + 2 d f) s + 2 N d s^2
        memory           N 2 d^2 s                          keys and values of the decoder's attention to the source
        decoder          N (6 d^2 + 2 d f) t + 2 N d t^2 + 2 N d s t
        softmax          V d t

    times 2 (a multiply and an add) times 3 (forward, and two products backward). Embedding look-ups, softmax,
    LayerNorm, dropout and Adam are left out; the causal half of the decoder's scores is counted in full.

    Args:
        size: the model.
        source: sum of s over the pairs.
        target: sum of t.
        source2: sum of s^2.
        target2: sum of t^2.
        cross: sum of s t.
    """
    return PASSES * 2.0 * (_source_side(size, source, source2) + _target_side(size, target, target2, cross))


def decoding_flops(
    size: Size, source: int, target: int, source2: int, target2: int, cross: int, beam_size: int
) -> float:
    """Operations of a beam search that does no more than it must: the formula of `training_flops`, forward alone.

    The encoder and the memory's keys and values once per sentence; decoder and softmax for each of the hypotheses at
    each of the t positions of the translation, of which one sees only those before it: t^2 / 2. What a search does
    beyond the length of the best translation, for finished sentences or for padding is not counted.

    Args:
        size: the model.
        source: sum of s, as all sums over the sentences.
        target: sum of t, the tokens of the translations with their end-of-sentence tokens.
        source2: sum of s^2.
        target2: sum of t^2.
        cross: sum of s t.
        beam_size: hypotheses of each sentence.
    """
    return 2.0 * (_source_side(size, source, source2) + beam_size * _target_side(size, target, target2 / 2, cross))


def _source_side(size: Size, source: int, source2: int) -> float:
    n, d, f = size.layers, size.d_model, size.d_ff
    return n * (4 * d * d + 2 * d * f) * source + 2 * n * d * source2 + n * 2 * d * d * source


def _target_side(size: Size, target: int, target2: float, cross: int) -> float:
    n, d, f = size.layers, size.d_model, size.d_ff
    return n * (6 * d * d + 2 * d * f) * target + 2 * n * d * (target2 + cross) + size.vocab_size * d * target
