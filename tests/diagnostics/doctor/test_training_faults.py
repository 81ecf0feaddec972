"""The training side of the doctor: planted faults are named, healthy subjects are clean, and nothing is changed."""

import importlib
import random

import keras
import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics.doctor import Diagnosis, Hooks, Subject
from keras_transformer.training.state import model_state, torch_random_state
from tests.diagnostics.doctor.training_faults import (
    LOSSES,
    MODELS,
    PAD,
    PIPELINES,
    RECIPES,
    SMALL,
    VOCABULARY,
    pipeline,
)

MODULES = ("pipeline", "loss", "recipe", "first_batch", "gradient_norms", "start", "learning")


def diagnose(model, *modules, **given):
    """The findings of some modules."""
    subject = Subject(model, **given)
    checks = [
        check
        for name in modules
        for check in importlib.import_module(f"keras_transformer.diagnostics.doctor.{name}").CHECKS
    ]
    return Diagnosis(finding for check in checks for finding in check(subject))


def uniform(source, target_in):
    """The simplest model: every word the same."""
    return np.zeros((*target_in.shape, VOCABULARY), "float32")


def assert_explained(diagnosis, fault):
    finding = next(finding for finding in diagnosis.findings if finding.fault == fault)
    assert finding.evidence
    assert finding.meaning
    assert finding.fix


@pytest.mark.backend_independent
@pytest.mark.parametrize("fault", PIPELINES)
def test_a_wrong_pipeline_is_named(fault):
    diagnosis = diagnose(uniform, "pipeline", batches=pipeline(**PIPELINES[fault]))
    assert fault in diagnosis.faults
    also = {"bos-missing", "eos-missing"} if "target" in fault else set()
    assert {*diagnosis.faults, *diagnosis.warnings} - also == {fault}
    assert_explained(diagnosis, fault)


@pytest.mark.backend_independent
def test_pipelines_are_read_in_any_form():
    batches = pipeline()
    pairs = [((source, read), wanted) for (source, read), wanted, _ in batches]
    named = [({"encoder": source, "decoder": read}, wanted, weights) for (source, read), wanted, weights in batches]
    assert not diagnose(uniform, "pipeline", batches=iter(batches)).warnings
    assert not diagnose(uniform, "pipeline", batches=named).warnings
    assert diagnose(uniform, "pipeline", batches=pairs).warnings == ("weights-missing",)
    assert diagnose(uniform, "pipeline", batches=batches, bos_id=7).warnings == ("start-token-is-another",)
    assert diagnose(uniform, "pipeline").counts() == {"pass": 0, "fail": 0, "warn": 0, "skipped": 1}
    corpus = [("a dog runs", "ein Hund rennt"), ("a cat", "eine Katze")] * 20
    tokenizer = kt.Tokenizer.train([[side for pair in corpus for side in pair]], vocab_size=290)
    real = kt.TokenBatches(corpus, tokenizer, tokens_per_batch=64)
    assert diagnose(uniform, "pipeline", batches=real).counts()["pass"] == 5
    with pytest.raises(kt.InputError, match="expected batches"):
        diagnose(uniform, "pipeline", batches=[np.zeros(3)])


@pytest.mark.parametrize("wrong", LOSSES)
def test_a_wrong_loss_is_named(wrong):
    fault, loss = LOSSES[wrong]
    replicas = Hooks(replicas=lambda source, target_in: [])  # there are some
    diagnosis = diagnose(uniform, "loss", loss=loss, hooks=replicas)
    assert diagnosis.faults == (fault,)
    assert_explained(diagnosis, fault)


def test_a_mean_over_tokens_is_no_fault_on_one_device():
    for loss in (
        LOSSES["mean of the replica's tokens"][1],
        keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD),
    ):
        diagnosis = diagnose(uniform, "loss", loss=loss)
        assert (diagnosis.faults, diagnosis.warnings) == ((), ("loss-averaged-per-replica",))
        assert_explained(diagnosis, "loss-averaged-per-replica")


