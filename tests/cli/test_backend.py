"""How a command starts its backend."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
sys.argv[0] = "keras-transformer"  # the installed command, which imports nothing before it must
os.cpu_count = lambda: {cores}
from keras_transformer.cli.backend import import_backend
import_backend(searches={searches})
import tensorflow
print(tensorflow.config.threading.get_intra_op_parallelism_threads())
"""


@pytest.mark.tensorflow_backend
@pytest.mark.parametrize(
    ("cores", "searches", "environment", "threads"),
    [
        (2, True, {}, "1"),
        (2, False, {}, "0"),
        (4, True, {}, "0"),
        (2, True, {"TF_NUM_INTRAOP_THREADS": "2"}, "0"),
    ],
)
def test_a_command_that_translates_gives_an_operation_one_thread_on_two_cores(cores, searches, environment, threads):
    script = SCRIPT.format(cores=cores, searches=searches)
    kept = {name: value for name, value in os.environ.items() if name != "TF_NUM_INTRAOP_THREADS"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=kept | environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == threads
