"""The doctor finds nothing in healthy models, ours and others', large and small, fresh and trained."""

import keras
import numpy as np
import pytest
from keras import ops

import keras_transformer as kt
from keras_transformer.diagnostics.doctor import Diagnosis, Subject
from keras_transformer.diagnostics.doctor.doctor import WIRING, examine
from tests.diagnostics.doctor.faults import SMALL

HEALTHY = {
    "post-norm": {},
    "pre-norm": {"norm": "pre", "activation": "gelu"},
    "rotary": {"position": "rotary", "activation": "swiglu"},
    "learned positions": {"position": "learned", "max_positions": 64, "tie_embeddings": "decoder"},
    "no positions": {"position": "none"},
    "neighbours": {"attention_neighbours": 2, "num_encoder_layers": 2, "num_decoder_layers": 2},
    "neighbours, rotary, pre-norm": {"attention_neighbours": 4, "position": "rotary", "norm": "pre"},
    "two vocabularies": {"source_vocab_size": 30, "tie_embeddings": "none", "use_bias": True},
    "small first weights": {"initializer": "normal", "d_model": 128, "num_heads": 4},
    "odd heads": {"num_heads": 3, "key_dim": 6, "value_dim": 5, "dropout": 0.0},
    "other special ids": {"pad_id": 3, "bos_id": 5, "eos_id": 39},
    "bfloat16": {"dtype": "mixed_bfloat16"},
    "bfloat16, four layers": {
        "dtype": "mixed_bfloat16",
        "num_encoder_layers": 4,
        "num_decoder_layers": 4,
        "d_model": 64,
    },
    "float16": {"dtype": "mixed_float16"},
}


def assert_healthy(diagnosis: Diagnosis) -> None:
    assert diagnosis.faults == (), str(diagnosis)
    assert diagnosis.warnings == (), str(diagnosis)
    assert diagnosis.exit_code == 0


# On JAX each new shape costs seconds of compiling; the whole list runs on TensorFlow.
EVERYWHERE = ("post-norm", "neighbours, rotary, pre-norm")


def here_or_everywhere(names, everywhere):
    return [name if name in everywhere else pytest.param(name, marks=pytest.mark.tensorflow_backend) for name in names]


@pytest.mark.parametrize("kind", here_or_everywhere(HEALTHY, EVERYWHERE))
def test_nothing_is_found_in(kind: str) -> None:
    keras.utils.set_random_seed(2)
    diagnosis = examine(Subject(kt.Transformer(**{**SMALL, **HEALTHY[kind]})), WIRING)
    assert_healthy(diagnosis)
    assert diagnosis.counts()["pass"] >= 15


@pytest.mark.tensorflow_backend
def test_nothing_is_found_in_a_model_as_sharp_as_a_trained_one() -> None:
    model = kt.Transformer(**{**SMALL, "num_encoder_layers": 2, "num_decoder_layers": 2})
    rng = np.random.default_rng(3)
    for variable in model.trainable_variables:
        noise = 0.3 * rng.normal(size=variable.shape).astype("float32")
        variable.assign(3.0 * ops.convert_to_numpy(variable) + noise * (len(variable.shape) == 1))
    assert_healthy(examine(Subject(model), WIRING))
