"""Which tests run on which Keras backend, and one source tree for this process and those that tests start."""

import importlib.util
import os
from collections.abc import Iterator

import pytest

from tests.other_backends import BACKEND, OTHERS, ROOT, Child, installed, start, stop

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])

if importlib.util.find_spec("torch"):
    import torch  # noqa: F401  (before TensorFlow: the other order can crash in shared native libraries)
else:
    collect_ignore = ["torch_oracle.py"]  # a module of nothing but PyTorch, which pytest opens to look for examples

SUMMARIES = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SUMMARIES] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name == "test_backends.py")  # stable: only these move, to the end
    if BACKEND == "tensorflow":
        return
    for item in items:
        if item.get_closest_marker("tensorflow_backend"):
            reason = f"needs the TensorFlow backend, this run is on {BACKEND}"
        elif item.get_closest_marker("backend_independent"):
            reason = f"does not depend on the backend: runs once, on TensorFlow, not again on {BACKEND}"
        else:
            continue
        item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for backend, summary in config.stash[SUMMARIES].items():
        terminalreporter.write_sep("=", f"the same tests on {backend}: {summary}")


@pytest.fixture(scope="session", autouse=True)
def other_backends(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Child]]:
    """The runs on the other backends, started with this one: most tests keep one core busy, so there is room."""
    asked = any(item.path.name == "test_backends.py" for item in request.session.items)
    wanted = [name for name in OTHERS if installed(name)] if asked and BACKEND == "tensorflow" else []
    logs = tmp_path_factory.mktemp("backends") if wanted else None
    children = {name: start(name, logs / f"{name}.log") for name in wanted if logs}
    yield children
    for child in children.values():
        stop(child)


@pytest.fixture(scope="session")
def backend_summaries(pytestconfig: pytest.Config) -> dict[str, str]:
    """Last line of the test run on each other backend, shown at the end of this one."""
    return pytestconfig.stash[SUMMARIES]
