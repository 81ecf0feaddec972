"""Layers computed twice: the same step as layers kept, dropout and all, on each backend."""

import keras
import numpy as np
import pytest

from keras_transformer import LabelSmoothedCrossEntropy, Transformer

RNG = np.random.default_rng(3)


def steps(remat, eager, **options):
    """Losses of three steps with dropout everywhere, and the weights after them."""
    keras.utils.set_random_seed(1)
    small = {"d_model": 8, "num_heads": 2, "d_ff": 16, "num_encoder_layers": 2, "num_decoder_layers": 2}
    rates = {"dropout": 0.3, "attention_dropout": 0.3, "activation_dropout": 0.3}
    model = Transformer(vocab_size=30, remat=remat, **small, **rates, **options)
    optimizer = keras.optimizers.SGD(0.5)
    model.compile(optimizer=optimizer, loss=LabelSmoothedCrossEntropy(0.1), run_eagerly=eager)
    source, target = (np.random.default_rng(i).integers(3, 30, (4, 6)).astype("int32") for i in (1, 2))
    source[0, 4:] = 0
    weights = np.full((4, 6), 1 / 24, "float32")
    losses = [float(model.train_on_batch((source, target), target, sample_weight=weights)) for _ in range(3)]
    return losses, model.get_weights()


@pytest.mark.parametrize(
    "options", [{"norm": "post"}, {"norm": "pre", "attention_neighbours": 2}, {"dtype": "mixed_bfloat16"}]
)
def test_a_step_is_the_same(options):
    exact = "dtype" not in options  # rounding to bfloat16 differs by how a step is compiled
    torch = keras.backend.backend() == "torch"
    losses, weights = steps(False, torch, **options)
    for eager in (False, True) if exact else (torch,):
        again, same_weights = steps(True, eager, **options)
        np.testing.assert_allclose(again, losses, rtol=1e-5 if exact else 1e-2)
        for one, other in zip(weights, same_weights, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5 if exact else 0.1)


def test_each_layer_runs_twice_and_only_in_training():
    calls = []
    keras.utils.set_random_seed(1)
    model = Transformer(vocab_size=30, d_model=8, num_heads=2, d_ff=16, remat=True)
    layer = model.decoder.layers[0]
    inner = layer.call
    layer.call = lambda *args, **kwargs: (calls.append(kwargs["training"]), inner(*args, **kwargs))[1]
    model.compile(optimizer="sgd", loss=LabelSmoothedCrossEntropy(0.1), run_eagerly=True)
    ids = RNG.integers(3, 30, (2, 5)).astype("int32")
    model.train_on_batch((ids, ids), ids)
    # JAX traces once and takes from the trace what it computes twice.
    assert calls.count(True) == (1 if keras.backend.backend() == "jax" else 2)
    calls.clear()
    model.predict_on_batch((ids, ids))
    assert not any(calls)
    assert Transformer.from_config(model.get_config()).decoder.remat
