"""A SavedModel takes text and gives text, without Python and as the Python translator does."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.export import ExportError, ExportReport, fresh_process, saved_model, verification
from keras_transformer.export.conversion import in_float32
from keras_transformer.export.servable import CHUNK_TOKENS, SearchSettings, write_servable

SOURCES = ("ein Hund läuft", "die Katze sitzt im Park", "das rote Haus ist größer als der Baum")
LINES = [
    *SOURCES,
    "",
    " \t ",
    "\x1f\u2003 der Hund \u3000\x85",
    "  ﬁve Ünïcödé 日本 ① 😀\u2028x",
    "nul\x00 byte\nand a line break",
    "das rote Haus ist größer als der Baum und der Hund " * 3,
    "x",
]


@pytest.fixture(scope="module")
def translator() -> kt.Translator:
    """Weights far from uniform, so that no two hypotheses are equally good."""
    tokenizer = kt.Tokenizer.train([[*SOURCES, "a dog runs in the park"]], vocab_size=300)
    keras.utils.set_random_seed(3)
    model = kt.Transformer(vocab_size=300, d_model=16, d_ff=32, num_heads=2, num_encoder_layers=1, num_decoder_layers=1)
    for variable in model.trainable_variables:
        variable.assign(variable * 3.0)
    return kt.Translator(
        model,
        tokenizer,
        beam_size=3,
        length_penalty=0.8,
        max_length_offset=4,
        max_source_length=40,
        on_truncated=lambda truncation: None,
    )


@pytest.fixture(scope="module")
def report(translator: kt.Translator, tmp_path_factory: pytest.TempPathFactory) -> ExportReport:
    folder = tmp_path_factory.mktemp("saved_models")
    return kt.export_saved_model(translator, folder / "de-en", samples=SOURCES[:2], languages=("de", "en"))


@pytest.fixture(scope="module")
def loaded(report: ExportReport, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The SavedModel, read from a place it was not written to while the original is out of the way."""
    import tensorflow as tf

    moved, hidden = tmp_path_factory.mktemp("elsewhere") / "model", report.path.with_name("hidden")
    shutil.copytree(report.path, moved)
    report.path.rename(hidden)
    try:
        return SimpleNamespace(module=tf.saved_model.load(str(moved)), tf=tf)
    finally:
        hidden.rename(report.path)


def served(loaded: SimpleNamespace, texts: list[bytes]) -> list[tuple[str, float]]:
    text = loaded.tf.constant(texts, loaded.tf.string, shape=(len(texts),))
    result = loaded.module.signatures["serving_default"](text=text)
    return [
        (translation.decode(), score)
        for translation, score in zip(result["translation"].numpy(), result["score"].numpy(), strict=True)
    ]


