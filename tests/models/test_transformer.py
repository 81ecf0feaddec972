import os
import subprocess
import sys
from importlib.util import find_spec

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.models import Transformer, TransformerConfig, load_preset, preset_names, table3

SMALL = {"vocab_size": 23, "d_model": 16, "num_heads": 4, "d_ff": 32, "num_encoder_layers": 2, "num_decoder_layers": 3}
RNG = np.random.default_rng(7)


def small(**fields):
    keras.utils.set_random_seed(3)
    return Transformer(**{**SMALL, **fields})


def batch(rows=3, source_length=6, target_length=5):
    source = RNG.integers(3, 23, (rows, source_length)).astype("int32")
    source[:, -1] = 2
    source[1, 4:] = [2, 0]
    target = RNG.integers(3, 23, (rows, target_length)).astype("int32")
    target[:, 0] = 1
    return source, target


def logits(model, source, target_in):
    return ops.convert_to_numpy(ops.cast(model((source, target_in)), "float32"))


def randomise(model):
    """Move every weight off its initial value: gains of 1 and biases of 0 would hide a mistake."""
    rng = np.random.default_rng(11)
    for weight in model.trainable_weights:
        weight.assign(ops.convert_to_numpy(weight) + rng.normal(size=weight.shape) * 0.1)


@pytest.mark.parametrize(
    "fields", [{}, {"use_bias": True}, {"norm": "pre"}, {"norm": "pre", "activation": "gelu", "use_bias": True}]
)
def test_logits_equal_torch_nn_transformer(fields):
    if not find_spec("torch"):
        pytest.skip("the reference is PyTorch, which is not installed: pip install '.[torch]'")
    from tests.torch_oracle import torch_logits

    model = small(**fields)
    randomise(model)
    source, target_in = batch()
    ours, theirs = logits(model, source, target_in), torch_logits(model, source, target_in)
    assert np.abs(ours - theirs).max() < 1e-5 * theirs.std()


def test_the_past_does_not_see_the_future_and_every_position_sees_itself():
    model = small()
    source, target_in = batch()
    before = logits(model, source, target_in)
    for t in range(target_in.shape[1]):
        changed = target_in.copy()
        changed[:, t] = 3 + (changed[:, t] - 2) % 20
        moved = np.abs(logits(model, source, changed) - before).max(axis=(0, 2))
        assert (moved[:t] < 1e-6).all()
        assert (moved[t:] > 1e-4).all()


def test_padding_changes_nothing():
    model = small()
    source, target_in = batch()
    before = logits(model, source, target_in)
    wide = np.pad(source, ((0, 0), (0, 5)))
    long = np.pad(target_in, ((0, 0), (0, 4)))
    np.testing.assert_allclose(logits(model, wide, long)[:, : target_in.shape[1]], before, atol=1e-5)


def test_every_source_token_matters_and_so_does_its_place():
    model = small()
    source, target_in = batch()
    before = logits(model, source, target_in)
    for s in range(4):
        changed = source.copy()
        changed[:, s] = 3 + (changed[:, s] - 2) % 20
        assert (np.abs(logits(model, changed, target_in) - before).max(axis=(1, 2)) > 1e-4).all()
    swapped = source.copy()
    swapped[:, [0, 1]] = source[:, [1, 0]]
    assert np.abs(logits(model, swapped, target_in) - before).max() > 1e-3


def test_a_row_without_source_gives_finite_logits():
    model = small()
    source, target_in = batch()
    source[0] = 0
    assert np.isfinite(logits(model, source, target_in)).all()


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_cached_decoding_equals_the_whole_at_once(dtype):
    model = small(dtype=dtype, key_dim=5, value_dim=3)
    source, target_in = batch()
    whole = logits(model, source, target_in)
    other = np.roll(target_in, 1, axis=0)
    whole_other = logits(model, source, other)
    cache = model.init_cache(model.encode(source), source, beam_size=2, length=7)
    for t in range(target_in.shape[1]):
        step, cache = model.decode_step(np.stack([target_in[:, t], other[:, t]], 1), t, cache)
        step = ops.convert_to_numpy(ops.cast(step, "float32"))
        tolerance = 1e-5 if dtype == "float32" else 0.15
        np.testing.assert_allclose(step[:, 0], whole[:, t], atol=tolerance)
        np.testing.assert_allclose(step[:, 1], whole_other[:, t], atol=tolerance)


