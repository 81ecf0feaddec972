"""What a diagnosis says of itself, as text, as JSON, as an exit code."""

import json

import pytest

from keras_transformer.diagnostics.doctor import Diagnosis, Finding, Hooks
from keras_transformer.diagnostics.doctor.findings import passed, skipped

pytestmark = pytest.mark.backend_independent

FAULT = Finding("heads", "fail", "heads-wrong-reshape", "by 2.1", "Mixed [bold].", "Transpose.", "section 3.2.2")
USUAL = [passed("causal mask", "none"), skipped("scale", "no hook", fix="pass one")]
UNUSUAL = Finding("source order", "warn", "positions-absent", "0.1", "A bag of words.", "Add them.")


def test_only_a_failed_check_is_a_fault() -> None:
    healthy = Diagnosis([*USUAL, UNUSUAL])
    assert (healthy.ok, healthy.faults, healthy.warnings, healthy.exit_code) == (True, (), ("positions-absent",), 0)
    broken = Diagnosis([*USUAL, FAULT, FAULT])
    assert (broken.ok, broken.faults, broken.exit_code) == (False, ("heads-wrong-reshape",), 1)
    assert broken.counts() == {"pass": 1, "fail": 2, "warn": 0, "skipped": 1}


def test_text_has_each_check_once_and_explains_what_is_wrong() -> None:
    text = str(Diagnosis([*USUAL, FAULT, UNUSUAL]))
    assert text.splitlines()[-1] == "1 failed: heads-wrong-reshape; 1 unusual: positions-absent; 1 passed; 1 skipped"
    assert "heads-wrong-reshape (paper, section 3.2.2)" in text
    assert "  means: Mixed [bold]." in text  # brackets are no markup
    assert "  fix: Transpose." in text
    assert "no hook; pass one" in text
    assert "\x1b" not in text
    assert "\x1b" in Diagnosis([FAULT]).table(color=True)
    assert max(map(len, Diagnosis([FAULT]).table(width=60).splitlines())) <= 60


def test_json_has_everything() -> None:
    data = json.loads(json.dumps(Diagnosis([*USUAL, FAULT]).to_dict()))
    assert (data["ok"], data["faults"], data["counts"]["fail"]) == (False, ["heads-wrong-reshape"], 1)
    assert data["findings"][-1] == {
        "check": "heads",
        "verdict": "fail",
        "fault": "heads-wrong-reshape",
        "evidence": "by 2.1",
        "meaning": "Mixed [bold].",
        "fix": "Transpose.",
        "source": "section 3.2.2",
    }


def test_hooks_given_win_over_hooks_found() -> None:
    found = Hooks(positions="sinusoidal", key_dim=16, tied="three-way")
    union = Hooks(positions="none").over(found)
    assert (union.positions, union.key_dim, union.tied) == ("none", 16, "three-way")
