"""The commands themselves: ours only, short, no figure of time asserted."""

import json
import os
import subprocess
import sys

import pytest

from tests.beside import ROOT

pytestmark = pytest.mark.backend_independent


def run(*arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=240)


def test_training_of_our_own_gives_json(tmp_path):
    short = ["--rounds", "1", "--seconds", "0.2", "--tokens", "256", "--batches", "2"]
    product = ["--products", "none"]
    small = ["model.num_encoder_layers=1", "model.num_decoder_layers=1"]
    held = ["--isa", "avx2"]
    result = run("train", "--dataset", "phrases", *short, *product, *held, "--json", *small, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    ((ours,),) = report["groups"]
    assert (report["isa"], report["allocator"]) == ("avx2", "tuned")
    assert report["matrix_products"] == {"best": {"float32": 0.0}}
    assert ours["environment"]["ONEDNN_MAX_CPU_ISA"] == "AVX2"
    assert ours["environment"]["MALLOC_MMAP_MAX_"] == "0"
    assert ours["environment"].get("TF_ENABLE_ONEDNN_OPTS") != "0"  # the package chooses
    assert [ours["faults_per_step"]] == ours["round_faults_per_step"]
    assert ours["own"]
    assert ours["steps"] >= 1
    assert 0 < ours["loss"] < 20
    assert ours["flops_per_second"] > 0


def test_an_unknown_peer_is_refused_with_the_known_ones(tmp_path):
    result = run("train", "--peers", "sockeye", cwd=tmp_path)
    assert result.returncode == 2
    assert "opennmt-tf" in result.stderr


def test_decoding_without_a_run_says_what_to_give(tmp_path):
    result = run("decode", cwd=tmp_path)
    assert result.returncode == 1
    assert "--run" in result.stderr
