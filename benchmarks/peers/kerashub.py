"""KerasHub's TransformerEncoder and TransformerDecoder under a stock `fit`, on TensorFlow or JAX."""

from itertools import count
from typing import Any

import keras
import keras_hub
from keras import ops

from benchmarks.batches import Batch, Pairs
from benchmarks.keras_rounds import KerasRounds
from benchmarks.protocol import serve, shapes_once, versions
from benchmarks.sizes import BETAS, EPSILON, LABEL_SMOOTHING, PAD, PEAK_RATE, WARM_UP_STEPS


@keras.saving.register_keras_serializable("benchmarks")
class Schedule(keras.optimizers.schedules.LearningRateSchedule):
    """`benchmarks.sizes.learning_rate`."""

    def __call__(self, step: Any) -> Any:
        done = ops.cast(step, "float32") + 1.0
        return PEAK_RATE * ops.minimum(done / WARM_UP_STEPS, ops.sqrt(WARM_UP_STEPS / done))

    def get_config(self) -> dict[str, Any]:
        return {}


class SmoothedLoss(keras.losses.Loss):
    """Of each token; what is padding has weight 0, the others 1 / (tokens in the batch)."""

    def __init__(self) -> None:
        super().__init__(reduction="sum", dtype="float32")

    def call(self, y_true: Any, y_pred: Any) -> Any:
        targets = ops.cast(y_true, "int32")
        log_probabilities = ops.log_softmax(y_pred, axis=-1)
        picked = ops.squeeze(ops.take_along_axis(log_probabilities, ops.expand_dims(targets, -1), axis=-1), -1)
        return -(1 - LABEL_SMOOTHING) * picked - LABEL_SMOOTHING * ops.mean(log_probabilities, axis=-1)


class Translation(keras.Model):
    """Embeddings shared three ways, sinusoidal positions, KerasHub's layers; attention has no dropout."""

    def __init__(self, size: dict[str, Any]) -> None:
        super().__init__()
        settings = {"intermediate_dim": size["d_ff"], "num_heads": size["heads"], "dropout": size["dropout"]}
        self.scale = size["d_model"] ** 0.5
        initializer = keras.initializers.RandomNormal(stddev=size["d_model"] ** -0.5)
        self.embedding = keras_hub.layers.ReversibleEmbedding(
            size["vocab_size"], size["d_model"], embeddings_initializer=initializer
        )
        self.positions = keras_hub.layers.SinePositionEncoding()
        self.dropout = keras.layers.Dropout(size["dropout"])
        self.encoders = [keras_hub.layers.TransformerEncoder(**settings) for _ in range(size["layers"])]
        self.decoders = [keras_hub.layers.TransformerDecoder(**settings) for _ in range(size["layers"])]

    def call(self, inputs: Any, training: bool = False) -> Any:
        source, target_in = inputs
        visible = ops.not_equal(source, PAD)
        memory = self.embed(source, training)
        for layer in self.encoders:
            memory = layer(memory, padding_mask=visible, training=training)
        x = self.embed(target_in, training)
        for layer in self.decoders:
            x = layer(x, memory, encoder_padding_mask=visible, training=training)
        return self.embedding(x, reverse=True)

    def embed(self, ids: Any, training: bool) -> Any:
        x = self.embedding(ids) * self.scale
        return self.dropout(x + self.positions(x), training=training)

    def without_attention_dropout(self) -> None:
        for layer in self._flatten_layers():
            if isinstance(layer, keras.layers.MultiHeadAttention):
                layer._dropout = layer._dropout_layer.rate = 0.0


def to_fit(batch: Batch) -> Any:
    weights = (batch.target_out != PAD).astype("float32")
    return (batch.source, batch.target_in), batch.target_out, weights / weights.sum()


def start(settings: dict[str, Any]) -> KerasRounds:
    import tensorflow as tf

    keras.utils.set_random_seed(1)
    keras.config.set_dtype_policy(settings["precision"])
    compiled = keras.backend.backend() == "jax"
    # What is compiled for each shape gets few shapes, what is not gets the exact ones.
    pairs = Pairs(settings["pairs"], "static" if compiled else "exact", settings["batches"])
    batches = pairs.all()
    model = Translation(settings["size"])
    model((batches[0].source[:2], batches[0].target_in[:2]))
    model.without_attention_dropout()
    model.compile(
        optimizer=keras.optimizers.Adam(Schedule(), *BETAS, EPSILON),
        loss=SmoothedLoss(),
        jit_compile=compiled,
    )
    ids, weights = tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None, None), tf.float32)

    def stream(places: Any) -> Any:
        made = tf.data.Dataset.from_generator(
            lambda: (to_fit(batches[place % len(batches)]) for place in places()),
            output_signature=((ids, ids), ids, weights),
        )
        return made.prefetch(tf.data.AUTOTUNE)

    # What is compiled runs each shape once, then some of them again.
    warm = [*(shapes_once(pairs.shapes) if compiled else []), *settings["warm"]]
    grouping = f"batches of {len(shapes_once(pairs.shapes))} shapes" if compiled else "batches of exact width"
    about = {"layout": f"{grouping}, {pairs.filled:.0%} filled", "xla": compiled}
    rounds = KerasRounds(
        model,
        lambda first: stream(lambda: count(first)),
        lambda step: batches[step % len(batches)].counts,
        (stream(lambda: warm), len(warm)),
        about,
    )
    rounds.about["versions"] |= versions("keras-hub")
    return rounds


if __name__ == "__main__":
    serve(start)