def test_attention_weights_are_distributions_over_visible_positions():
    model = small()
    source, target_in = batch()
    weights = {k: [ops.convert_to_numpy(w) for w in v] for k, v in model.attention_weights((source, target_in)).items()}
    assert [len(weights[k]) for k in ("encoder", "decoder", "cross")] == [2, 3, 3]
    for w in weights["cross"]:
        assert w.shape == (3, 4, 5, 6)
        np.testing.assert_allclose(w.sum(-1), 1, atol=1e-5)
        assert (w[1, ..., 5] == 0).all()  # padding


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_round_trip_through_a_keras_file(tmp_path, dtype):
    model = small(dtype=dtype, dropout=0.2, use_bias=True)
    randomise(model)
    model.save(tmp_path / "model.keras")
    copy = keras.saving.load_model(tmp_path / "model.keras", safe_mode=True)
    assert copy.config == model.config
    assert copy.dtype_policy == model.dtype_policy
    pair = batch()
    np.testing.assert_array_equal(logits(copy, *pair), logits(model, *pair))


@pytest.mark.tensorflow_backend
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_a_model_saved_here_gives_the_same_logits_on(backend, tmp_path):
    if not find_spec(backend):
        pytest.skip(f"{backend} is not installed: pip install '.[{backend}]'")
    model = small()
    randomise(model)
    source, target_in = batch()
    model.save(tmp_path / "model.keras")
    np.savez(tmp_path / "in.npz", source=source, target_in=target_in)
    code = (
        "import sys, numpy as np, keras, keras_transformer\n"
        "d = sys.argv[1]; x = np.load(d + '/in.npz')\n"
        "model = keras.saving.load_model(d + '/model.keras')\n"
        "out = keras.ops.convert_to_numpy(model((x['source'], x['target_in'])))\n"
        "np.save(d + '/out.npy', out)\n"
    )
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    here, there = logits(model, source, target_in), np.load(tmp_path / "out.npy")
    assert np.abs(here - there).max() < 1e-5 * here.std()


def test_presets_have_the_papers_sizes():
    assert {"base", "big", "tiny"} <= set(preset_names())
    base, big, tiny = (TransformerConfig(vocab_size=37000, **load_preset(n)["model"]) for n in ("base", "big", "tiny"))
    defaults = TransformerConfig(vocab_size=37000)
    assert base == defaults
    assert (big.d_model, big.d_ff, big.num_heads, big.head_sizes, big.dropout) == (1024, 4096, 16, (64, 64), 0.3)
    assert (tiny.d_model, tiny.d_ff, tiny.num_heads, tiny.num_encoder_layers, tiny.dropout) == (128, 256, 4, 4, 0.3)


def parameters(**fields):
    """Count without drawing any number: the big ones would take seconds."""
    with keras.StatelessScope():
        return Transformer(vocab_size=37000, **fields).count_params()


@pytest.mark.backend_independent
def test_parameter_counts_are_the_papers():
    base = parameters()
    assert round((base - 37000 * 512) / 1e6, 1) == 44.1
    assert round(base / 1e6, 1) == 63.0
    assert round((parameters(d_model=1024, d_ff=4096, num_heads=16) - 37000 * 1024) / 1e6, 1) == 176.3
    for name, row in table3().items():
        if name in ("A2", "A3", "D1", "D2", "D3", "D4"):  # as A1: `keras-transformer paper` counts every row
            continue
        fields = load_preset(f"table3/{name}")["model"]
        difference = (parameters(**fields) - base) / 1e6
        if "parameters" in row["paper"] and fields["d_model"] == 512:
            # Both figures of the paper are rounded to a million.
            assert abs(difference - (row["paper"]["parameters"] - 65)) <= 1, name
        elif name[0] == "A":
            assert difference == 0, name
    assert parameters(**load_preset("table3/E")["model"]) == base + 2 * 512 * 512  # two tables of 512 positions


