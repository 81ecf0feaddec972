"""The allocator's setting, asked of a process of its own."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import importlib.util, resource, sys
specification = importlib.util.spec_from_file_location("allocator", sys.argv[1])
allocator = importlib.util.module_from_spec(specification)
specification.loader.exec_module(allocator)
import numpy as np
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(4_000_000, "float32")
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
first = faults()
done = allocator.keep_freed_memory()
faults()
print(done, faults() < first / 10)
"""


@pytest.mark.backend_independent
@pytest.mark.skipif("glibc" not in str(os.confstr("CS_GNU_LIBC_VERSION")), reason="another C library")
@pytest.mark.parametrize(("environment", "expected"), [({}, "True True"), ({"MALLOC_TOP_PAD_": "1"}, "False False")])
def test_memory_that_is_freed_is_not_mapped_again(environment, expected):
    from keras_transformer.training import allocator

    kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", SCRIPT, allocator.__file__]
    done = subprocess.run(command, env=kept | environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