@pytest.mark.parametrize(
    "loss",
    [
        kt.LabelSmoothedCrossEntropy(0.1),
        kt.LabelSmoothedCrossEntropy(0.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum"),
    ],
)
def test_right_losses_are_clean(loss):
    assert diagnose(uniform, "loss", loss=loss).counts() == {"pass": 3, "fail": 0, "warn": 0, "skipped": 0}


def test_the_target_distribution_is_recovered_from_the_gradient():
    finding = diagnose(uniform, "loss", loss=kt.LabelSmoothedCrossEntropy(0.3)).findings[-1]
    assert "eps about 0.300" in finding.evidence
    assert "mass 1.0000" in finding.evidence


@pytest.mark.parametrize("wrong", RECIPES)
def test_a_wrong_recipe_is_named(wrong):
    fault, given = RECIPES[wrong]
    diagnosis = diagnose(kt.Transformer(**SMALL | {"d_model": 128}), "recipe", **given)
    assert fault in diagnosis.faults
    assert set(diagnosis.faults) <= {fault, "post-norm-without-warmup"}
    assert_explained(diagnosis, fault)


def test_right_recipes_are_clean():
    model = kt.Transformer(**SMALL)
    assert not diagnose(model, "recipe").counts()["fail"]
    paper = kt.paper_adam(kt.TransformerSchedule(16, warmup_steps=300))
    for given in (
        {"optimizer": paper},
        {"recipe": kt.resolve_config("tiny")},
        {"recipe": kt.resolve_config("base")},
        {"recipe": kt.resolve_config("tiny", data={"dataset": "phrases"})},
        {"recipe": kt.TransformerSchedule(16, total_steps=5000, cooldown_steps=1000)},
    ):
        diagnosis = diagnose(model, "recipe", **given)
        assert diagnosis.counts()["pass"] >= 2
        assert not diagnosis.warnings + diagnosis.faults
    pre = kt.Transformer(**SMALL, norm="pre")
    assert diagnose(pre, "recipe", optimizer=keras.optimizers.Adam(1e-3)).faults == ()
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=kt.LabelSmoothedCrossEntropy())
    assert diagnose(model, "recipe").faults == ("post-norm-without-warmup",)
    assert "adam-constants" in diagnose(model, "recipe").warnings


@pytest.mark.parametrize("fault", MODELS)
def test_a_wrong_model_is_named(fault):
    make, module = MODELS[fault]
    diagnosis = diagnose(make(), module)
    assert diagnosis.faults == (fault,)
    assert_explained(diagnosis, fault)


HEALTHY = {
    "post-norm": {},
    "pre-norm": {"norm": "pre", "activation": "geglu"},
    "rotary": {"position": "rotary", "tie_embeddings": "none", "source_vocab_size": 25},
    "local": {"attention_neighbours": 4},
    "wide": {"d_model": 256, "num_heads": 4, "norm": "pre"},
}


not_again_on_jax = pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="slow to compile; all but the training steps runs in test_healthy.py too"
)


@pytest.mark.parametrize(
    "kind", ["post-norm", *(pytest.param(kind, marks=not_again_on_jax) for kind in list(HEALTHY)[1:])]
)
def test_healthy_models_are_clean_and_left_as_they_were(kind):
    model = kt.Transformer(**SMALL | {"dropout": 0.2} | HEALTHY[kind])
    model.compile(
        optimizer=kt.paper_adam(kt.TransformerSchedule(model.config.d_model)), loss=kt.LabelSmoothedCrossEntropy()
    )
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before, states = model_state(model), (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    batches = pipeline() if kind != "rotary" else None
    diagnosis = diagnose(model, *MODULES, batches=batches)
    assert diagnosis.faults + diagnosis.warnings == (), diagnosis.table()
    assert diagnosis.counts()["skipped"] == (1 if batches is None else 0)
    after = model_state(model)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert before.keys() == after.keys()
    assert states == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    assert model.loss is not None
    assert all(getattr(variable.value, "grad", None) is None for variable in model.variables)


def test_the_whole_examination_changes_nothing_and_builds_no_optimizer():
    model = kt.Transformer(**SMALL | {"dropout": 0.2})
    model((np.ones((1, 3), "int32"), np.ones((1, 3), "int32")))
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=kt.LabelSmoothedCrossEntropy())
    before, states = model_state(model, optimizer=False), (random.getstate(), repr(np.random.get_state()))  # noqa: NPY002
    torch_before = torch_random_state()
    kt.doctor(model, train=False)
    after, torch_after = model_state(model, optimizer=False), torch_random_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert all(np.array_equal(torch_before[name], torch_after[name]) for name in torch_before)
    assert states == (random.getstate(), repr(np.random.get_state()))  # noqa: NPY002
    assert not model.optimizer.built


@not_again_on_jax
def test_a_trained_model_is_clean():
    model = kt.Transformer(**SMALL)
    model.compile(optimizer=keras.optimizers.Adam(5e-3), loss=kt.LabelSmoothedCrossEntropy())
    batches = pipeline()
    for _ in range(15):
        for batch in batches:
            model.train_on_batch(*batch)
    diagnosis = diagnose(model, "start", "learning", "first_batch", "gradient_norms", batches=batches)
    assert diagnosis.faults + diagnosis.warnings == (), diagnosis.table()
    assert "the model is trained" in diagnosis.table()
    (units,) = [finding for finding in diagnose(model, "first_batch").findings if finding.check == "feed-forward units"]
    assert units.verdict == "skipped"


@pytest.mark.backend_independent
def test_what_is_missing_is_said():
    diagnosis = diagnose(uniform, *MODULES)
    skipped = [finding for finding in diagnosis.findings if finding.verdict == "skipped"]
    assert not diagnosis.faults + diagnosis.warnings
    assert len(skipped) >= 7
    assert all("pass" in finding.fix or "use" in finding.fix for finding in skipped)
