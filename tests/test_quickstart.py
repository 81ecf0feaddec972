"""The whole way, with everything small."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from keras_transformer import quickstart as module
from keras_transformer.quickstart import WORD_ORDER, choose_samples, quickstart
from keras_transformer.training.finish import TrainResult

SMALL = [
    "data.options={pairs: 800}",
    "model={num_encoder_layers: 1, num_decoder_layers: 1, d_model: 16, d_ff: 32, num_heads: 2}",
    "tokenizer.vocab_size=500",
    "training.max_steps=20",
    "training.warmup_steps=5",
    "training.cooldown_steps=5",
    "training.tokens_per_batch=512",
    "training.checkpoint_every=10",
    "training.average_last=2",
    "training.validate_every=20",
    "training.validation_sentences=8",
    "training.memory_check=false",
    "decoding.max_length_offset=1",
    "decoding.beam_size=1",
]


@pytest.mark.backend_independent
def test_the_sentences_shown_show_word_order() -> None:
    from keras_transformer.text import datasets

    pairs = datasets.load("phrases", pairs=500).test["test"]
    samples = choose_samples(pairs)
    assert [what for what, _, _ in samples] == [what for _, _, what in WORD_ORDER[:5]]
    assert len({source for _, source, _ in samples}) == 5
    assert all((source, target) in list(pairs) for _, source, target in samples)
    assert samples[0][2].split()[-1].endswith("t.")  # hat ... geputzt.


@pytest.mark.timeout(900)
@pytest.mark.tensorflow_backend
def test_one_call_makes_everything(tmp_path: Path) -> None:
    output = io.StringIO()
    console = Console(file=output, width=100)
    result = quickstart(tmp_path / "run", saved_models=tmp_path / "saved", overrides=SMALL, console=console)
    assert (result.exit_code, result.train.step) == (0, 20)
    assert set(result.scores) == {"test", "long"}
    for picture in result.pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "saved" / "run" / "1" / "saved_model.pb").is_file()
    assert result.export.verified
    text = output.getvalue()
    assert text.count("  English  ") == 5
    assert "saved_model_cli" in text
    assert f"keras-transformer translate {tmp_path / 'run'}" in text.replace("\n", "")


def test_an_interrupted_one_stops_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stopped = TrainResult(tmp_path, 7, "signal", 1.0, interrupted=15)
    monkeypatch.setattr("keras_transformer.training.trainer.train", lambda *_, **__: stopped)
    monkeypatch.setattr(module, "_evaluate", lambda *_: pytest.fail("it went on"))
    output = io.StringIO()
    result = quickstart(tmp_path, overrides=["data.options={pairs: 300}"], console=Console(file=output))
    assert result.exit_code == 143
    assert "Stopped by SIGTERM at step 7; the same command continues." in output.getvalue()
