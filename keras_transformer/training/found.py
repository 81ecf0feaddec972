"""Settings that a run finds out for itself: kept in data.json, so that it continues with them wherever it goes on."""

from pathlib import Path
from typing import Any

import keras

from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json, write_json
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.settings import AUTO, PAPER_TOKENS

_KEY = "found"
_UNDIVIDED = {"tokens_per_batch": PAPER_TOKENS, "accumulate": 1}


def read_found(files: RunFiles) -> dict[str, Any]:
    """What the run has found so far: values of the training section by name."""
    found: dict[str, Any] = (read_json(files.data) or {}).get(_KEY, {})
    return found


def note_found(files: RunFiles, **values: Any) -> None:
    """Keep what was found.

    Args:
        files: the run, with its data.json.
        **values: values of the training section.
    """
    data = read_json(files.data) or {}
    write_json(files.data, {**data, _KEY: {**data.get(_KEY, {}), **values}})


def with_found(files: RunFiles, config: RunConfig) -> RunConfig:
    """The configuration with what the run found where it says auto.

    Args:
        files: the run.
        config: its configuration.

    Returns:
        One without auto. What is not found yet is as on a machine of enough memory, and float32.
    """
    found, training = read_found(files), config.training
    if training.tokens_per_batch == AUTO:
        config = with_training(config, **{name: found.get(name, value) for name, value in _UNDIVIDED.items()})
    if training.precision == AUTO:
        config = with_training(config, precision=found.get("precision", "float32"))
    return config


def with_training(config: RunConfig, **values: Any) -> RunConfig:
    """The configuration with these values of its training section."""
    return config.model_copy(update={"training": config.training.model_copy(update=values)})


def settle_precision(files: RunFiles, config: RunConfig, reporter: Reporter) -> RunConfig:
    """`training.precision=auto` as a precision: the one that the run began with, or the fastest here.

    Args:
        files: the run, with its data.json.
        config: its configuration.
        reporter: told of a precision that is not float32.

    Returns:
        The configuration with a precision.
    """
    if config.training.precision != AUTO:
        return config
    if "precision" not in read_found(files):
        note_found(files, precision=fastest_precision())
    precision = read_found(files)["precision"]
    if precision != "float32":
        reporter.say(f"training in {precision}, which this processor multiplies faster (training.precision=auto)")
    return with_training(config, precision=precision)


def fastest_precision(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The precision in which a training step takes least time on this machine and backend, where that was measured.

    TensorFlow on a CPU that multiplies bfloat16 itself (AVX512-BF16, AMX) trains faster in mixed_bfloat16, and as well.
    XLA on the CPU, so JAX, gains nothing from it; PyTorch and accelerators were not measured and stay with float32.

    Args:
        cpuinfo: the system's description of the processor.

    Returns:
        A dtype policy: "mixed_bfloat16" or "float32".

    Example:
        >>> fastest_precision() in ("mixed_bfloat16", "float32")
        True
    """
    if keras.backend.backend() != "tensorflow" or not cpuinfo.is_file():
        return "float32"
    import tensorflow as tf

    flags = next((line for line in cpuinfo.read_text().splitlines() if line.startswith("flags")), "").split()
    fast = {"avx512_bf16", "amx_bf16"} & set(flags)
    return "mixed_bfloat16" if fast and not tf.config.list_physical_devices("GPU") else "float32"
