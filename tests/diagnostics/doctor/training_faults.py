"""Pipelines, losses, recipes and models, each with one thing wrong that only training shows."""

import keras
import numpy as np
from keras import ops

import keras_transformer as kt
from keras_transformer.layers import causal_mask

VOCABULARY = 30
PAD, BOS, EOS = 0, 1, 2
SMALL = {
    "vocab_size": VOCABULARY,
    "d_model": 16,
    "num_heads": 2,
    "d_ff": 32,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
}


def sentences(seed, rows=12, longest=9):
    """Random pieces of different lengths."""
    rng = np.random.default_rng(seed)
    return [rng.integers(3, VOCABULARY, length) for length in rng.integers(3, longest, rows)]


def matrix(rows, width=10, left=False):
    """Lists of ids as a padded matrix."""
    ids = np.full((len(rows), width), PAD, "int32")
    for row, given in enumerate(rows):
        start = width - len(given) if left else 0
        ids[row, start : start + len(given)] = given
    return ids


def pipeline(target_in=lambda p: [BOS, *p], target_out=lambda p: [*p, EOS], weights=None, left=False):
    """Three batches as `TokenBatches` makes them, but for what is given."""
    batches = []
    for seed in range(3):
        pieces = sentences(seed)
        source = matrix([[*p, EOS] for p in pieces])
        read, wanted = (matrix([make(list(p)) for p in pieces], left=left) for make in (target_in, target_out))
        real = (wanted != PAD).astype("float32")
        batches.append(((source, read), wanted, real / real.sum() if weights is None else weights(real)))
    return batches


PIPELINES = {
    "target-not-shifted": {"target_in": lambda p: [*p, EOS]},
    "target-shifted-wrong-way": {"target_in": lambda p: [*p, EOS], "target_out": lambda p: [BOS, *p]},
    "target-shifted-too-far": {"target_in": lambda p: [BOS, BOS, *p]},
    "bos-missing": {"target_in": lambda p: p, "target_out": lambda p: [*p[1:], EOS]},
    "eos-missing": {"target_out": lambda p: p},
    "padding-before-tokens": {"left": True},
    "padding-weighted": {"weights": lambda real: np.full_like(real, 1 / real.size)},
    "weights-per-sentence": {"weights": lambda real: real / real.sum(1, keepdims=True) / len(real)},
    "weights-not-normalised": {"weights": lambda real: real / real.size},
}
"""Options of `pipeline` by the name of the fault they plant."""


def token_losses(targets, logits, eps=0.0, mass=None):
    """Cross entropy of each token with a target of 1 - eps, and `mass` spread over all symbols (eps if None)."""
    log_p = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    true = ops.take_along_axis(log_p, ops.cast(targets, "int32")[..., None], axis=-1)[..., 0]
    return -(1 - eps) * true - (eps if mass is None else mass) * ops.mean(log_p, axis=-1)


def real(targets):
    return ops.cast(ops.not_equal(targets, PAD), "float32")


def counts_padding(targets, logits):
    return ops.mean(token_losses(targets, logits))


def divides_by_area(targets, logits, sample_weight):
    return ops.sum(token_losses(targets, logits) * real(targets)) / float(np.prod(targets.shape))


def mean_of_its_share(targets, logits):
    return ops.sum(token_losses(targets, logits) * real(targets)) / ops.sum(real(targets))


def mean_of_sentences(targets, logits):
    return ops.mean(ops.sum(token_losses(targets, logits) * real(targets), 1) / ops.sum(real(targets), 1))


def too_much_mass(targets, logits, sample_weight):
    return ops.sum(sample_weight * token_losses(targets, logits, 0.1, mass=0.1 * logits.shape[-1]))


def true_token_left_out(targets, logits, sample_weight):
    """eps / V for each symbol but the true one, which has 1 - eps: the mass is 1 - eps / V."""
    true = token_losses(targets, logits)
    return ops.sum(sample_weight * (token_losses(targets, logits, 0.1) - 0.1 / logits.shape[-1] * true))


def smooths_padding(targets, logits, sample_weight):
    spread = token_losses(targets, logits, 1.0)
    return ops.sum(sample_weight * token_losses(targets, logits) * 0.9 + 0.1 * spread * ops.max(sample_weight))


def gives_all_to_one(targets, logits, sample_weight):
    to_end = token_losses(ops.full_like(targets, EOS), logits)
    return ops.sum(sample_weight * (0.9 * token_losses(targets, logits) + 0.1 * to_end))


def softmax_twice(targets, logits, sample_weight):
    return ops.sum(sample_weight * token_losses(targets, ops.softmax(ops.cast(logits, "float32"), axis=-1)))


