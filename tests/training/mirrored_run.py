"""Ten steps of stock `fit` under one strategy; run as a program by test_mirrored.py, once for each number of replicas.

Usage: mirrored_run.py REPLICAS OUT.npz
"""

import random
import sys

import keras
import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.layers import Dropout
from keras_transformer.models import Transformer
from keras_transformer.text import TokenBatches
from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.metrics import Perplexity, TokenAccuracy
from keras_transformer.training.schedule import TransformerSchedule, paper_adam
from keras_transformer.training.state import model_state

STEPS = 10


class Characters:
    """Stands in for a tokenizer: one id a letter."""

    pad_id, bos_id, eos_id, vocab_size = 0, 1, 2, 30

    def encode(self, texts):
        return [[ord(letter) - 94 for letter in text] for text in texts]


def pairs(number=150):
    chance = random.Random(1)

    def word():
        return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(1, 9)))

    return [(word(), word()) for _ in range(number)]


class Losses(keras.callbacks.Callback):
    """The loss of each batch: the logs are the mean since the start of the epoch, so the tracker is reset."""

    def __init__(self):
        super().__init__()
        self.losses = []

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(float(logs["loss"]))
        self.model._loss_tracker.reset_state()


SETTINGS = {
    "plain": {},
    "bfloat16": {"dtype": "mixed_bfloat16"},
    "float16": {"dtype": "mixed_float16"},
    "gradient_accumulation_steps": {"optimizer": {"gradient_accumulation_steps": 2}},
    "global_clipnorm": {"optimizer": {"global_clipnorm": 1.0}},
    "clipnorm": {"optimizer": {"clipnorm": 1.0}},
    "clipvalue": {"optimizer": {"clipvalue": 1.0}},
    "jit_compile": {"compile": {"jit_compile": True}},
}


def refusal(dtype=None, optimizer=None, compile=None):  # noqa: A002
    """What `compile` says to a setting; empty if it accepts."""
    model = small_transformer(dtype)
    try:
        model.compile(optimizer=keras.optimizers.Adam(**(optimizer or {})), loss="mse", **(compile or {}))
    except InputError as error:
        return str(error)
    return ""


def small_transformer(dtype=None, remat=False):
    sizes = {"d_model": 16, "d_ff": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    return Transformer(vocab_size=30, dropout=0.0, dtype=dtype, remat=remat, **sizes)


def main(replicas, out):
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    devices = [f"CPU:{place}" for place in range(replicas)]
    strategy = tf.distribute.MirroredStrategy(devices) if replicas > 1 else tf.distribute.get_strategy()
    keras.utils.set_random_seed(3)
    batches = TokenBatches(pairs(), Characters(), tokens_per_batch=120, seed=2, num_buckets=4, row_multiple=2)
    shapes = {batches.batch(step)[0][0].shape + batches.batch(step)[1].shape[1:] for step in range(STEPS)}
    with strategy.scope():
        model = small_transformer(remat=replicas > 1)  # which must make no difference
        model.compile(
            optimizer=paper_adam(TransformerSchedule(16, warmup_steps=5, peak_learning_rate=3e-3)),
            loss=LabelSmoothedCrossEntropy(0.1),
            metrics=[TokenAccuracy(), Perplexity()],
        )
        dropout = Dropout(0.5, seed=4)
        refusals = [refusal(**setting) for setting in SETTINGS.values()]
    assert strategy.num_replicas_in_sync == replicas
    losses = Losses()
    history = model.fit(batches.dataset(steps=STEPS), callbacks=[losses], verbose=0).history
    logs = {name: values[-1] for name, values in history.items() if name != "loss"}
    facts = {"losses": losses.losses, "buckets": len(batches.buckets), "shapes": len(shapes), "refusals": refusals}
    dropped = strategy.run(tf.function(lambda: dropout(tf.ones((1, 64)), training=True)))
    facts["dropped"] = [part.numpy() for part in strategy.experimental_local_results(dropped)]
    np.savez(out, **facts, **logs, **model_state(model))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
