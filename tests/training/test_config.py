"""The configuration of a run: layers, checks, sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_transformer.errors import InputError
from keras_transformer.models.config import preset_names
from keras_transformer.training.config import RunConfig, load_recipes, resolve_config
from keras_transformer.training.overrides import merge, parse_overrides

pytestmark = pytest.mark.backend_independent


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_is_a_whole_configuration(preset: str) -> None:
    config = resolve_config(preset)
    assert config.transformer(config.tokenizer.vocab_size).d_model == config.model["d_model"]
    assert config.preset == preset


@pytest.mark.parametrize("recipe", load_recipes())
def test_every_recipe_fits_the_presets(recipe: str) -> None:
    for preset in preset_names():
        resolve_config(preset, recipe)


def test_base_and_big_are_the_papers() -> None:
    base, big = resolve_config("base"), resolve_config("big")
    assert (base.training.max_steps, base.training.average_last, base.training.warmup_steps) == (100_000, 5, 4000)
    assert (big.training.max_steps, big.training.average_last) == (300_000, 20)
    assert base.training.peak_learning_rate is None
    assert (base.decoding.beam_size, base.decoding.length_penalty, base.decoding.max_length_offset) == (4, 0.6, 50)


def test_layers_win_in_order() -> None:
    recipe = {"training": {"warmup_steps": 7, "seed": 8}, "model": {"dropout": 0.25}}
    config = resolve_config("tiny", recipe, ["training.seed=9"], training={"max_steps": 6, "cooldown_steps": 3})
    training = config.training
    assert (training.max_steps, training.warmup_steps, training.seed) == (6, 7, 9)
    assert config.model["dropout"] == 0.25
    assert config.model["d_model"] == resolve_config("tiny").model["d_model"]


def test_a_named_data_set_brings_its_recipe_unless_told_otherwise() -> None:
    dropout = load_recipes()["multi30k"]["model"]["dropout"]
    data = {"dataset": "multi30k"}
    assert resolve_config("tiny", data=data).model["dropout"] == dropout
    assert resolve_config("tiny", overrides=["data.dataset=multi30k"]).model["dropout"] == dropout
    assert resolve_config("tiny", {}, data=data).model["dropout"] == resolve_config("tiny").model["dropout"] != dropout


def test_saved_and_loaded_it_is_the_same(tmp_path) -> None:
    overrides = ["data.train=[a.en, ä.de]", "training.max_minutes=2.5", "data.options={size: 3}", "model.key_dim=7"]
    config = resolve_config("tiny", overrides=overrides)
    path = tmp_path / "config.yaml"
    path.write_text(config.to_yaml(), encoding="utf-8")
    assert RunConfig.load(path) == config
    path.write_text(config.to_yaml().replace("  packed: true\n", ""), encoding="utf-8")
    assert not RunConfig.load(path).data.packed  # from a time of one pair a row, and so it goes on


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("training.max_step=5", "'training.max_step'. Did you mean 'max_steps'?"),
        ("trainig.max_steps=5", "'trainig'. Did you mean 'training'?"),
        ("model.d_modle=64", "'d_modle'. Did you mean 'd_model'?"),
        ("model.d_model=130", "d_model=130 is not divisible by num_heads=4"),
        ("model.vocab_size=100", "tokenizer.vocab_size"),
        ("training.max_steps=many", "training.max_steps is 'many', expected a valid integer."),
        ("training.max_steps=0", "greater than or equal to 1"),
        ("training.label_smoothing=1", "training.label_smoothing is 1, expected less than 1"),
        ("training.precision=float8", "'float32', 'mixed_bfloat16', 'mixed_float16' or 'auto'"),
        ("training=5", "training is 5"),
        ("training.average_last=99", "training.keep_checkpoints"),
        ("training.cooldown_steps=99999999", "training.max_steps"),
        ("data.train=[a, b, c]", "two (source, target) or one TSV"),
        ("max_steps", "section.key=value"),
        ("=5", "section.key=value"),
        ("training.max_steps={", "not a YAML value"),
        ("model.position=relative", "position='relative'"),
        ("model.source_vocab_size=100", "set tokenizer.shared=false and tokenizer.source_vocab_size instead"),
        ("model.scheduled_sampling=0.1", "set training.scheduled_sampling instead"),
        ("tokenizer.source_vocab_size=900", "set tokenizer.shared=false, or leave it out"),
        ("training.scheduled_sampling=1", "training.scheduled_sampling is 1, expected less than 1"),
    ],
)
def test_a_wrong_setting_is_one_sentence(override: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        resolve_config("tiny", overrides=[override])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_learned_positions_must_reach_the_longest_pair() -> None:
    learned = ["model.position=learned", "model.max_positions=300"]
    assert resolve_config("tiny", overrides=learned).data.max_length == 256
    with pytest.raises(
        InputError, match=r"data\.max_length=400 tokens need as many learned positions, and model\.max_pos"
    ):
        resolve_config("tiny", overrides=[*learned, "data.max_length=400"])


def test_scheduled_sampling_is_a_training_setting_that_reaches_the_model() -> None:
    config = resolve_config(
        "tiny", overrides=["training.scheduled_sampling=0.25", "training.scheduled_sampling_steps=9"]
    )
    model = config.transformer(8000)
    assert (model.scheduled_sampling, model.scheduled_sampling_steps) == (0.25, 9)


def test_unknown_preset_and_recipe_name_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'tiny'"):
        resolve_config("tini")
    with pytest.raises(InputError, match="Did you mean 'multi30k'"):
        resolve_config("tiny", "multi30")


def test_several_wrong_settings_are_counted() -> None:
    with pytest.raises(InputError, match=r"1 more settings are wrong"):
        resolve_config("tiny", overrides=["training.max_steps=0", "training.seed=-1"])


def test_float16_on_replicas_is_refused() -> None:
    with pytest.raises(InputError, match="mixed_bfloat16"):
        resolve_config("tiny", overrides=["training.precision=mixed_float16", "training.replicas=2"])


def test_norwegian_is_a_language_and_not_a_truth_value() -> None:
    config = resolve_config("tiny", overrides=["data.source=no", "training.memory_check=false"])
    assert config.data.source == "no"
    assert config.training.memory_check is False


@given(st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xyz"), st.integers(), max_size=3)))
def test_overrides_say_what_they_are_told(values: dict[str, dict[str, int]]) -> None:
    texts = [f"{section}.{key}={value}" for section, keys in values.items() for key, value in keys.items()]
    assert parse_overrides(texts) == {section: keys for section, keys in values.items() if keys}


@given(st.dictionaries(st.sampled_from("abc"), st.integers()), st.dictionaries(st.sampled_from("abc"), st.integers()))
def test_merging_keeps_what_is_not_overlaid(below: dict[str, int], above: dict[str, int]) -> None:
    assert merge({"s": below, "t": 1}, {"s": above}) == {"s": {**below, **above}, "t": 1}


@pytest.mark.parametrize("text", ["[1, 2]", "training: {max_step: 3}", "{", ""])
def test_a_damaged_file_is_one_sentence(tmp_path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(InputError):
        RunConfig.load(path)


def test_a_cooldown_keeps_its_share_of_a_run_of_another_length() -> None:
    data = {"dataset": "multi30k"}
    whole = resolve_config("tiny", data=data).training
    third = resolve_config("tiny", overrides=[f"training.max_steps={whole.max_steps // 3}"], data=data).training
    assert third.cooldown_steps == round(whole.cooldown_steps * third.max_steps / whole.max_steps) > 0
    chosen = ["training.max_steps=3000", "training.cooldown_steps=7"]
    assert resolve_config("tiny", overrides=chosen, data=data).training.cooldown_steps == 7


def test_a_recipe_measured_with_tiny_does_not_change_a_larger_preset() -> None:
    assert resolve_config("base", data={"dataset": "multi30k"}).training == resolve_config("base").training
    assert resolve_config("tiny", data={"dataset": "multi30k"}).training != resolve_config("tiny").training
