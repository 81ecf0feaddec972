"""Which instructions every worker is held to."""

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import decode, starts, startup, train
from benchmarks.__main__ import PEERS, parser
from benchmarks.isa import ONEDNN, make_isa_environment, use_isa
from tests.beside import ROOT

pytestmark = pytest.mark.backend_independent
AVX2 = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "CT2_FORCE_CPU_ISA": "AVX2",
}


def test_of_ours_and_of_a_peer():
    assert make_isa_environment("avx2", own=True, given={}) == AVX2
    # What TensorFlow finds on a plain AVX2 machine; this package chooses by itself.
    assert make_isa_environment("avx2", own=False, given={}) == {**AVX2, ONEDNN: "0"}


def test_what_the_user_has_set_stays():
    given = {ONEDNN: "1", "XLA_FLAGS": "--xla_dump_to=there"}
    variables = make_isa_environment("avx2", own=False, given=given)
    assert ONEDNN not in variables
    assert variables["XLA_FLAGS"] == "--xla_dump_to=there --xla_cpu_max_isa=AVX2"


@pytest.mark.parametrize("own", [True, False])
def test_native_sets_nothing(own):
    assert make_isa_environment("native", own) == {}


def options(*arguments):
    return parser().parse_args([*arguments, "--isa", "avx2"])


@pytest.fixture
def without_onednn(monkeypatch):
    """The user's environment names nothing."""
    plain = {key: value for key, value in os.environ.items() if key not in {ONEDNN, *AVX2}}
    monkeypatch.setattr(make_isa_environment, "__defaults__", (plain,))


@pytest.mark.usefixtures("without_onednn")
def test_every_entrant_of_training():
    chosen = options("train", "--backend", "all", "--peers", "all")
    entrants = list(train.entrants(chosen, Path("work"), Path("pairs.npz")))
    assert sum(each.own for each in entrants) == 3
    assert len(entrants) - 3 >= len(PEERS) - 1  # ctranslate2 does not train
    for each in entrants:
        assert each.environment.items() >= AVX2.items()
        assert each.environment.get(ONEDNN) == (None if each.own else "0")


@pytest.mark.usefixtures("without_onednn")
def test_every_entrant_of_decoding_and_what_runs_without_the_package_gets_tensorflow_s_own_choice():
    chosen = options("decode", "--backend", "all")
    forms = {"saved_model", "marian", "ctranslate2-float32", "ctranslate2-int8"}
    entrants = list(decode.entrants(chosen, Path("work"), {}, forms))
    for each in entrants:
        assert each.environment.items() >= AVX2.items()
        assert each.environment.get(ONEDNN) == (None if "Translator" in each.name else "0")
    assert {"Translator" in each.name for each in entrants} == {True, False}


@pytest.mark.usefixtures("without_onednn")
def test_every_process_of_startup():
    chosen = Namespace(backends=["tensorflow", "jax"], run=Path("run"))
    for case in startup.cases(chosen, Path("model")):
        variables = starts.make_environment(case, "avx2")
        assert variables.items() >= AVX2.items()
        assert (variables.get(ONEDNN) == "0") == case.name.startswith("SavedModel")


def test_a_command_sets_its_own_process_before_a_backend_is_imported():
    program = f"""
import os, sys
from benchmarks import __main__ as command
def run(options):
    early = [name for name in ("keras", "tensorflow") if name in sys.modules]
    print(early, options.isa, {AVX2!r}.items() <= os.environ.items(), {ONEDNN!r} in os.environ)
sys.run, command.importlib.import_module = run, lambda name: sys
command.main(["changes", "--isa", "avx2"])
"""
    environment = {key: value for key, value in os.environ.items() if key not in {ONEDNN, *AVX2}}
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert result.stdout == "[] avx2 True False\n", result.stderr


def test_too_late_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", sys)
    before = dict(os.environ)
    with pytest.raises(RuntimeError, match="imported before"):
        use_isa("avx2")
    assert dict(os.environ) == before
    use_isa("native")
