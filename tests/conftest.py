"""Which tests run in which process, and one source tree for this process and those that tests start."""

import importlib.util
import os
from collections.abc import Iterator

import pytest

from tests.beside import BACKEND, ROOT, SHARE, Beside

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])

if importlib.util.find_spec("torch"):
    import torch  # noqa: F401  (before TensorFlow: the other order can crash in shared native libraries)
else:
    collect_ignore = ["torch_oracle.py"]  # a module of nothing but PyTorch, which pytest opens to look for examples

SUMMARIES = pytest.StashKey[dict[str, str]]()
LAST = "test_beside.py"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SUMMARIES] = {}


def parts(items: list[pytest.Item]) -> set[str]:
    """Names of the processes that these tests wait for."""
    waiting = items if BACKEND == "tensorflow" else []
    return {item.callspec.params["part"].name for item in waiting if item.path.name == LAST}


@pytest.hookimpl(trylast=True)  # when -k and -m have chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name == LAST)  # stable: only these move, to the end
    if "diagnostics" in parts(items) and not config.getoption("lf", False):
        config.hook.pytest_deselected(items=[item for item in items if SHARE in item.path.parents])
        items[:] = [item for item in items if SHARE not in item.path.parents]
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
    for name, summary in config.stash[SUMMARIES].items():
        terminalreporter.write_sep("=", f"{name}, beside: {summary}")


@pytest.fixture(scope="session", autouse=True)
def beside(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside | None]:
    """The runs beside this one, started with it."""
    wanted = parts(request.session.items)
    if not wanted:
        yield None
        return
    others = Beside(tmp_path_factory.mktemp("beside"), wanted)
    yield others
    others.stop()


@pytest.fixture(scope="session")
def summaries(pytestconfig: pytest.Config) -> dict[str, str]:
    """Last line of each run beside this one, shown at the end of this one."""
    return pytestconfig.stash[SUMMARIES]
