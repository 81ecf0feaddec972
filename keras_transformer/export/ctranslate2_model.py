"""From a translator to a CTranslate2 model, compared with it before it counts."""

import importlib
import importlib.util
import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_transformer.decoding.protocols import source_side
from keras_transformer.errors import InputError, did_you_mean
from keras_transformer.export.conversion import in_float32
from keras_transformer.export.ctranslate2_check import LIMITS, compare, refuse
from keras_transformer.export.ctranslate2_client import avoid_saturation
from keras_transformer.export.ctranslate2_report import README, CTranslate2Report
from keras_transformer.export.ctranslate2_weights import build_specification, check_expressible
from keras_transformer.export.servable import SearchSettings
from keras_transformer.export.verification import DEFAULT_SAMPLES
from keras_transformer.export.versions import plain_directory, staged

PATIENCE = 2
"""Finished hypotheses to wait for, in beams. Measured on 1,000 sentences: 1.5 finds all that our bound finds, 1 does
not find 7."""

_CLIENT = Path(__file__).with_name("ctranslate2_client.py")


def export_ctranslate2(
    translator: Any,
    directory: str | os.PathLike[str],
    quantization: str = "float32",
    *,
    samples: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    overwrite: bool = False,
) -> CTranslate2Report:
    """Write a translator as a model for CTranslate2, a fast engine for CPUs and GPUs.

    The folder holds the weights (model.bin, config.json, the vocabularies), the SentencePiece models, decoding.json,
    translate.py, which searches with the settings of `translator` and needs ctranslate2 and sentencepiece alone, and a
    README.md that says how to use it.

    It is written under a temporary name. Both translate `samples`: in float32 the translations must be the same but
    for ties; with "int16" and "int8" they may differ a little, see docs/export.md. Only then is it renamed.

    Args:
        translator: the `Translator` to export; weights of any Keras backend, of half precision too.
        directory: the folder to make.
        quantization: "float32", "int16" or "int8", how the weights are kept. A processor that cannot compute in one
            reads it as another.
        samples: source sentences to compare; two English ones by default. Give hundreds, of the kind to be translated.
        references: their translations, if known: then BLEU decides for 500 sentences or more.
        overwrite: whether an existing folder may be replaced.

    Returns:
        Where it is and how it compares; print it.

    Raises:
        InputError: the package ctranslate2 is not there, a setting of the model that CTranslate2 does not have, or
            the folder exists or cannot be written.
        ExportError: the translations differ; nothing is kept then. It is an `InputError` too.

    Example:
        >>> export_ctranslate2(None, "saved_models/en-de-int8", "int4")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: there is no quantization 'int4'. Did you mean 'int8'?

        With a trained translator, `print(kt.export_ctranslate2(translator, "saved_models/en-de-int8", "int8"))`.
    """
    samples, references = _checked(quantization, samples, references)
    target = plain_directory(directory, overwrite=overwrite)
    check_expressible(translator.model)
    translator = in_float32(translator)
    _import_ctranslate2()
    with staged(target) as staging:
        _write(translator, quantization, staging)
        client = _client(staging)(staging, compute_type=_compute_type(quantization))
        agreement = compare(translator, client, samples, references)
        refuse(agreement, quantization)
        size = (staging / "model.bin").stat().st_size
    return CTranslate2Report(target, size, quantization, agreement)


def _checked(
    quantization: str, samples: Sequence[str] | None, references: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Samples and references, once everything else that was asked for is known to be possible."""
    if quantization not in LIMITS:
        raise InputError(f"there is no quantization {quantization!r}.{did_you_mean(quantization, LIMITS)}")
    if isinstance(samples, str) or isinstance(references, str):
        raise InputError("`samples` or `references` is one string; give a list of sentences.")
    if references is not None and len(references) != len(samples or ()):
        raise InputError(
            f"there are {len(samples or ())} samples and {len(references)} references; give one reference for each."
        )
    if importlib.util.find_spec("ctranslate2") is None:
        raise InputError(
            "CTranslate2 is not installed; pip install 'keras-transformer-nmt[ctranslate2]' (or ctranslate2) brings it."
        )
    return tuple(samples or DEFAULT_SAMPLES), None if references is None else tuple(references)


def _import_ctranslate2() -> None:
    """Import ctranslate2 without torch, which it would use if it is there, and does not need.

    Torch takes seconds to import, and may crash in native libraries that TensorFlow has loaded before it.
    """
    absent = "torch" not in sys.modules
    if absent:
        sys.modules["torch"] = None  # type: ignore[assignment]  # Python's way to say that it cannot be imported
    avoid_saturation()  # read by the library when it is loaded
    try:
        importlib.import_module("ctranslate2.specs")
    finally:
        if absent:
            del sys.modules["torch"]


def _write(translator: Any, quantization: str, folder: Path) -> None:
    """Fill the folder."""
    import ctranslate2

    search, tokenizer, model = SearchSettings.of(translator), translator.tokenizer, translator.model
    longest = search.max_source_length + search.max_length_offset
    longest = min(longest, getattr(model, "max_length", None) or longest)
    specification = build_specification(model, tokenizer, longest)
    specification.validate()
    specification.optimize(quantization=None if quantization == "float32" else quantization)
    specification.save(str(folder))
    tokenizer.save(folder / "tokenizer.model")
    specials = (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id)
    settings = {
        **search.to_dict(),
        "max_target_length": longest,
        "patience": PATIENCE,
        "never": tokenizer.pieces([tokenizer.pad_id, tokenizer.bos_id]),
        "last_special_id": max(specials),
        "ctranslate2": ctranslate2.__version__,
    }
    (folder / "decoding.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    source = "tokenizer.model" if source_side(tokenizer) is tokenizer else "source-tokenizer.model"
    readme = README.format(quantization=quantization, source=source, **settings)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    (folder / "translate.py").write_text(_CLIENT.read_text(encoding="utf-8"), encoding="utf-8")


def _client(folder: Path) -> Any:
    """The class `Translator` of the translate.py that was written."""
    return runpy.run_path(str(folder / "translate.py"), run_name="translate")["Translator"]


def _compute_type(quantization: str) -> str:
    """What to compute in: the weights' own kind, or float32 where the processor cannot."""
    import ctranslate2

    return quantization if quantization in ctranslate2.get_supported_compute_types("cpu") else "float32"
