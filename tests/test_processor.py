"""The allocator's setting, asked of a process of its own."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import importlib.util, resource, sys
specification = importlib.util.spec_from_file_location("processor", sys.argv[1])
processor = importlib.util.module_from_spec(specification)
specification.loader.exec_module(processor)
from concurrent.futures import ThreadPoolExecutor
import numpy as np
def touch(size):
    for _ in range(10):
        np.ones(size, "float32")
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    with ThreadPoolExecutor(2) as pool:  # threads have arenas of their own unless told otherwise
        list(pool.map(touch, [4_000_000, 12_000_000]))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
first = faults()
done = processor.keep_freed_memory()
print(done, min(faults() for _ in range(6)) < first / 10)
"""


@pytest.mark.backend_independent
@pytest.mark.skipif("glibc" not in str(os.confstr("CS_GNU_LIBC_VERSION")), reason="another C library")
@pytest.mark.parametrize(("environment", "expected"), [({}, "True True"), ({"MALLOC_TOP_PAD_": "1"}, "False False")])
def test_memory_that_is_freed_is_not_mapped_again(environment, expected):
    from keras_transformer import processor

    kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", SCRIPT, processor.__file__]
    done = subprocess.run(command, env=kept | environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


FAULTS = """
import resource, statistics, sys
import numpy as np
import keras_transformer as kt
if sys.argv[1] == "keep":
    kt.keep_freed_memory()
random = np.random.default_rng(0)
source, target = (random.integers(4, 2000, (48, 32)).astype("int32") for _ in range(2))
weights = np.full(target.shape, 1 / target.size, "float32")
model = kt.Transformer(vocab_size=2000, d_model=64, num_heads=4, d_ff=512, num_encoder_layers=2, num_decoder_layers=2)
model.compile(optimizer=kt.paper_adam(1e-3), loss=kt.LabelSmoothedCrossEntropy(0.1))
search = kt.BeamSearch(beam_size=4, max_length_offset=0)
from keras_transformer.decoding.compiled import SearchModel, predict
compiled = SearchModel(model, search)
def faults(work, times):
    counts = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        work()
        counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return statistics.median(counts[times // 2:])
train = lambda: model.train_on_batch((source, target), target, sample_weight=weights)
decode = lambda: predict(compiled, model, source)
print(faults(train, 20), faults(decode, 6) / source.shape[1])
"""


def count_faults(argument):
    """Page faults of a training step and of a decoding step, after warm-up, in a fresh process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    command = [sys.executable, "-c", FAULTS, argument]
    done = subprocess.run(command, env=kept, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()[-2:]]


@pytest.mark.skipif("glibc" not in str(os.confstr("CS_GNU_LIBC_VERSION")), reason="another C library")
def test_a_step_maps_less_than_a_hundred_pages_anew():
    training, decoding = count_faults("keep")
    assert training < 100
    assert decoding < 100


@pytest.mark.backend_independent
def test_tensorflow_multiplies_by_onednn_unless_told_otherwise():
    script = "import os, keras_transformer, tensorflow; print(os.environ['TF_ENABLE_ONEDNN_OPTS'])"
    kept = {name: value for name, value in os.environ.items() if name != "TF_ENABLE_ONEDNN_OPTS"}
    for given, expected in (({}, "1"), ({"TF_ENABLE_ONEDNN_OPTS": "0"}, "0")):
        done = subprocess.run(
            [sys.executable, "-c", script], env=kept | given, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


@pytest.mark.backend_independent
def test_it_is_too_late_for_onednn_once_tensorflow_is_there():
    script = "import tensorflow, os, keras_transformer; print('TF_ENABLE_ONEDNN_OPTS' in os.environ)"
    kept = {name: value for name, value in os.environ.items() if name != "TF_ENABLE_ONEDNN_OPTS"}
    done = subprocess.run([sys.executable, "-c", script], env=kept, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
