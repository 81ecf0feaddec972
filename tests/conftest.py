"""Which tests run on which Keras backend."""

import os

import pytest

BACKEND = os.environ.setdefault("KERAS_BACKEND", "tensorflow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if BACKEND == "tensorflow":
        return
    for item in items:
        if item.get_closest_marker("tensorflow_backend"):
            item.add_marker(pytest.mark.skip(reason=f"needs the TensorFlow backend, this run is on {BACKEND}"))
        elif item.get_closest_marker("backend_independent"):
            item.add_marker(pytest.mark.skip(reason=f"does not depend on the backend, ran once, not again on {BACKEND}"))
