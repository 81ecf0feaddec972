"""A vocabulary for each language, from training to the exported model."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.diagnostics import record_attention
from keras_transformer.errors import InputError

PAIRS = [("the dog runs", "犬が走る"), ("the cat sings", "猫が歌う"), ("dogs run", "犬たちが走る")]


@pytest.fixture(scope="module")
def pair() -> kt.TokenizerPair:
    return kt.TokenizerPair.train_apart(PAIRS, vocab_size=275, source_vocab_size=283)


@pytest.mark.backend_independent
def test_saved_and_loaded_it_is_the_same_pair(pair, tmp_path: Path) -> None:
    pair.save(tmp_path / "tokenizer.model")
    for copy in (kt.Tokenizer.load(tmp_path / "tokenizer.model"), pickle.loads(pickle.dumps(pair))):
        assert copy == pair
        assert (copy.source.vocab_size, copy.vocab_size) == (283, 275)
        assert copy.fingerprint == pair.fingerprint != kt.Tokenizer(pair.proto).fingerprint
    alone = kt.Tokenizer(pair.proto)
    assert alone != pair
    assert alone.source is alone


@pytest.mark.backend_independent
def test_batches_encode_each_side_with_its_own(pair) -> None:
    (source, target_in), target_out, _ = kt.TokenBatches(PAIRS, pair, 64, seed=None).batch(0)
    assert sorted(pair.source.decode(source)[:3]) == sorted(line for line, _ in PAIRS)
    assert sorted(pair.decode(target_out)[:3]) == sorted(line for _, line in PAIRS)
    assert (target_in[:3, 0] == 1).all()


def test_attention_is_recorded_for_the_source_that_was_read(pair) -> None:
    small = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
    model = kt.Transformer(vocab_size=275, source_vocab_size=283, tie_embeddings="none", **small)
    record = record_attention(model, pair, *PAIRS[0])
    assert list(record.source_ids) == [*pair.source.encode([PAIRS[0][0]])[0], pair.eos_id]
    assert list(record.source_pieces) == pair.source.pieces(record.source_ids)
    assert list(record.target_ids) == [*pair.encode([PAIRS[0][1]])[0], pair.eos_id]


def test_a_model_of_few_positions_cuts_sources_with_a_notice_and_refuses_to_score_more(pair) -> None:
    """20 positions: no multiple of what batches are padded to."""
    small = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
    model = kt.Transformer(
        vocab_size=275, source_vocab_size=283, tie_embeddings="none", position="learned", max_positions=20, **small
    )
    cuts = []
    translator = kt.Translator(model, pair, beam_size=2, max_length_offset=9, on_truncated=cuts.append)
    assert len(translator(["the dog runs", "the dog runs " * 9])) == 2
    assert [(cut.line, cut.kept) for cut in cuts] == [(2, 20)]
    with pytest.raises(InputError, match=r"pair 2 has .* tokens on its longer side and the model has 20 positions"):
        kt.Scorer(model, pair)(["the dog", "the dog"], ["犬", "日本" * 9])


def test_translator_and_scorer_take_it_and_refuse_one_that_does_not_fit(pair) -> None:
    small = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
    model = kt.Transformer(vocab_size=275, source_vocab_size=283, tie_embeddings="decoder", **small)
    assert len(kt.Translator(model, pair, beam_size=2, max_length_offset=2)(["the dog runs", ""])) == 2
    (score,) = kt.Scorer(model, pair)([PAIRS[0][0]], [PAIRS[0][1]])
    ids = [[*pair.source.encode([PAIRS[0][0]])[0], 2]], [[*pair.encode([PAIRS[0][1]])[0], 2]]
    np.testing.assert_allclose(score.log_probability, kt.Scorer(model, pair).score_ids(*ids)[0].log_probability)
    with pytest.raises(InputError, match="source's tokenizer has 283 pieces and the model knows 275"):
        kt.Translator(kt.Transformer(vocab_size=275, **small), pair)


@pytest.mark.tensorflow_backend
def test_a_run_with_two_vocabularies_trains_translates_and_exports(tmp_path: Path) -> None:
    for side, name in enumerate(("a.en", "a.ja")):
        lines = [f"{PAIRS[index % 3][side]} {index}" for index in range(90)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = [
        "tokenizer.shared=false", "tokenizer.vocab_size=285", "tokenizer.source_vocab_size=293", "model.d_model=16",
        "model.d_ff=16", "model.num_heads=2", "model.num_encoder_layers=1", "model.num_decoder_layers=1",
        "model.position=learned", "model.max_positions=28", "data.max_length=28", "training.max_steps=4",
        "training.checkpoint_every=2", "training.validate_every=4", "training.warmup_steps=2",
        f"data.train=[{tmp_path / 'a.en'}, {tmp_path / 'a.ja'}]",
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"set model\.tie_embeddings=decoder"):
        kt.resolve_config("tiny", overrides=settings)
    config = kt.resolve_config("tiny", overrides=[*settings, "model.tie_embeddings=decoder"])
    kt.train(config, tmp_path / "run")
    run = kt.Run(tmp_path / "run")
    assert run.model("last").config.source_vocab_size == run.tokenizer.source.vocab_size == 293
    translator = run.translator("last", max_length_offset=3)
    assert len(translator(["the dog runs", "cats"])) == 2
    report = kt.export_saved_model(translator, tmp_path / "served" / "1")  # compares both in a fresh process
    assert (report.path / "assets.extra" / "source-tokenizer.model").exists()
