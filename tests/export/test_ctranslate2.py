"""A CTranslate2 model translates as the Python translator does, or is not kept."""

import importlib.util
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

import keras_transformer as kt
from keras_transformer.errors import InputError
from keras_transformer.export import CTranslate2Report, ExportError, ctranslate2_model
from keras_transformer.export.ctranslate2_check import Agreement, refuse
from keras_transformer.export.ctranslate2_client import avoid_saturation
from keras_transformer.export.ctranslate2_weights import build_specification

avoid_saturation()  # before the library is loaded
try:
    import ctranslate2
except ImportError:
    ctranslate2 = None

pytestmark = pytest.mark.tensorflow_backend
needs_package = pytest.mark.skipif(ctranslate2 is None, reason="needs the package ctranslate2: extra `ctranslate2`")

WORDS = ["ein", "Hund", "läuft", "die", "Katze", "sitzt", "im", "Park", "das", "rote", "Haus", "größer", "日本"]
SENTENCES = [" ".join(random.Random(seed).choices(WORDS, k=2 + seed % 9)) for seed in range(40)]
KINDS = {
    "pre-norm, learned, GELU, biases": {
        "norm": "pre",
        "position": "learned",
        "max_positions": 40,
        "activation": "gelu",
        "use_bias": True,
        "tie_embeddings": "decoder",
    },
    "rotary, GEGLU, wide heads": {
        "position": "rotary",
        "activation": "geglu",
        "key_dim": 12,
        "tie_embeddings": "none",
        "num_encoder_layers": 1,
    },
    "no positions, SwiGLU, fewer decoder layers": {
        "norm": "pre",
        "position": "none",
        "activation": "swiglu",
        "num_decoder_layers": 1,
    },
}


def make_translator(
    tokenizer: kt.Tokenizer, vocab_size: int = 0, tame: bool = False, **fields: object
) -> kt.Translator:
    """Weights far from uniform, biases and gains too, and ends that are likely after a few tokens."""
    keras.utils.set_random_seed(5)
    settings = {"d_model": 16, "d_ff": 24, "num_heads": 2, "num_encoder_layers": 2, "num_decoder_layers": 2, **fields}
    model = kt.Transformer(vocab_size=vocab_size or tokenizer.vocab_size, **settings)
    generator = np.random.default_rng(1)
    for variable in model.trainable_variables:
        noise = generator.normal(0, 0.2, variable.shape)
        values = np.asarray(variable) + noise * (0.1 if tame else 1.0)
        variable.assign(values)
    return kt.Translator(
        model,
        tokenizer,
        beam_size=3,
        length_penalty=0.8,
        max_length_offset=20,
        max_source_length=40,
        on_truncated=lambda truncation: None,
    )


@pytest.fixture(scope="module")
def tokenizer() -> kt.Tokenizer:
    return kt.Tokenizer.train([SENTENCES], vocab_size=300)


@pytest.fixture(scope="module")
def translator(tokenizer: kt.Tokenizer) -> kt.Translator:
    return make_translator(tokenizer)


@pytest.fixture(scope="module")
def report(translator: kt.Translator, tmp_path_factory: pytest.TempPathFactory) -> CTranslate2Report:
    folder = tmp_path_factory.mktemp("exported") / "de-en"
    return kt.export_ctranslate2(translator, folder, samples=[*SENTENCES, "", " \t "])


@needs_package
def test_the_paper_s_model_translates_alike(report: CTranslate2Report) -> None:
    assert report.agreement.identical == report.agreement.sentences == len(SENTENCES) + 2
    assert report.agreement.apart < 1e-4
    assert report.quantization == report.agreement.compute_type == "float32"
    assert [entry.name for entry in report.path.parent.iterdir()] == [report.path.name]
    assert f"{report.path / 'translate.py'} < in.txt" in str(report)


@needs_package
@pytest.mark.parametrize("kind", KINDS)
def test_other_models_translate_alike(tokenizer: kt.Tokenizer, tmp_path: Path, kind: str) -> None:
    translator = make_translator(tokenizer, **KINDS[kind])
    report = kt.export_ctranslate2(translator, tmp_path / "model", samples=SENTENCES[:16])
    assert report.agreement.identical == 16
    assert report.agreement.apart < 1e-3


