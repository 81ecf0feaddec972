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
    result = run("train", "--dataset", "phrases", *short, *product, "--json", *small, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    ((ours,),) = json.loads(result.stdout)["groups"]
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
