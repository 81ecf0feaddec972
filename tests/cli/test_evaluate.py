"""Which sentences `evaluate` takes."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from keras_transformer.cli.evaluate import _test_set, evaluate
from keras_transformer.errors import InputError
from keras_transformer.text import datasets
from keras_transformer.training.config import resolve_config

pytestmark = pytest.mark.backend_independent


def test_the_test_split_is_that_of_the_data_the_run_was_trained_on() -> None:
    options = {"seed": 2, "pairs": 100}
    run = SimpleNamespace(config=resolve_config("tiny", data={"dataset": "phrases", "options": options}))
    chosen = _test_set(run, (None, None), None, None)
    assert chosen.sources == datasets.load("phrases", **options).test["test"].sources
    assert chosen.sources != datasets.load("phrases", pairs=100).test["test"].sources


def test_a_folder_that_is_not_there_is_named_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its folder does not exist"):
        evaluate(run=tmp_path / "no-run", save=tmp_path / "none" / "out.txt")