@needs_package
def test_every_token_s_probability_is_that_of_the_scorer(report: CTranslate2Report, translator: kt.Translator) -> None:
    pieces = [translator.tokenizer.pieces(ids) for ids in translator.tokenizer.encode(SENTENCES)]
    results = ctranslate2.Translator(str(report.path)).score_batch(pieces, pieces[::-1])
    expected = kt.Scorer(translator.model, translator.tokenizer)(SENTENCES, SENTENCES[::-1], per_token=True)
    for result, score in zip(results, expected, strict=True):
        assert result.log_probs == pytest.approx(score.token_log_probabilities, abs=1e-4, rel=1e-4)


@needs_package
def test_the_folder_works_where_only_ctranslate2_and_sentencepiece_are(
    report: CTranslate2Report, translator: kt.Translator, tmp_path: Path
) -> None:
    """Both ways of its README, in a process that cannot import this package or a backend."""
    blocks = (report.path / "README.md").read_text(encoding="utf-8").split("```python\n")
    plain = blocks[2].partition("```")[0]
    blocked = "import sys; sys.modules.update(dict.fromkeys(['keras_transformer', 'keras', 'tensorflow', 'torch']));"
    script = "import runpy; sys.argv = ['x', '--scores']; runpy.run_path('translate.py', {}, '__main__')"
    run = f"{blocked} exec({plain!r}); sys.stdout.flush(); {script}"
    lines = [
        *SENTENCES[:5],
        "",
        "\u2003 der Hund \x85",
        "ﬁve Ünïcödé 日本 ① 😀\u2028x",
        "nul\x00 byte",
        "ein Hund " * 40,
    ]
    command = [sys.executable, "-I", "-c", run]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, cwd=report.path, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    first, *rows = done.stdout.decode().removesuffix("\n").split("\n")
    assert first.startswith("[")
    expected = [hypotheses[0] for hypotheses in translator.translate(lines)]
    assert [row.partition("\t")[2] for row in rows] == [hypothesis.text for hypothesis in expected]
    scores = [float(row.partition("\t")[0]) for row in rows]
    assert scores == pytest.approx([hypothesis.score for hypothesis in expected], abs=1e-3, rel=1e-3)


@needs_package
def test_padding_and_begin_are_never_generated(tokenizer: kt.Tokenizer, tmp_path: Path) -> None:
    """Here they are the likeliest tokens at most positions."""
    likely = make_translator(tokenizer)
    rows = np.array(likely.model.embedding.embeddings)
    rows[:2] = 4 * rows[10:12]
    likely.model.embedding.embeddings.assign(rows)
    ctranslate2_model._write(likely, "float32", tmp_path)
    found = ctranslate2_model._client(tmp_path)(tmp_path).translate(SENTENCES)
    raw = ctranslate2.Translator(str(tmp_path)).translate_batch(
        [tokenizer.pieces([50, 60])], beam_size=3, max_decoding_length=9
    )
    assert {"<pad>", "<s>"} & set(raw[0].hypotheses[0])
    assert not {0, 1} & {index for translation in found for index in translation.ids}


@needs_package
def test_two_vocabularies_in_int8(tmp_path: Path) -> None:
    pair = kt.TokenizerPair(kt.Tokenizer.train([SENTENCES], 290), kt.Tokenizer.train([SENTENCES], 300))
    translator = make_translator(pair, 304, tame=True, source_vocab_size=290, tie_embeddings="decoder")
    report = kt.export_ctranslate2(translator, tmp_path / "model", "int8", samples=SENTENCES[:9])
    assert report.size < 2 * translator.model.count_params()
    assert report.agreement.apart > 0
    files = {entry.name for entry in report.path.iterdir()}
    assert {"source-tokenizer.model", "source_vocabulary.json", "target_vocabulary.json"} <= files
    assert json.loads((report.path / "target_vocabulary.json").read_text())[-1] == "<unused 303>"


