"""A tokenizer and small models with lively weights, for the tests of attention maps."""

from typing import Any

import keras
import numpy as np

import keras_transformer as kt

SENTENCE = "a dog runs today"
HOSTILE = "a </script><img src=x onerror=alert(1)> & {{script}} dog"
LINES = [SENTENCE, "heute läuft ein Hund", *[HOSTILE] * 5]


def tokenizer() -> kt.Tokenizer:
    return kt.Tokenizer.train([LINES], vocab_size=320)


def lively(model_class: type = kt.Transformer, seed: int = 0, spread: float = 0.6, **fields: Any) -> Any:
    """A model of 320 pieces whose attention is neither flat nor all on one key, the same on every backend."""
    settings = {"d_model": 16, "num_heads": 4, "d_ff": 24, "num_encoder_layers": 1, "num_decoder_layers": 2}
    model = model_class(vocab_size=320, **{**settings, **fields})
    random = np.random.default_rng(seed)
    for weight in model.weights:
        if "float" in keras.backend.standardize_dtype(weight.dtype) and len(weight.shape) == 2:
            width = 0.25 if weight.shape[0] == 320 else spread
            weight.assign(random.normal(0, width, weight.shape).astype("float32"))
    return model
