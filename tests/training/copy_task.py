"""A task that a small Transformer learns in seconds, repeat the source, and a model quicker still to compile."""

import itertools

import keras
import numpy as np

from keras_transformer.models import Transformer
from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.metrics import Perplexity, TokenAccuracy
from keras_transformer.training.schedule import TransformerSchedule, paper_adam

VOCABULARY = 13


def small_model(dropout=0.0, dtype=None, d_model=16, layers=1, compiled=True, **options):
    model = Transformer(
        vocab_size=VOCABULARY,
        d_model=d_model,
        d_ff=2 * d_model,
        num_heads=2,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        dropout=dropout,
        dtype=dtype,
    )
    if compiled:
        schedule = TransformerSchedule(d_model, warmup_steps=50, peak_learning_rate=1e-2)
        options = {"optimizer": paper_adam(schedule), "metrics": [TokenAccuracy(), Perplexity()]} | options
        model.compile(loss=LabelSmoothedCrossEntropy(0.1), **options)
    return model


def quick_model(dropout=0.0, dtype=None, compiled=True):
    """Embedding, dropout and two dense layers over target_in: little to trace, all kinds of variables."""
    layers = [
        keras.layers.Embedding(VOCABULARY, 8, dtype=dtype),
        keras.layers.Dropout(dropout, dtype=dtype),
        keras.layers.Dense(8, "relu", dtype=dtype),
        keras.layers.Dropout(dropout, dtype=dtype),
        keras.layers.Dense(VOCABULARY, dtype=dtype),
    ]
    model = keras.Sequential([keras.Input((6,), dtype="int32"), *layers])
    if compiled:
        schedule = TransformerSchedule(8, warmup_steps=5, peak_learning_rate=1e-2)
        model.compile(optimizer=paper_adam(schedule), loss=LabelSmoothedCrossEntropy(), metrics=[TokenAccuracy()])
    return model


def copy_batch(seed, rows=16, longest=5):
    """((source, target_in), target_out, weights) as the pipeline yields them; weights are 1 / (tokens in the batch)."""
    rng = np.random.default_rng(seed)
    source, target_in, target_out = np.zeros((3, rows, longest + 1), "int32")
    for row, length in enumerate(rng.integers(1, longest + 1, rows)):
        pieces = rng.integers(3, VOCABULARY, length)
        source[row, : length + 1] = target_out[row, : length + 1] = [*pieces, 2]
        target_in[row, : length + 1] = [1, *pieces]
    real = (target_out != 0).astype("float32")
    return (source, target_in), target_out, real / real.sum()


def copy_batches(**shape):
    """Endless copy batches."""
    for seed in itertools.count():
        yield copy_batch(seed, **shape)
