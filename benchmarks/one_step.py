"""One training step of our model at its full size, on made-up tokens: for its memory and its time."""

import time
from typing import Any

import keras
import numpy as np

import keras_transformer as kt
from benchmarks.protocol import minor_faults, versions
from keras_transformer.training.trainer import build_model, make_schedule


class _Vocabulary:
    """As much of a tokenizer as a model is built from."""

    def __init__(self, size: int) -> None:
        self.vocab_size = size


class OneStep:
    """A step of N source and N target tokens without padding.

    Args:
        settings: "preset", "vocab_size", "tokens" (N), "length" of each sentence, "precision", "options".
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        tokens, length, vocab_size = settings["tokens"], settings["length"], settings["vocab_size"]
        overrides = [
            f"training.tokens_per_batch={tokens}",
            f"training.precision={settings['precision']}",
            f"tokenizer.vocab_size={vocab_size}",
            *settings["options"],
        ]
        config = kt.resolve_config(settings["preset"], recipe={}, overrides=overrides)
        self.model = build_model(config, _Vocabulary(vocab_size), make_schedule(config))
        rows = max(1, tokens // length)
        random = np.random.default_rng(0)
        source, target = (random.integers(4, vocab_size, (rows, length)).astype("int32") for _ in range(2))
        target_in = np.roll(target, 1, axis=1)
        target_in[:, 0] = 1
        self.batch = ((source, target_in), target, np.full(target.shape, 1.0 / target.size, "float32"))
        backend = keras.backend.backend()
        self.about = {
            "versions": versions("keras", backend),
            "parameters": self.model.count_params(),
            "shape": f"{rows} pairs of {length} and {length} tokens",
        }

    def round(self, warm: int, steps: int) -> dict[str, Any]:
        """Train on the same batch: steps to warm up, of which the first compiles, then those that are timed."""
        inputs, targets, weights = self.batch
        passed, faults = [], []
        for _ in range(warm + steps):
            before, began = minor_faults(), time.perf_counter()
            loss = float(self.model.train_on_batch(inputs, targets, sample_weight=weights))
            passed.append(time.perf_counter() - began)
            faults.append(minor_faults() - before)
        return {
            "first_seconds": passed[0],
            "seconds": min(passed[warm:]),
            "faults": sum(faults[warm:]),
            "steps": steps,
            "step_faults": faults,
            "loss": loss,
        }
