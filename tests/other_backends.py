"""Test runs on the other Keras backends, each in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BACKEND = os.environ.setdefault("KERAS_BACKEND", "tensorflow")
OTHERS = ("jax", "torch")
DOCTESTS = ("layers", "models", "training", "decoding")  # what runs on a backend; the others run once
# JAX compiles every operation for every shape; small models run no slower for it, and tests take half the time.
QUICK_COMPILATION = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"


@dataclass
class Child:
    """A test run on another backend and the file that takes its output."""

    process: subprocess.Popen[bytes]
    log: Path


def installed(backend: str) -> bool:
    return importlib.util.find_spec(backend) is not None


def start(backend: str, log: Path) -> Child:
    command = [sys.executable, "-m", "pytest", "-q", "-r", "fE", "--tb=short", "-p", "no:cacheprovider"]
    command += ["tests", *(f"keras_transformer/{room}" for room in DOCTESTS)]
    # Several runs share the machine: threads that wait in a busy loop would take time from the others.
    environment = {"OMP_NUM_THREADS": "1"} | os.environ | {"KERAS_BACKEND": backend}
    if backend == "jax":
        environment.setdefault("XLA_FLAGS", QUICK_COMPILATION)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    return Child(process, log)


def stop(child: Child) -> None:
    child.process.kill()
    child.process.wait()