@pytest.mark.tensorflow_backend
def test_the_report_says_what_a_fresh_process_saw(report: ExportReport, translator: kt.Translator) -> None:
    assert report.path.name == "1"
    assert report.verified
    assert report.load_seconds > 0
    assert [sample.source for sample in report.samples] == list(SOURCES[:2])
    assert [sample.translation for sample in report.samples] == translator(list(SOURCES[:2]))
    manifest = json.loads((report.path / "assets.extra" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["languages"] == {"source": "de", "target": "en"}
    assert manifest["samples"][0]["translation"] == report.samples[0].translation
    rebuilt = kt.Translator(
        translator.model,
        kt.Tokenizer.load(report.path / "assets.extra" / "tokenizer.model"),
        **manifest["decoding"],
        on_truncated=lambda truncation: None,
    )
    assert rebuilt(LINES) == translator(LINES)
    assert [entry.name for entry in report.path.parent.iterdir()] == ["1"]
    assert str(report.path) in str(report)


@pytest.mark.tensorflow_backend
def test_a_large_request_comes_back_in_its_order(loaded: SimpleNamespace) -> None:
    """It is sorted and cut into several chunks inside; an answer hangs on its own line alone."""
    random = np.random.default_rng(0)
    lines = [" ".join(random.permutation(" ".join(SOURCES).split())[:length]).encode() for length in range(20)]
    alone = dict(zip(lines, (served(loaded, [line])[0] for line in lines), strict=True))
    assert len({text for text, _ in alone.values()}) > 5
    many = [lines[i] for i in random.integers(0, len(lines), 300)]
    assert sum(map(len, many)) > 3 * CHUNK_TOKENS  # a byte is a token here, or nearly
    for line, (text, score) in zip(many, served(loaded, many), strict=True):
        assert text == alone[line][0]
        assert score == pytest.approx(alone[line][1], abs=1e-4, rel=1e-4)
    assert served(loaded, []) == []


@pytest.mark.tensorflow_backend
def test_text_in_text_out_as_in_python(loaded: SimpleNamespace, translator: kt.Translator) -> None:
    expected = [hypotheses[0] for hypotheses in translator.translate(LINES)]
    assert len(translator.truncated) == 1
    assert len({hypothesis.text for hypothesis in expected}) > 5
    together = served(loaded, [line.encode() for line in LINES])
    alone = [served(loaded, [line.encode()])[0] for line in LINES]
    for hypothesis, batch, single in zip(expected, together, alone, strict=True):
        assert batch[0] == single[0] == hypothesis.text
        assert batch[1] == pytest.approx(hypothesis.score, abs=1e-4, rel=1e-4)
        assert single[1] == pytest.approx(hypothesis.score, abs=1e-4, rel=1e-4)
    assert served(loaded, []) == []


@pytest.mark.tensorflow_backend
def test_bytes_that_are_not_utf8_are_read_as_python_reads_them(
    loaded: SimpleNamespace, translator: kt.Translator
) -> None:
    texts = [b"\xff\xfe Hund", b"Katze \xc3", b"\xed\xa0\x80x", b"\xf0\x9f\x98"]
    lines = [text.decode("utf-8", "replace") for text in texts]
    assert [translation for translation, _ in served(loaded, texts)] == translator(lines)


@pytest.mark.tensorflow_backend
def test_the_ids_signature_is_the_same_search(loaded: SimpleNamespace, translator: kt.Translator) -> None:
    tokenizer, ids = translator.tokenizer, loaded.module.signatures["ids"]
    rows = [[*pieces, tokenizer.eos_id] for pieces in tokenizer.encode(list(SOURCES))]
    width = max(map(len, rows)) + 3
    padded = [row + [0] * (width - len(row)) for row in [*rows, []]]
    result = ids(source_ids=loaded.tf.constant(padded, loaded.tf.int32))
    assert tokenizer.decode(result["target_ids"].numpy()) == translator([*SOURCES, ""])
    expected = [hypotheses[0].score for hypotheses in translator.translate([*SOURCES, ""])]
    assert result["score"].numpy() == pytest.approx(expected, abs=1e-4, rel=1e-4)
    for shape in ((0, 5), (0, 0), (2, 0)):
        empty = ids(source_ids=loaded.tf.zeros(shape, loaded.tf.int32))
        assert empty["target_ids"].shape[0] == empty["score"].shape[0] == shape[0]
        assert not empty["target_ids"].numpy().any()


@pytest.mark.tensorflow_backend
def test_the_printed_saved_model_cli_line_runs(report: ExportReport) -> None:
    done = subprocess.run(report.saved_model_cli, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(report.samples[0].translation.encode()) in done.stdout
    assert f"  {report.saved_model_cli}\n" in str(report)


@pytest.mark.tensorflow_backend
def test_a_servable_that_differs_is_not_kept(
    translator: kt.Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other_search(model: object, tokenizer: object, settings: SearchSettings, directory: Path) -> None:
        wrong = {**settings.to_dict(), "length_penalty": 0.0}
        write_servable(model, tokenizer, SearchSettings(**wrong), directory)

    monkeypatch.setattr(saved_model, "write_servable", other_search)
    monkeypatch.setattr(verification, "run_fresh", fresh_process.answer)  # in this process: that is faster
    with pytest.raises(ExportError, match="Python translator"):
        kt.export_saved_model(translator, tmp_path / "de-en" / "7", samples=SOURCES)
    assert list((tmp_path / "de-en").iterdir()) == []


@pytest.mark.timeout(900)  # two more processes that import TensorFlow: slow where the machine is busy
def test_weights_of_this_backend_are_exported_by_another_process(
    translator: kt.Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if keras.backend.backend() == "tensorflow":
        # As on a GPU: the other process writes, and translates in Python on the CPU.
        monkeypatch.setattr(saved_model, "runs_on_cpu", lambda model: False)
        monkeypatch.setattr(verification, "run_fresh", fresh_process.answer)  # in this process: that is faster
    expected = translator.translate(list(SOURCES))
    report = kt.export_saved_model(translator, tmp_path / "de-en" / "3", samples=SOURCES)
    assert report.verified
    for sample, hypotheses in zip(report.samples, expected, strict=True):
        assert sample.translation == hypotheses[0].text
        assert sample.score == pytest.approx(hypotheses[0].score, abs=1e-4, rel=1e-4)
    assert {entry.name for entry in report.path.iterdir()} >= {"saved_model.pb", "variables", "assets.extra"}


def test_mixed_precision_is_served_in_float32(translator: kt.Translator) -> None:
    assert in_float32(translator) is translator
    model = kt.Transformer.from_config({**translator.model.get_config(), "dtype": "mixed_bfloat16"})
    model.set_weights(translator.model.get_weights())
    settings = SearchSettings.of(translator).to_dict()
    served = in_float32(kt.Translator(model, translator.tokenizer, **settings))
    assert served.model.dtype_policy.name == "float32"
    assert SearchSettings.of(served).to_dict() == settings
    assert [[h.score for h in hs] for hs in served.translate(list(SOURCES))] == [
        [pytest.approx(h.score, abs=1e-5) for h in hs] for hs in translator.translate(list(SOURCES))
    ]


@pytest.mark.backend_independent
def test_the_lines_for_tensorflow_serving() -> None:
    report = ExportReport(Path("saved_models/en de/2"), 10, False, 'He said "it\'s".')
    curl = shlex.split(report.curl)
    assert json.loads(curl[curl.index("-d") + 1]) == {"inputs": {"text": ['He said "it\'s".']}}
    assert curl[-1] == "http://localhost:8501/v1/models/en%20de:predict"
    docker = shlex.split(report.docker)
    mounted = Path("saved_models/en de").absolute()
    assert docker[docker.index("-v") + 1] == f"{mounted}:/models/en de:ro"
    assert docker[docker.index("-e") + 1] == "MODEL_NAME=en de"
    assert "Not verified" in str(report)
