"""The virtual environment of each peer, made when it is first asked for."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "torch": ("torch==2.13.0", "numpy>=2"),
    "hf": ("torch==2.13.0", "transformers>=5", "sentencepiece>=0.2"),
    "joeynmt": ("torch==2.13.0", "joeynmt==2.3.0", "importlib_metadata"),
    "kerashub": ("keras-hub>=0.32", "tensorflow>=2.21", "jax>=0.6"),
    "ctranslate2": ("ctranslate2>=4.5", "sentencepiece>=0.2", "numpy>=2"),
    "opennmt-tf": ("OpenNMT-tf==2.32.0", "tensorflow-cpu==2.13.1", "numpy<2"),
}
OWN = {"torch": ("torch",), "kerashub": ("keras_hub", "jax"), "ctranslate2": ("ctranslate2", "sentencepiece")}
"""What this interpreter must have to do without another environment."""
PYTHON = {"opennmt-tf": "3.11"}
INSTALL_SECONDS = 1800.0
"""That making an environment, or installing into it, may take."""


class EnvironmentMissingError(RuntimeError):
    """A peer cannot be measured here; the message says why."""


def interpreter(peer: str, work: Path) -> Path:
    """The Python that a peer's worker runs in.

    Args:
        peer: its name.
        work: the work folder; environments are in venvs/ in it.

    Raises:
        EnvironmentMissingError: it cannot be made.
    """
    if peer in OWN and all(importlib.util.find_spec(name) for name in OWN[peer]):
        return Path(sys.executable)
    folder = work / "venvs" / peer
    python, done = folder / "bin" / "python", folder / "complete"
    if done.is_file():
        return python
    print(f"making the environment of {peer} in {folder}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run([_base(peer), "-m", "venv", str(folder)], peer)
    _run([str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS[peer]], peer)
    done.touch()
    return python


def _base(peer: str) -> str:
    """The interpreter that an environment is made with."""
    wanted = PYTHON.get(peer)
    if wanted is None or sys.version.startswith(f"{wanted}."):
        return sys.executable
    found = shutil.which(f"python{wanted}")
    if found is None:
        raise EnvironmentMissingError(f"{peer} needs Python {wanted}, which is not on the path")
    return found


def _run(command: list[str], peer: str, seconds: float = INSTALL_SECONDS) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise EnvironmentMissingError(f"the environment of {peer} was not made in {seconds:,.0f} s") from None
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise EnvironmentMissingError(f"the environment of {peer} could not be made ({last[:200]})")
