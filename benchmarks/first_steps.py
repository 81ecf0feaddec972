"""The first two steps of `keras-transformer train --dataset phrases`: python -m benchmarks.first_steps RUN."""

import sys
from typing import Any

import keras_transformer as kt

# isort: split
import keras

from benchmarks.marks import mark

NAMES = ("train on phrases: to the end of the first step", "train on phrases: to the end of the second step")


class Marks(keras.callbacks.Callback):
    """Marks the end of the first two steps, then ends training."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        mark(NAMES[batch])
        self.model.stop_training = batch + 1 == len(NAMES)


def main() -> None:
    """Train in a new run folder with the recipe of the quickstart."""
    config = kt.resolve_config("tiny", data={"dataset": "phrases"})
    kt.train(config, sys.argv[1], callbacks=[Marks()], quiet=True)


if __name__ == "__main__":
    main()
