"""What the corpus costs in training: padding, batches in an epoch, memory."""

from collections.abc import Sequence
from typing import Any

from keras_transformer.diagnostics.doctor.findings import Finding, passed
from keras_transformer.errors import InputError

_VOCABULARIES = (4000, 2000, 1000, 500, 400, 300, 280, 264)
_MOST_SENTENCES = 200_000
_BYTES = 4  # float32


def tokenizer_for(pairs: Sequence[tuple[str, str]], vocab_size: int) -> Any:
    """A tokenizer trained on the pairs, as training would make it.

    Args:
        pairs: source and target texts.
        vocab_size: pieces wanted; fewer if the text gives no more.

    Returns:
        A `Tokenizer`, or None when the text does not allow even a small vocabulary.

    Example:
        >>> tokenizer_for([("a dog runs", "ein Hund rennt")], 8000).vocab_size < 8000
        True
    """
    from keras_transformer.text import Tokenizer

    text = [[side for pair in pairs for side in pair]]
    for size in (vocab_size, *(size for size in _VOCABULARIES if size < vocab_size)):
        try:
            return Tokenizer.train(text, size, max_sentences=_MOST_SENTENCES)
        except InputError:
            continue
    return None


def check_batches(
    pairs: Sequence[tuple[str, str]],
    tokenizer: Any,
    *,
    tokens_per_batch: int,
    max_length: int,
    presets: Sequence[str],
    origin: str,
) -> list[Finding]:
    """Real `TokenBatches` of the pairs: how full, how many, how much memory the largest takes.

    Args:
        pairs: source and target texts.
        tokenizer: a `Tokenizer`.
        tokens_per_batch: as for training.
        max_length: as for training.
        presets: models whose memory is estimated.
        origin: where the tokenizer comes from, for the evidence.

    Returns:
        Findings on lengths, on padding and batches, and on memory.
    """
    from keras_transformer.text import TokenBatches

    try:
        batches = TokenBatches(list(pairs), tokenizer, tokens_per_batch, max_length=max_length)
    except InputError as error:
        return [Finding("batches", "fail", "no-batches", str(error), fix="Raise max_length or tokens_per_batch.")]
    report = batches.report
    return [_too_long(report), _filled(report, tokens_per_batch, tokenizer.vocab_size, origin)] + [
        _memory(preset, batches, tokenizer.vocab_size) for preset in presets
    ]


def _too_long(report: Any) -> Finding:
    total = report.pairs + report.too_long
    evidence = f"{report.too_long:,} of {total:,} pairs are longer than {report.max_length:,} subwords on a side"
    if report.too_long <= 0.01 * total:
        return passed("lengths in subwords", evidence)
    return Finding(
        "lengths in subwords",
        "warn",
        "pairs-too-long",
        f"{evidence}, {100 * report.too_long / total:.1f} %",
        meaning="Training leaves them out.",
        fix="Raise data.max_length, or split such lines into sentences.",
    )


def _filled(report: Any, tokens_per_batch: int, vocab_size: int, origin: str) -> Finding:
    evidence = (
        f"{report.steps_per_epoch:,} batches an epoch of up to {tokens_per_batch:,} tokens, in {len(report.buckets)} "
        f"shapes, {100 * (1 - report.fill):.1f} % padding ({report.source_tokens:,} source and "
        f"{report.target_tokens:,} target subwords, of {vocab_size:,}; {origin})"
    )
    if report.fill >= 0.7:
        return passed("padding and batches", evidence)
    return Finding(
        "padding and batches",
        "warn",
        "much-padding",
        evidence,
        meaning="More than three in ten positions are computed for nothing: few pairs, or lengths that spread widely.",
        fix="Lower training.tokens_per_batch, or remove the longest pairs with data.max_length.",
    )


def _memory(preset: str, batches: Any, vocab_size: int) -> Finding:
    from keras_transformer.models.config import load_preset, make_config

    config = make_config(**{**load_preset(preset)["model"], "vocab_size": vocab_size})
    (source, target_in), *_ = batches.largest()
    rows, lengths = source.shape[0], (source.shape[1], target_in.shape[1])
    weights = count_parameters(config)
    state, step = 4 * _BYTES * weights, _BYTES * count_activations(config, rows, *lengths)
    return passed(
        f"memory, {preset} preset",
        f"about {_size(state + step)}: {_size(state)} for {weights / 1e6:.1f} M weights, their gradients and Adam's "
        f"two moments, {_size(step)} for what the largest batch ({rows} x {lengths[0]} and {rows} x {lengths[1]}) "
        "keeps for its gradient, in float32; the framework's own memory is not counted",
    )


def count_parameters(config: Any) -> int:
    """Weights of a `Transformer` with shared embeddings.

    Args:
        config: a `TransformerConfig`.

    Returns:
        V d + N_e (attention + feed-forward + 2 norms) + N_d (2 attentions + feed-forward + 3 norms).

    Example:
        >>> from keras_transformer.models import TransformerConfig
        >>> round(count_parameters(TransformerConfig(vocab_size=37000)) / 1e6, 1)
        63.0

    Reference:
        Vaswani et al. 2017, section 3 and table 3.
    """
    width, (key, value) = config.d_model, config.head_sizes
    attention = 2 * width * config.num_heads * (key + value)
    feed_forward = 2 * width * config.d_ff + config.d_ff + width
    encoder = attention + feed_forward + 2 * 2 * width
    decoder = 2 * attention + feed_forward + 3 * 2 * width
    layers = config.num_encoder_layers * encoder + config.num_decoder_layers * decoder
    return config.vocab_size * width + layers


def count_activations(config: Any, rows: int, source_length: int, target_length: int) -> int:
    """Numbers that a training step keeps from the forward pass for the backward pass, roughly.

    Per position and layer: the inputs, projections, outputs, dropped outputs and norms of each sub-layer. Per pair of
    positions: scores and weights of each head, counted twice for their gradients. Per target position: logits,
    exponentials and their gradient.

    Args:
        config: a `TransformerConfig`.
        rows: B.
        source_length: S.
        target_length: T.

    Returns:
        Floating-point numbers.
    """
    width, heads, (key, value) = config.d_model, config.num_heads, config.head_sizes
    attention = 2 * heads * (key + value) + 4 * width  # queries, keys, values, joined heads; output, dropped, sum, norm
    feed_forward = 2 * config.d_ff + 4 * width
    hidden = config.num_encoder_layers * source_length * (attention + feed_forward)
    hidden += config.num_decoder_layers * target_length * (2 * attention + feed_forward)
    scores = config.num_encoder_layers * source_length**2
    scores += config.num_decoder_layers * (target_length**2 + target_length * source_length)
    return int(rows * (hidden + 4 * heads * scores + 3 * target_length * config.vocab_size))


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit != "GiB" else f"{count:.1f} {unit}"
        count /= 1024
    return ""
