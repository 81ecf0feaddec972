"""OpenNMT-tf 2.32: its Transformer and its loss in one `tf.function` of unknown shapes, as its trainer has it."""

import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

import opennmt
import tensorflow as tf

from benchmarks.batches import Batch, Pairs
from benchmarks.protocol import Steps, serve, versions
from benchmarks.sizes import BETAS, EPSILON, LABEL_SMOOTHING, PAD, PEAK_RATE, WARM_UP_STEPS


class Schedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    """`benchmarks.sizes.learning_rate`."""

    def __call__(self, step: Any) -> tf.Tensor:
        done = tf.cast(step, tf.float32) + 1.0
        return PEAK_RATE * tf.minimum(done / WARM_UP_STEPS, tf.sqrt(WARM_UP_STEPS / done))


def make_model(size: dict[str, Any], folder: Path) -> opennmt.models.Transformer:
    """Post-norm, all embeddings shared, dropout where the paper has it."""
    pieces = [f"piece{index}" for index in range(4, size["vocab_size"])]
    vocabulary = folder / "vocabulary"
    # Padding, begin and end stand first; an unknown token is added at the end, so one piece less is written.
    vocabulary.write_text("\n".join(chain(["<blank>", "<s>", "</s>"], pieces)) + "\n", encoding="utf-8")
    model = opennmt.models.Transformer(
        opennmt.inputters.WordEmbedder(embedding_size=size["d_model"]),
        opennmt.inputters.WordEmbedder(embedding_size=size["d_model"]),
        num_layers=size["layers"],
        num_units=size["d_model"],
        num_heads=size["heads"],
        ffn_inner_dim=size["d_ff"],
        dropout=size["dropout"],
        attention_dropout=0.0,
        ffn_dropout=0.0,
        share_embeddings=opennmt.models.EmbeddingsSharingLevel.ALL,
        pre_norm=False,
    )
    files = {"source_vocabulary": str(vocabulary), "target_vocabulary": str(vocabulary)}
    model.initialize(files, {"label_smoothing": LABEL_SMOOTHING, "average_loss_in_time": True})
    return model


def start(settings: dict[str, Any]) -> Steps:
    tf.random.set_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(settings["size"], Path(folder))
        optimizer = tf.keras.optimizers.legacy.Adam(Schedule(), *BETAS, EPSILON)
        model.create_variables(optimizer)
    ids = tf.TensorSpec((None, None), tf.int32)

    @tf.function(input_signature=(ids, ids, ids))
    def update(source: tf.Tensor, target_in: tf.Tensor, target_out: tf.Tensor) -> tf.Tensor:
        lengths = {name: length_of(x) for name, x in (("source", source), ("target", target_out))}
        features = {"ids": source, "length": lengths["source"]}
        labels = {"ids": target_in, "ids_out": target_out, "length": lengths["target"]}
        loss, gradients = model.compute_gradients(features, labels, optimizer)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def step(batch: Batch) -> float:
        return float(update(*map(tf.constant, batch[:3])))

    pairs = Pairs(settings["pairs"], "exact", settings["batches"])
    about = {
        "versions": versions("OpenNMT-tf", "tensorflow-cpu", "numpy"),
        "parameters": sum(variable.shape.num_elements() for variable in model.trainable_variables),
        "layout": f"batches of exact width, {pairs.filled:.0%} filled",
    }
    return Steps(pairs.all(), step, settings["warm"], about)


def length_of(ids: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.cast(ids != PAD, tf.int32), axis=1)


if __name__ == "__main__":
    serve(start)