@needs_package
def test_weights_that_differ_are_not_kept(
    translator: kt.Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_wrong(*arguments: object) -> object:
        specification = build_specification(*arguments)
        specification.decoder.layer[1].attention.linear[2].weight[0] += 0.1
        return specification

    monkeypatch.setattr(ctranslate2_model, "build_specification", one_wrong)
    with pytest.raises(ExportError, match="nats per token differently"):
        kt.export_ctranslate2(translator, tmp_path / "model", samples=SENTENCES[:3])
    assert list(tmp_path.iterdir()) == []


@needs_package
def test_a_search_that_differs_is_not_kept(
    translator: kt.Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = (Path(ctranslate2_model.__file__).with_name("ctranslate2_client.py")).read_text(encoding="utf-8")
    other = tmp_path / "client.py"
    other.write_text(client.replace("max(ranked)", "min(ranked)"), encoding="utf-8")
    monkeypatch.setattr(ctranslate2_model, "_CLIENT", other)
    with pytest.raises(ExportError, match="otherwise than the Python translator"):
        kt.export_ctranslate2(translator, tmp_path / "out" / "model", samples=SENTENCES[:3])
    assert list((tmp_path / "out").iterdir()) == []


@needs_package
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"attention_neighbours": 4}, "attention_neighbours=4"),
        ({"value_dim": 4}, "key_dim=8 and value_dim=4"),
    ],
)
def test_what_ctranslate2_does_not_have_is_refused(
    tokenizer: kt.Tokenizer, tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        kt.export_ctranslate2(make_translator(tokenizer, **fields), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@needs_package
def test_weights_that_are_not_numbers_are_refused(tokenizer: kt.Tokenizer, tmp_path: Path) -> None:
    translator = make_translator(tokenizer)
    gain = translator.model.decoder.layers[0].feed_forward_residual.norm.gamma
    gain.assign(np.full(gain.shape, np.nan))
    with pytest.raises(InputError, match="NaN"):
        kt.export_ctranslate2(translator, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@needs_package
def test_arguments_that_cannot_be_are_refused(translator: kt.Translator, tmp_path: Path) -> None:
    for arguments, message in (
        ({"quantization": "int4"}, "int4"),
        ({"samples": "A dog."}, "one string"),
        ({"samples": ["a", "b"], "references": ["c"]}, "2 samples and 1 references"),
    ):
        with pytest.raises(InputError, match=message):
            kt.export_ctranslate2(translator, tmp_path / "model", **arguments)
    with pytest.raises(InputError, match="exists already"):
        kt.export_ctranslate2(translator, tmp_path)


def test_without_the_package_one_sentence_names_the_extra(
    translator: kt.Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"keras-transformer-nmt\[ctranslate2\]"):
        kt.export_ctranslate2(translator, tmp_path / "model")


@pytest.mark.backend_independent
def test_what_quantization_may_cost() -> None:
    def agreement(sentences: int, chrf: float, bleu: tuple[float, float] | None, apart: float = 0.01) -> Agreement:
        return Agreement(sentences, sentences // 2, 0, apart, chrf, bleu, (1.0, 1.0), "int8")

    refuse(agreement(1000, 97.0, (38.0, 37.75)), "int8")
    refuse(agreement(100, 97.0, (38.0, 37.0)), "int8")  # too few for BLEU
    refuse(agreement(1000, 90.0, None), "int8")
    for wrong in (agreement(1000, 97.0, (38.0, 37.6)), agreement(1000, 80.0, None), agreement(9, 99.0, None, np.nan)):
        with pytest.raises(ExportError, match="int8"):
            refuse(wrong, "int8")
    with pytest.raises(ExportError, match="500 of 1000"):
        refuse(agreement(1000, 100.0, None, apart=0.0), "float32")


@pytest.mark.backend_independent
@pytest.mark.parametrize(
    ("flags", "chosen"),
    [("fma avx2", "1"), ("avx2 avx512f avx512_vnni", None), ("avx2 avx_vnni", None), ("sse4_2", None)],
)
def test_without_vnni_products_of_8_bits_are_mkls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, chosen: str | None
) -> None:
    monkeypatch.setenv("CT2_USE_MKL", "")
    monkeypatch.delenv("CT2_USE_MKL")
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\nflags : fpu {flags}\n")
    avoid_saturation(cpuinfo)
    assert os.environ.get("CT2_USE_MKL") == chosen
    monkeypatch.setenv("CT2_USE_MKL", "0")
    avoid_saturation(cpuinfo)
    assert os.environ["CT2_USE_MKL"] == "0"
