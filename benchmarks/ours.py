"""This package: training as `keras-transformer train` trains, translating as `translate` and the SavedModel translate.

`KERAS_BACKEND` names the backend.
"""

import json
from functools import reduce
from pathlib import Path
from typing import Any

from benchmarks.batches import Pairs
from benchmarks.protocol import serve, shapes_once, versions
from benchmarks.sizes import PEAK_RATE, WARM_UP_STEPS
from benchmarks.translating import Sentences, by_length, in_chunks


def train(settings: dict[str, Any]) -> Any:
    """The trainer's own model, batches and `fit`, on the preset of this size."""
    import keras
    import numpy as np

    from benchmarks.data import MAX_LENGTH, SEED, load_corpus
    from benchmarks.keras_rounds import KerasRounds
    from keras_transformer.processor import keep_freed_memory
    from keras_transformer.text import TokenBatches, Tokenizer
    from keras_transformer.training.trainer import build_model, make_schedule

    kept = keep_freed_memory()  # as `train` does
    tokenizer = Tokenizer.load(settings["tokenizer"])
    config = resolve(settings, tokenizer.vocab_size)
    tokens, packed = config.training.tokens_per_batch, config.data.packed
    corpus = load_corpus(settings["dataset"]).train
    batches = TokenBatches(corpus, tokenizer, tokens, seed=SEED, max_length=MAX_LENGTH, packed=packed)
    model = build_model(config, tokenizer, make_schedule(config))
    pairs = Pairs(settings["pairs"])
    cycle = min(settings["batches"] or batches.steps_per_epoch, batches.steps_per_epoch)

    def dataset(first: int) -> Any:
        if cycle == batches.steps_per_epoch:
            return batches.dataset(first)
        return batches.dataset(0, cycle).repeat().skip(first % cycle)

    shapes = np.array([batches.batch(step)[1].shape for step in range(cycle)])
    compiled = keras.backend.backend() == "jax" or bool(getattr(model, "jit_compile", False))
    # What is compiled runs each shape once, then some of them again.
    warm = shapes_once(shapes) if compiled or settings.get("each_shape") else []
    warm = [*warm, *(place % cycle for place in settings["warm"])]
    first, *others = (batches.dataset(step, 1) for step in warm)
    warm_up = reduce(lambda made, one: made.concatenate(one), others, first)
    about = {"layout": tell_layout(batches, kept), "xla": compiled}
    return KerasRounds(
        model, dataset, lambda step: pairs.counts(batches.indices(step % cycle)), (warm_up, len(warm)), about
    )


def resolve(settings: dict[str, Any], vocab_size: int) -> Any:
    """The configuration of a run: the preset, what all trainers share, and the settings asked for."""
    import keras_transformer as kt

    overrides = [
        f"training.tokens_per_batch={settings['tokens']}",
        f"training.precision={settings['precision']}",
        f"training.peak_learning_rate={PEAK_RATE}",
        f"training.warmup_steps={WARM_UP_STEPS}",
        f"tokenizer.vocab_size={vocab_size}",
    ]
    return kt.resolve_config(settings["preset"], recipe={}, overrides=[*overrides, *settings["options"]])


def tell_layout(batches: Any, kept: bool) -> str:
    """The batches in words, and whether the allocator was told by the package itself to keep freed memory."""
    report = batches.report
    filled = (report.source_tokens + report.target_tokens) / report.padded_tokens
    packed, memory = ", packed" if batches.packed else "", ", keeps freed memory by itself" if kept else ""
    return f"its own batches of {len(batches.buckets)} shapes{packed}, {filled:.0%} filled{memory}"


class Translation:
    """A run's `Translator`, text to text."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import keras

        from keras_transformer.processor import keep_freed_memory
        from keras_transformer.training import Run

        keep_freed_memory()  # as `translate` does
        self.sentences = Sentences(settings)
        self.translator = Run(settings["run"]).translator(beam_size=4, length_penalty=0.6)
        self.about = {"versions": versions("keras", keras.backend.backend()), "layout": "Translator"}
        self.translator(self.sentences.lines)

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translator, by_length(self.sentences.pieces(), self.translator.batch_size))


class Served:
    """The exported SavedModel in TensorFlow alone, text to text, in one call or in calls of so many lines."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import tensorflow as tf
        import tensorflow_text  # noqa: F401 - registers the ops

        self.sentences, self.tf, self.chunking = Sentences(settings), tf, settings["chunking"]
        folder = Path(settings["weights"]) / "saved_model" / "1"
        self.manifest = json.loads((folder / "assets.extra" / "manifest.json").read_text(encoding="utf-8"))
        self.serve = tf.saved_model.load(str(folder)).signatures["serving_default"]
        self.size = settings["request"] or len(self.sentences.lines)
        self.about = {"versions": versions("tensorflow"), "layout": f"requests of {self.size} lines, sorted by length"}
        self.translate(self.sentences.lines)

    def translate(self, lines: list[str]) -> list[str]:
        outputs = [""] * len(lines)
        for places in self.requests(lines):
            found = self.serve(text=self.tf.constant([lines[place] for place in places]))["translation"].numpy()
            for place, text in zip(places, found.tolist(), strict=True):
                outputs[place] = text.decode("utf-8")
        return outputs

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translate, self.chunks())

    def requests(self, lines: list[str]) -> list[list[int]]:
        """Places of the lines of each call."""
        return by_length(lines, self.size)

    def chunks(self) -> list[list[int]]:
        """Places of the lines that the SavedModel translates together, which cannot be seen from outside."""
        longest = self.manifest["decoding"]["max_source_length"]
        lengths = [min(len(row) + 1, longest) if row else 0 for row in self.sentences.pieces()]
        return [
            [places[row] for row in chunk]
            for places in self.requests(self.sentences.lines)
            for chunk in in_chunks([lengths[place] for place in places], **self.chunking)
        ]


def start(settings: dict[str, Any]) -> Any:
    if not settings.get("served"):
        import keras_transformer  # noqa: F401 - before a backend, as a user has it: it sets what TensorFlow then reads
    if settings["what"] == "train":
        return train(settings)
    if settings["what"] == "step":
        from benchmarks.one_step import OneStep

        return OneStep(settings)
    return Served(settings) if settings.get("served") else Translation(settings)


if __name__ == "__main__":
    serve(start)
