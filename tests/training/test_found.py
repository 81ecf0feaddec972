"""What a run finds out for itself, and keeps."""

from pathlib import Path

import keras
import pytest

from keras_transformer.training.files import read_json, write_json
from keras_transformer.training.found import fastest_precision
from keras_transformer.training.run import Run
from keras_transformer.training.trainer import train
from tests.training.small_run import small_config, small_corpus


@pytest.mark.parametrize(("flags", "tensorflow"), [("avx2 avx512_bf16", "mixed_bfloat16"), ("avx2", "float32")])
def test_bfloat16_only_where_the_processor_multiplies_it(tmp_path: Path, flags: str, tensorflow: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: fpu {flags}\n")
    assert fastest_precision(cpuinfo) == (tensorflow if keras.backend.backend() == "tensorflow" else "float32")
    assert fastest_precision(tmp_path / "none") == "float32"


@pytest.mark.tensorflow_backend
def test_a_run_continues_in_the_precision_it_began_with_and_translates_in_float32(tmp_path: Path) -> None:
    run = tmp_path / "run"

    def train_to(step: int) -> None:
        config = small_config(precision="auto", max_steps=step, cooldown_steps=0)
        train(config, run, train_corpus=small_corpus(200, 1), quiet=True)

    train_to(2)
    data = read_json(run / "data.json")
    assert data["found"] == {"precision": fastest_precision()}
    write_json(run / "data.json", {**data, "found": {"precision": "mixed_bfloat16"}})  # as on another machine
    train_to(4)
    assert Run(run).config.training.precision == "mixed_bfloat16"
    assert Run(run).model("best").dtype_policy.name == Run(run).model("last").dtype_policy.name == "float32"
    before = (run / "result.json").stat().st_mtime_ns
    train_to(4)
    assert (run / "result.json").stat().st_mtime_ns == before, "a finished run does nothing"
