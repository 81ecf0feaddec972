"""This package: training as `keras-transformer train` trains, translating as `translate` and the SavedModel translate.

`KERAS_BACKEND` names the backend.
"""

from functools import reduce
from pathlib import Path
from typing import Any

from benchmarks.batches import Pairs
from benchmarks.protocol import serve, shapes_once, versions
from benchmarks.sizes import PEAK_RATE, WARM_UP_STEPS
from benchmarks.translating import Sentences


def train(settings: dict[str, Any]) -> Any:
    """The trainer's own model, batches and `fit`, on the preset of this size."""
    import keras
    import numpy as np

    import keras_transformer as kt
    from benchmarks.data import MAX_LENGTH, SEED, load_corpus
    from benchmarks.keras_rounds import KerasRounds
    from keras_transformer.text import TokenBatches, Tokenizer
    from keras_transformer.training.allocator import keep_freed_memory
    from keras_transformer.training.trainer import build_model, make_schedule

    if keras.backend.backend() != "tensorflow":
        keep_freed_memory()  # as `train` does
    tokenizer = Tokenizer.load(settings["tokenizer"])
    config = kt.resolve_config(
        settings["preset"],
        recipe={},
        overrides=[
            f"training.tokens_per_batch={settings['tokens']}",
            f"training.precision={settings['precision']}",
            f"training.peak_learning_rate={PEAK_RATE}",
            f"training.warmup_steps={WARM_UP_STEPS}",
            f"tokenizer.vocab_size={tokenizer.vocab_size}",
            *settings["options"],
        ],
    )
    corpus = load_corpus(settings["dataset"]).train
    batches = TokenBatches(
        corpus,
        tokenizer,
        config.training.tokens_per_batch,
        seed=SEED,
        max_length=MAX_LENGTH,
        packed=config.data.packed,
    )
    model = build_model(config, tokenizer, make_schedule(config))
    pairs = Pairs(settings["pairs"])
    cycle = min(settings["batches"] or batches.steps_per_epoch, batches.steps_per_epoch)

    def dataset(first: int) -> Any:
        if cycle == batches.steps_per_epoch:
            return batches.dataset(first)
        return batches.dataset(0, cycle).repeat().skip(first % cycle)

    shapes = np.array([batches.batch(step)[1].shape for step in range(cycle)])
    compiled = keras.backend.backend() == "jax" or bool(getattr(model, "jit_compile", False))
    warm = shapes_once(shapes) if compiled or settings["warm"] is None else settings["warm"]
    about = {
        "layout": f"its own batches of {len(batches.buckets)} shapes{', packed' if batches.packed else ''}, "
        f"{(batches.report.source_tokens + batches.report.target_tokens) / batches.report.padded_tokens:.0%} filled",
        "xla": compiled,
    }
    first, *others = (batches.dataset(step, 1) for step in warm)
    warm_up = reduce(lambda made, one: made.concatenate(one), others, first)
    return KerasRounds(
        model, dataset, lambda step: pairs.counts(batches.indices(step % cycle)), (warm_up, len(warm)), about
    )


class Translation:
    """A run's `Translator`, text to text."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import keras

        from keras_transformer.training import Run

        self.sentences = Sentences(settings)
        self.translator = Run(settings["run"]).translator(beam_size=4, length_penalty=0.6)
        self.about = {"versions": versions("keras", keras.backend.backend()), "layout": "Translator"}
        self.translator(self.sentences.lines)

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translator)


class Served:
    """The exported SavedModel in TensorFlow alone, text to text, in one call or in calls of so many lines."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import tensorflow as tf
        import tensorflow_text  # noqa: F401 - registers the ops

        self.sentences, self.tf = Sentences(settings), tf
        self.serve = tf.saved_model.load(str(Path(settings["weights"]) / "saved_model" / "1")).signatures[
            "serving_default"
        ]
        self.size = settings["request"] or len(self.sentences.lines)
        self.about = {"versions": versions("tensorflow"), "layout": f"requests of {self.size} lines, sorted by length"}
        self.translate(self.sentences.lines)

    def translate(self, lines: list[str]) -> list[str]:
        order = sorted(range(len(lines)), key=lambda place: len(lines[place]))
        outputs = [""] * len(lines)
        for first in range(0, len(order), self.size):
            places = order[first : first + self.size]
            found = self.serve(text=self.tf.constant([lines[place] for place in places]))["translation"].numpy()
            for place, text in zip(places, found.tolist(), strict=True):
                outputs[place] = text.decode("utf-8")
        return outputs

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translate)


def start(settings: dict[str, Any]) -> Any:
    if settings["what"] == "train":
        return train(settings)
    if settings["what"] == "step":
        from benchmarks.one_step import OneStep

        return OneStep(settings)
    return Served(settings) if settings.get("served") else Translation(settings)


if __name__ == "__main__":
    serve(start)
