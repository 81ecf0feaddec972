"""One finished run of seconds for the tests that only look."""

from pathlib import Path

import pytest

from tests.training.small_run import small_train


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "small"
    small_train(out, max_steps=30, cooldown_steps=5)
    return out