# Table 3 as printed, blank cells as in base: N, d_model, d_ff, h, d_k, d_v, P_drop, eps, perplexity, BLEU, millions.
TABLE_3 = """
A1 6 512 2048 1 512 512 0.1 0.1 5.29 24.9 -
A2 6 512 2048 4 128 128 0.1 0.1 5.00 25.5 -
A3 6 512 2048 16 32 32 0.1 0.1 4.91 25.8 -
A4 6 512 2048 32 16 16 0.1 0.1 5.01 25.4 -
B1 6 512 2048 8 16 64 0.1 0.1 5.16 25.1 58
B2 6 512 2048 8 32 64 0.1 0.1 5.01 25.4 60
C1 2 512 2048 8 64 64 0.1 0.1 6.11 23.7 36
C2 4 512 2048 8 64 64 0.1 0.1 5.19 25.3 50
C3 8 512 2048 8 64 64 0.1 0.1 4.88 25.5 80
C4 6 256 2048 8 32 32 0.1 0.1 5.75 24.5 28
C5 6 1024 2048 8 128 128 0.1 0.1 4.66 26.0 168
C6 6 512 1024 8 64 64 0.1 0.1 5.12 25.4 53
C7 6 512 4096 8 64 64 0.1 0.1 4.75 26.2 90
D1 6 512 2048 8 64 64 0.0 0.1 5.77 24.6 -
D2 6 512 2048 8 64 64 0.2 0.1 4.95 25.5 -
D3 6 512 2048 8 64 64 0.1 0.0 4.67 25.3 -
D4 6 512 2048 8 64 64 0.1 0.2 5.47 25.7 -
E 6 512 2048 8 64 64 0.1 0.1 4.92 25.7 -
"""


@pytest.mark.backend_independent
def test_table_3_presets_are_the_papers_rows():
    rows = [line.split() for line in TABLE_3.strip().splitlines()]
    assert [row[0] for row in rows] == list(table3())
    for name, *cells in rows:
        preset, paper = load_preset(f"table3/{name}"), table3()[name]["paper"]
        config = TransformerConfig(vocab_size=37000, **preset["model"])
        ours = [config.num_encoder_layers, config.d_model, config.d_ff, config.num_heads, *config.head_sizes]
        ours += [config.dropout, preset["training"]["label_smoothing"], paper["perplexity"], paper["bleu"]]
        assert ours == [float(cell) for cell in cells[:-1]], name
        assert str(paper.get("parameters", "-")) == cells[-1], name
        assert config.num_decoder_layers == config.num_encoder_layers
        assert config.position == ("learned" if name == "E" else "sinusoidal")
        assert preset["training"]["max_steps"] == 100_000


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"d_model": 18},
            "d_model=18 is not divisible by num_heads=4: choose num_heads that divides d_model, or set key",
        ),
        ({"d_modle": 16}, "no setting 'd_modle'. Did you mean 'd_model'?"),
        ({"dropout": 1.5}, "dropout=1.5"),
        ({"vocab_size": 2}, "vocab_size=2"),
        ({"eos_id": 0}, "must be three different ids"),
        ({"d_model": 15, "key_dim": 4}, "odd"),
        ({"position": "rotary", "key_dim": 3}, "d_k=3 is odd, and rotary positions need an even size; set key_dim"),
        ({"position": "relative"}, "position='relative'"),
        ({"attention_neighbours": 3}, "attention_neighbours=3"),
        ({"source_vocab_size": 30}, "source_vocab_size=30 and vocab_size=23 cannot share one matrix"),
        ({"source_vocab_size": 2, "tie_embeddings": "none"}, "source_vocab_size=2"),
    ],
)
def test_wrong_settings_are_one_sentence(fields, message):
    with pytest.raises(InputError) as error:
        Transformer(**{**SMALL, **fields})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_preset_is_named():
    with pytest.raises(InputError, match=r"no preset 'bas'\. Did you mean 'base'"):
        Transformer.from_preset("bas", vocab_size=10)


@pytest.mark.parametrize("wrong", ["one tensor", "floats", "three axes"])
def test_wrong_inputs_are_one_sentence(wrong):
    source, target_in = batch()
    inputs = {
        "one tensor": source,
        "floats": (source.astype("float32"), target_in),
        "three axes": (source[None], target_in),
    }[wrong]
    with pytest.raises(InputError, match="Transformer takes"):
        small().call(inputs)
