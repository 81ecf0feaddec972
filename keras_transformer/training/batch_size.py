"""`training.tokens_per_batch=auto`: the largest batch that fits, and as many of them as make the paper's update."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

import keras_transformer
from keras_transformer.errors import InputError
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json
from keras_transformer.training.found import note_found, read_found, with_found, with_training
from keras_transformer.training.memory import free_memory, resident_memory
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.settings import AUTO, PAPER_TOKENS

SPLITS = (1, 2, 4, 8, 16, 32)
"""Batches an update is split into, tried in this order."""
SHARE = 0.9
"""Of the memory that is free, what a run may take."""
_SAMPLED, _LONGEST = 20_000, 100  # pairs that stand for the corpus: evenly spread, and those of most characters
_POLL_SECONDS = 0.05
# Nothing is imported from the folder that training is started in, which may hold anything.
_START = (
    "import sys; sys.path.append(sys.argv[1]); from keras_transformer.training.trial import main; main(*sys.argv[2:])"
)


def settle_batch(
    files: RunFiles, config: RunConfig, train: Any, tokenizer: Any, packed: bool, reporter: Reporter
) -> RunConfig:
    """Find out which batch fits into memory, unless the configuration or an earlier start of the run says so.

    The batch that needs most memory makes an update in a process of its own: first one of the paper's 25,000 target
    tokens, then, while that does not fit, halves, quarters and so on. What the machine runs out of, or the system ends,
    or takes more than `training.memory_gib`, does not fit. The run keeps the answer and so continues with it.

    Args:
        files: the run, with its tokenizer, configuration and data.json.
        config: its configuration.
        train: the pairs to train on.
        tokenizer: its tokenizer.
        packed: whether rows hold several pairs.
        reporter: told of each trial and of the result.

    Returns:
        The configuration with both numbers.

    Raises:
        InputError: not even the smallest batch fits, or training fails for another reason.
    """
    if config.training.tokens_per_batch != AUTO:
        return config
    if "accumulate" not in read_found(files):
        note_found(files, **_find(files, config, _sample(train), tokenizer, packed, reporter))
    config = with_found(files, config)
    tokens, batches = config.training.tokens_per_batch, config.training.accumulate
    reporter.say(
        f"an update is {batches * tokens:,} target tokens, padding included: {batches} x {tokens:,} "
        f"(training.accumulate={batches} training.tokens_per_batch={tokens})"
    )
    return config


def _find(
    files: RunFiles, config: RunConfig, pairs: Sequence[tuple[str, str]], tokenizer: Any, packed: bool, said: Reporter
) -> dict[str, int]:
    """The largest batch that fits, as settings of the training section."""
    from keras_transformer.text import TokenBatches

    limit = _limit(config)
    within = "" if limit is None else f" of {limit / 2**30:.1f} GiB"
    for split in SPLITS:
        tokens = PAPER_TOKENS // split
        if split > 1 and tokens < config.data.max_length:
            break
        batches = TokenBatches(pairs, tokenizer, tokens, max_length=config.data.max_length, packed=packed)
        peak = _try(files, with_training(config, tokens_per_batch=tokens, accumulate=split), batches.largest(), limit)
        if peak is not None:
            said.say(f"{tokens:,} target tokens at once: fits, {peak / 2**30:.1f} GiB{within}")
            return {"tokens_per_batch": tokens, "accumulate": split}
        said.say(f"{tokens:,} target tokens at once: does not fit{' into' + within[3:] if within else ''}")
    raise InputError(
        f"Not even {tokens:,} target tokens at once fit into memory; set training.remat=true, lower data.max_length "
        f"({config.data.max_length}) or choose a smaller model."
    )


def _try(files: RunFiles, config: RunConfig, batch: Any, limit: float | None) -> int | None:
    """Peak memory in bytes of an update of such batches; None if they do not fit."""
    inputs, targets, weights = batch
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "config.yaml").write_text(config.to_yaml(), encoding="utf-8")
        np.savez(place / "batch.npz", *inputs, targets, weights)
        with (place / "errors").open("w+", encoding="utf-8", errors="replace") as errors:
            package = str(Path(keras_transformer.__file__).parent.parent)
            command = [sys.executable, "-P", "-c", _START, package, folder, str(files.tokenizer.resolve())]
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=_surroundings()
            )
            try:
                fits = _watch(process, limit)
            finally:
                process.kill()
                process.wait()
            answer = read_json(place / "answer.json")
            if answer is None and fits and process.returncode >= 0:
                errors.seek(0)
                tokens = config.training.tokens_per_batch
                raise InputError(f"A first update of {tokens:,} target tokens failed: {_reason(errors.read())}")
    peak: int | None = (answer or {}).get("peak_bytes")
    return peak if fits and peak is not None and (limit is None or peak <= limit) else None


def _reason(messages: str) -> str:
    """The line of a traceback that names the error."""
    lines = messages.strip().splitlines() or ["no message"]
    return next((line for line in reversed(lines) if re.match(r"[\w.]*(Error|Exception)\b", line)), lines[-1])


def _watch(process: subprocess.Popen[bytes], limit: float | None) -> bool:
    """Wait for the end; False if the process took more than the limit before."""
    while process.poll() is None:
        if limit is not None and resident_memory(process.pid) > limit:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _surroundings() -> dict[str, str]:
    """The trial's environment: this backend, and no accelerator memory taken before it is needed."""
    shared = {"TF_FORCE_GPU_ALLOW_GROWTH": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return {**shared, **os.environ, "KERAS_BACKEND": keras.backend.backend()}


def _limit(config: RunConfig) -> float | None:
    """Bytes that the run may take; None where the system does not say what is free."""
    if config.training.memory_gib is not None:
        return config.training.memory_gib * 2**30
    free = free_memory()
    return None if free is None else SHARE * free


def _sample(train: Any) -> list[tuple[str, str]]:
    """Pairs that give batches of the corpus's shapes, without encoding all of a large one."""
    pairs = list(train)
    if len(pairs) <= _SAMPLED + _LONGEST:
        return pairs
    longest = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))[-_LONGEST:]
    return pairs[:: len(pairs) // _SAMPLED + 1] + longest


def share_accelerators() -> None:
    """Let trials have what this process does not need of a GPU; without effect once TensorFlow has looked for it."""
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