LOSSES = {
    "counts padding": ("loss-counts-padding", counts_padding),
    "divides by the padded area": ("loss-counts-padding", divides_by_area),
    "mean of the replica's tokens": ("loss-averaged-per-replica", mean_of_its_share),
    "mean of sentences": ("loss-averaged-per-sentence", mean_of_sentences),
    "eps for each symbol": ("smoothing-mass", too_much_mass),
    "mass of the true token left out": ("smoothing-mass", true_token_left_out),
    "smoothing on padding": ("smoothing-on-padding", smooths_padding),
    "all the smoothing on one symbol": ("smoothing-uneven", gives_all_to_one),
    "softmax twice": ("loss-not-softmax", softmax_twice),
    "probabilities expected": ("loss-not-softmax", "sparse_categorical_crossentropy"),
}
"""What is wrong: the fault's name, and the loss."""


def without_width(step):
    """The schedule's formula with d_model^-0.5 forgotten."""
    return min(step**-0.5, step * 4000**-1.5)


RECIPES = {
    "no rate": ("learning-rate-not-positive", {"optimizer": keras.optimizers.Adam(0.0)}),
    "falling uphill": ("learning-rate-not-positive", {"recipe": lambda step: -1e-4 * min(1.0, step / 4000)}),
    "not a number": ("learning-rate-not-positive", {"recipe": lambda step: float("nan")}),
    "not a number at first": ("learning-rate-not-positive", {"recipe": lambda step: 1e-4 if step > 1 else np.nan}),
    "Adam at once": ("post-norm-without-warmup", {"optimizer": keras.optimizers.Adam(1e-3)}),
    "d_model forgotten": ("peak-learning-rate-too-high", {"recipe": without_width}),
    "a high constant rate": ("peak-learning-rate-too-high", {"optimizer": keras.optimizers.Adam(0.1)}),
}
"""What is wrong: the fault's name, and what the doctor is given."""


class NoCausalMask(kt.Transformer):
    def _target_mask(self, rows):
        return ops.ones_like(causal_mask(ops.shape(rows.target_in)[1]))


class CutOff(kt.Transformer):
    """The loss cannot reach the layers; only the softmax matrix learns."""

    def _logits(self, x):
        return super()._logits(ops.stop_gradient(x)) * 0.01


class EncoderCutOff(kt.Transformer):
    def _encode(self, rows, training):
        return ops.stop_gradient(super()._encode(rows, training))


class EncoderFaint(kt.Transformer):
    """The decoder hardly hears the encoder."""

    def _encode(self, rows, training):
        return 1e-7 * super()._encode(rows, training)


class EndsInSoftmax(kt.Transformer):
    def _logits(self, x):
        return ops.softmax(super()._logits(x), axis=-1)


class SeesPadding(kt.Transformer):
    """The encoder takes padding for words; its `attention_weights` shows what it does."""

    def attention_weights(self, inputs):
        source = ops.where(ops.equal(inputs[0], PAD), 3, inputs[0])
        return super().attention_weights((source, inputs[1]))


def wide_embeddings():
    model = kt.Transformer(**SMALL | {"d_model": 64})
    model.embedding.embeddings.assign(8 * model.embedding.embeddings)
    return model


def one_head_repeated():
    """The queries and keys of the second head are those of the first."""
    model = kt.Transformer(**SMALL)
    for layer in model.encoder.layers:
        kernel = next(v for v in layer.self_attention.trainable_variables if "qkv" in v.path and "kernel" in v.path)
        values = np.array(ops.convert_to_numpy(kernel))
        values[:, 8:16], values[:, 24:32] = values[:, :8], values[:, 16:24]
        kernel.assign(values)
    return model


def dead_units():
    model = kt.Transformer(**SMALL)
    model.decoder.layers[0].feed_forward.inner.bias.assign(np.full(32, -20.0))
    return model


MODELS = {
    "label-leak": (lambda: NoCausalMask(**SMALL), "learning"),
    "cannot-overfit": (lambda: CutOff(**SMALL), "learning"),
    "loss-at-start": (wide_embeddings, "start"),
    "outputs-are-probabilities": (lambda: EndsInSoftmax(**SMALL), "start"),
    "head-on-padding": (lambda: SeesPadding(**SMALL), "first_batch"),
    "heads-alike": (one_head_repeated, "first_batch"),
    "dead-units": (dead_units, "first_batch"),
    "no-gradient": (lambda: EncoderCutOff(**SMALL), "gradient_norms"),
    "gradients-uneven": (lambda: EncoderFaint(**SMALL), "gradient_norms"),
}
"""By the fault's name: the model, and the module whose checks name it."""
