"""The doctor names the fault that was planted, and nothing that does not follow from it."""

from dataclasses import replace

import keras
import pytest

from keras_transformer import Transformer
from keras_transformer.diagnostics.doctor import Subject
from keras_transformer.diagnostics.doctor.doctor import WIRING, examine
from tests.diagnostics.doctor.faults import FAULTS, SMALL, WithoutMask
from tests.diagnostics.doctor.test_healthy import here_or_everywhere

EVERYWHERE = (
    "causal mask without diagonal",
    "heads split by a wrong reshape",
    "softmax without gradient",
)


@pytest.mark.parametrize("planted", here_or_everywhere(FAULTS, EVERYWHERE))
def test_the_planted_fault_is_named(planted: str) -> None:
    fault = FAULTS[planted]
    keras.utils.set_random_seed(1)
    diagnosis = examine(Subject(fault.make()), WIRING)
    assert fault.name in diagnosis.faults
    assert set(diagnosis.faults) <= {fault.name, *fault.also}
    (finding,) = [each for each in diagnosis.findings if each.fault == fault.name][:1]
    assert finding.evidence
    assert finding.meaning
    assert finding.fix


@pytest.mark.tensorflow_backend
def test_weights_alone_tell_that_padding_is_seen_by_cross_attention_only() -> None:
    model = Transformer(**SMALL)
    model.decoder.layers[0].cross_attention.__class__ = WithoutMask
    subject = Subject(model)
    subject.hooks = replace(subject.hooks, encode=None)
    assert examine(subject, ("padding",)).faults == ("cross-padding-visible",)
