"""What can be typed wrong, and help."""

import os
import signal
import subprocess
import sys

import pytest

from keras_transformer.cli.main import COMMANDS

pytestmark = pytest.mark.backend_independent
CLI = [
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'keras-transformer'\nfrom keras_transformer.cli.main import main; main()",
]


@pytest.mark.parametrize("name", [command.__name__ for command in COMMANDS])
def test_each_help_shows_an_example(command, name: str) -> None:
    outcome = command(name, "--help")
    assert outcome.code == 0
    assert f"keras-transformer {name}" in outcome.out.partition("Examples")[2]


def test_no_command_shows_the_commands(command) -> None:
    outcome = command()
    assert outcome.code == 0
    assert all(function.__name__ in outcome.out for function in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["trian"], "No such command 'trian'. Did you mean 'train'?"),
        (["train"], "Missing option '--out'."),
        (["train", "--out", "x"], "There is nothing to train on: give --train SOURCE TARGET"),
        (["train", "--out", "x", "--train", "a"], "Option '--train' requires 2 arguments."),
        (["train", "--out", "x", "--train", "a", "b", "--train-tsv", "c"], "--train and --train-tsv are both given"),
        (["train", "--out", "x", "--train", "a", "b", "training.max_step=3"], "Did you mean 'max_steps'?"),
        (["train", "--out", "x", "--train", "a", "b", "training.max_steps=few"], "training.max_steps is 'few'"),
        (["train", "--out", "x", "--train", "a", "b", "--preset", "tinny"], "Did you mean 'tiny'?"),
        (["train", "--out", "x", "--dataset", "multi3k"], "did you mean 'multi30k'?"),
        (["translate"], "Missing argument 'RUN'."),
        (["translate", "runs/x", "--beam-size", "2", "--n-best", "3"], "--n-best 3 needs a beam of that size"),
        (["translate", "runs/x", "--beam-size", "0"], "Invalid value for '--beam-size'"),
        (["evaluate"], "There is nothing to evaluate: give RUN"),
        (["evaluate", "--hypotheses", "a.de"], "Give --hypotheses FILE and --references FILE together"),
        (["translate", "no/such/run"], "no/such/run"),
        (["export", "no/such/run"], "no/such/run"),
        (["average", "no/such/run"], "no/such/run"),
    ],
)
def test_a_typing_mistake_is_one_sentence(command, tmp_path, monkeypatch, arguments, sentence) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = command(*arguments)
    assert sentence in outcome.err
    assert outcome.err.startswith("keras-transformer: ")
    assert outcome.err.count("\n") == 1
    assert (outcome.code, outcome.out) == (2, "")
    assert {path.name for path in tmp_path.rglob("*")} <= {"x", "config.yaml", ".lock"}


def test_dry_run_prints_settings_that_can_be_read_back(command, tmp_path, monkeypatch) -> None:
    from keras_transformer import RunConfig

    monkeypatch.chdir(tmp_path)
    outcome = command("train", "--out", "x", "--train-tsv", "pairs.tsv", "training.max_steps=7", "--dry-run")
    (tmp_path / "config.yaml").write_text(outcome.out, encoding="utf-8")
    config = RunConfig.load(tmp_path / "config.yaml")
    assert config.training.max_steps == 7
    assert config.data.train == ("pairs.tsv",)
    assert not (tmp_path / "x").exists()


def test_debug_shows_the_traceback(command, monkeypatch) -> None:
    monkeypatch.setenv("KERAS_TRANSFORMER_DEBUG", "1")
    assert "Traceback (most recent call last)" in command("evaluate").err


def test_a_reader_that_goes_away_ends_quietly() -> None:
    command = subprocess.Popen([*CLI, "train", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    command.stdout.close()
    assert command.stderr.read() == b""
    assert command.wait(timeout=60) == 141


def test_ctrl_c_is_clean(tmp_path) -> None:
    """Interrupt a command that waits for input on a named pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = subprocess.Popen(
        [*CLI, "evaluate", "--hypotheses", str(pipe), "--references", str(pipe)], stderr=subprocess.PIPE, text=True
    )
    with pipe.open("wb"):  # returns once the command reads
        command.send_signal(signal.SIGINT)
        _, errors = command.communicate(timeout=60)
    assert errors == "keras-transformer: Interrupted.\n"
    assert command.returncode == 130
