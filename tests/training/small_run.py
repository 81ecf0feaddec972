"""A run of seconds, and a script that does one and dies where it is told.

    python small_run.py OUT [checkpoint:N | best:N | validation:N | step:N | term:N | replicas:2]

`checkpoint:N` is kill -9 while checkpoint N is written, `best:N` between the Nth best model and its score,
`validation:N` while validation N decodes, `step:N` after update N; `term:N` is a SIGTERM there; `replicas:2` trains
a little on two devices.
"""

import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

WORDS = {letter: letter.upper() for letter in "abcdefghi"}
MODEL = {"num_encoder_layers": 1, "num_decoder_layers": 1, "d_model": 16, "d_ff": 32, "num_heads": 2, "dropout": 0.1}
TRAINING = {
    "max_steps": 60,
    "tokens_per_batch": 96,
    "warmup_steps": 20,
    "peak_learning_rate": 0.01,
    "cooldown_steps": 10,
    "log_every": 4,
    "checkpoint_every": 10,
    "validate_every": 15,
    "keep_checkpoints": 3,
    "average_last": 3,
    "memory_check": False,
    "scheduled_sampling": 0.2,  # has a counter and a random state of its own to continue with
    "scheduled_sampling_steps": 30,
}


def small_corpus(pairs: int, seed: int) -> Any:
    """Sentences of 3 or 6 one-letter words, translated word by word: two batch shapes to compile."""
    from keras_transformer.text import ParallelCorpus

    rng = random.Random(seed)
    lines = [rng.choices(list(WORDS), k=rng.choice((3, 6))) for _ in range(pairs)]
    return ParallelCorpus.from_pairs(
        [(" ".join(words), " ".join(WORDS[word] for word in words)) for words in lines], name=f"small-{seed}"
    )


def small_config(*overrides: str, **training: Any) -> Any:
    """The configuration of a run of seconds."""
    from keras_transformer.training.config import resolve_config

    return resolve_config(
        None,
        {},
        overrides,
        model=MODEL,
        tokenizer={"vocab_size": 297},
        training={**TRAINING, **training},
        decoding={"max_length_offset": 4},
    )


def small_train(out: Path, *overrides: str, **training: Any) -> Any:
    """Train with the small configuration on 200 pairs."""
    from keras_transformer.training.trainer import train

    config = small_config(*overrides, **training)
    corpora = {"train_corpus": small_corpus(200, 1), "valid_corpus": small_corpus(6, 2)}
    return train(config, out, quiet=True, **corpora)


def _die_at(where: str) -> None:
    """Arrange the process's death."""
    from keras_transformer.training import callbacks, checkpoints, validation

    kind, _, count = where.partition(":")
    left = int(count)

    def once(function: Any, number: int = signal.SIGKILL) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), number)
            return function(*args, **kwargs)

        return counted

    if kind == "checkpoint":
        checkpoints._publish = once(checkpoints._publish)
    elif kind == "best":
        validation.write_json = once(validation.write_json)
    elif kind == "validation":
        callbacks.Validator.measure = once(callbacks.Validator.measure)
    else:
        number = signal.SIGKILL if kind == "step" else signal.SIGTERM
        callbacks.RunCallback.on_train_batch_begin = once(callbacks.RunCallback.on_train_batch_begin, number)


def _two_replicas() -> None:
    """Show TensorFlow two devices."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


if __name__ == "__main__":
    death, settings = sys.argv[2] if len(sys.argv) > 2 else "", {}
    if death == "replicas:2":
        _two_replicas()
        settings = {"replicas": 2, "max_steps": 20, "memory_check": True}
    elif death:
        _die_at(death)
    sys.exit(small_train(Path(sys.argv[1]), **settings).exit_code)
