"""Every atom in every combination that matters: built, saved, loaded, trained, decoded, the same on three backends."""

import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import combinations, product

import keras
import numpy as np
import pytest
from keras import ops

import keras_transformer as kt
from keras_transformer.layers import causal_mask
from keras_transformer.models import Transformer, TransformerDecoder

CHOICES = {
    "position": ("sinusoidal", "learned", "rotary", "none"),
    "attention_neighbours": (None, 4),
    "activation": ("relu", "gelu", "swiglu", "geglu"),
    "norm": ("post", "pre"),
    "tie_embeddings": ("three-way", "decoder", "none"),
    "initializer": ("glorot", "normal"),
}
SIZES = {
    "vocab_size": 23, "d_model": 16, "num_heads": 2, "key_dim": 6, "value_dim": 5, "d_ff": 24,
    "num_encoder_layers": 1, "num_decoder_layers": 1,
    "max_positions": 16, "dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1,
}  # fmt: skip


def pairs_of(fields: dict) -> set:
    return set(combinations(sorted(fields.items(), key=str), 2))


def sampled_grid() -> list[dict]:
    """Few combinations that hold every pair of choices, found greedily among all 384: the same each time."""
    everything = [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]
    missing = set().union(*map(pairs_of, everything))
    chosen = []
    while missing:
        chosen.append(max(everything, key=lambda fields: len(pairs_of(fields) & missing)))
        missing -= pairs_of(chosen[-1])
    return chosen


GRID = sampled_grid()
# JAX compiles every operation for every shape. The logits of all combinations are compared on all backends below.
SHARE = 3 if keras.backend.backend() == "jax" else 1
IDS = ["-".join(str(value) for value in fields.values()) for fields in GRID]


def make(**fields) -> Transformer:
    keras.utils.set_random_seed(5)
    if fields.get("tie_embeddings") in ("decoder", "none"):
        fields = {**fields, "source_vocab_size": 19}
    return Transformer(**{**SIZES, **fields})


def batch(rows: int = 3, source_length: int = 9, target_length: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    source = rng.integers(3, 19, (rows, source_length)).astype("int32")
    source[:, -1] = 2
    source[1, 5:] = [2, 0, 0, 0]
    target = rng.integers(3, 23, (rows, target_length)).astype("int32")
    target[:, 0] = 1
    return source, target


def logits(model, source, target_in) -> np.ndarray:
    return ops.convert_to_numpy(model((source, target_in)))


def test_the_sampled_grid_holds_every_pair_of_choices():
    for (first, values), (second, others) in combinations(CHOICES.items(), 2):
        seen = {(fields[first], fields[second]) for fields in GRID}
        assert seen == set(product(values, others))


@pytest.mark.parametrize("fields", GRID[::SHARE], ids=IDS[::SHARE])
def test_a_combination_saves_loads_decodes_with_the_cache_and_keeps_the_past_apart(fields, tmp_path):
    model, (source, target_in) = make(**fields), batch()
    before = logits(model, source, target_in)

    model.save(tmp_path / "model.keras")
    copy = keras.saving.load_model(tmp_path / "model.keras", safe_mode=True)
    assert copy.config == model.config
    np.testing.assert_array_equal(logits(copy, source, target_in), before)

    other = np.roll(target_in, 1, axis=0)
    cache = model.init_cache(model.encode(source), source, beam_size=2, length=target_in.shape[1])
    if fields["attention_neighbours"]:
        assert cache["slots"][0]["key"].shape[2] == 5  # r + 1, for a target of 8
    whole_other = logits(model, source, other)
    for t in range(target_in.shape[1]):
        step, cache = model.decode_step(np.stack([target_in[:, t], other[:, t]], 1), t, cache)
        step = ops.convert_to_numpy(step)
        np.testing.assert_allclose(step[:, 0], before[:, t], atol=2e-5)
        np.testing.assert_allclose(step[:, 1], whole_other[:, t], atol=2e-5)

    changed = target_in.copy()
    changed[:, 5] = 3 + (changed[:, 5] - 2) % 20
    moved = np.abs(logits(model, source, changed) - before).max(axis=(0, 2))
    assert (moved[:5] < 1e-6).all()
    assert moved[5] > 1e-5
    wider = logits(model, np.pad(source, ((0, 0), (0, 3))), np.pad(target_in, ((0, 0), (0, 2))))
    np.testing.assert_allclose(wider[:, : target_in.shape[1]], before, atol=2e-5)


@pytest.mark.parametrize("fields", GRID[:: 5 * SHARE], ids=IDS[:: 5 * SHARE])
def test_a_compiled_step_moves_every_weight(fields):
    model, (source, target_in) = make(**fields, scheduled_sampling=0.3), batch()
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=kt.LabelSmoothedCrossEntropy(0.1))
    before = [ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    target_out, weights = np.roll(target_in, -1, axis=1), np.full(target_in.shape, 1 / target_in.size, "float32")
    loss = model.fit((source, target_in), target_out, sample_weight=weights, batch_size=3, epochs=1, verbose=0)
    assert np.isfinite(loss.history["loss"][0])
    for weight, old in zip(model.trainable_weights, before, strict=True):
        assert np.abs(ops.convert_to_numpy(weight) - old).max() > 0, weight.path


@pytest.mark.parametrize("neighbours", [None, 4])
def test_a_decoder_without_cross_attention_steps_as_it_reads(neighbours):
    """A language model: two hypotheses with a cache, against both at once."""
    decoder = TransformerDecoder(
        2, num_heads=2, key_dim=4, d_ff=8, cross_attention=False, neighbours=neighbours, rotary=True, norm="pre"
    )
    x = np.random.default_rng(0).normal(size=(2, 9, 8)).astype("float32")
    whole = ops.convert_to_numpy(decoder(x, attention_mask=None if neighbours else causal_mask(9)))
    assert not any("cross" in weight.path for weight in decoder.weights)
    cache = decoder.init_cache(None, None, beam_size=2, length=9, batch_size=1)
    for t in range(9):
        step, cache = decoder.step(ops.convert_to_tensor(x[None, :, t]), t, cache)
        np.testing.assert_allclose(ops.convert_to_numpy(step)[0], whole[:, t], atol=1e-5)


@pytest.fixture(scope="module")
def saved_grid(tmp_path_factory):
    """Every combination in a file, with its logits here."""
    folder = tmp_path_factory.mktemp("grid")
    source, target_in = batch()
    here = {}
    for number, fields in enumerate(GRID):
        model = make(**fields)
        model.save(folder / f"{number}.keras")
        here[str(number)] = logits(model, source, target_in)
    np.savez(folder / "in.npz", source=source, target_in=target_in)
    return folder, here


THERE = """
import sys, numpy as np, keras, keras_transformer
folder, count = sys.argv[1], int(sys.argv[2])
x = np.load(folder + "/in.npz")
out = {}
for number in range(count):
    model = keras.saving.load_model(f"{folder}/{number}.keras")
    out[str(number)] = keras.ops.convert_to_numpy(model((x["source"], x["target_in"])))
np.savez(folder + "/out.npz", **out)
"""


@pytest.mark.tensorflow_backend
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_every_combination_agrees_on(backend, saved_grid):
    if not find_spec(backend):
        pytest.skip(f"{backend} is not installed: pip install '.[{backend}]'")
    folder, here = saved_grid
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, "-c", THERE, str(folder), str(len(GRID))], check=True, env=environment)
    there = np.load(folder / "out.npz")
    for number, name in enumerate(IDS):
        expected = here[str(number)]
        assert np.abs(there[str(number)] - expected).max() < 1e-5 * expected.std(), name
