"""One update in a process of its own, to see whether it fits.

Started by `batch_size.py` with a folder, which holds config.yaml and batch.npz, and a tokenizer. The answer is
answer.json in the folder: {"peak_bytes": N}, or {"peak_bytes": null} if the memory of the device did not suffice.
"""

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from keras_transformer.processor import keep_freed_memory
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import write_json
from keras_transformer.training.memory import is_out_of_memory, peak_memory


def main(place: str, tokenizer: str) -> None:
    """Train on the batch until the weights are updated, two batches at most, and say what that took."""
    folder = Path(place)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    keep_freed_memory()
    config = RunConfig.load(folder / "config.yaml")
    with np.load(folder / "batch.npz", allow_pickle=False) as arrays:
        *inputs, targets, weights = (arrays[name] for name in arrays.files)
    try:
        _update(config, Path(tokenizer), (tuple(inputs), targets, weights))
        write_json(folder / "answer.json", {"peak_bytes": peak_memory()})
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        write_json(folder / "answer.json", {"peak_bytes": None})


def _update(config: RunConfig, tokenizer: Path, batch: Any) -> None:
    from keras_transformer.text import Bucket, Tokenizer
    from keras_transformer.text.tf_dataset import as_dataset
    from keras_transformer.training.trainer import build_model, make_schedule

    model = build_model(config, Tokenizer.load(tokenizer), make_schedule(config))
    steps = min(config.training.accumulate, 2)  # the second one has gradients to add to
    (source, target_in, *segments), *_ = batch
    packed = Bucket(source.shape[1], target_in.shape[1], source.shape[0]) if segments else None
    batches = as_dataset(lambda: iter([batch] * steps), steps, packed)
    model.fit(batches, epochs=1, steps_per_epoch=steps, shuffle=False, verbose=0)


def _end_with(parent: int) -> None:
    """Do not outlive the run that asked, even if that is killed."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
