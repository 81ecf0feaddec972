"""From a translator to a SavedModel that takes text and gives text, verified before it counts."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import keras

from keras_transformer.errors import InputError
from keras_transformer.export.conversion import in_float32, runs_on_cpu, write_elsewhere
from keras_transformer.export.report import ExportReport, Sample
from keras_transformer.export.servable import SIGNATURES, SearchSettings, write_servable
from keras_transformer.export.verification import DEFAULT_SAMPLES, Expected, compare, expect
from keras_transformer.export.versions import staged, version_directory

# TensorFlow and TensorFlow Serving leave this folder of a SavedModel to its owner.
EXTRA = "assets.extra"


def export_saved_model(
    translator: Any,
    path: str | os.PathLike[str],
    *,
    samples: Sequence[str] | None = None,
    languages: tuple[str, str] | None = None,
    verify: bool = True,
    overwrite: bool = False,
) -> ExportReport:
    """Write a translator as a TensorFlow SavedModel: text in, text out, tokenizer and beam search inside.

    The SavedModel needs no Python: TensorFlow Serving's stock image serves it. It is written under a temporary name,
    loaded in a fresh process that has only tensorflow and tensorflow_text, compared there with `translator` (strings
    exactly, scores to 1e-4), and renamed to its place only if they agree. Weights of any Keras backend will do; if it
    is not TensorFlow, a process on the TensorFlow backend does the writing. A model of half or mixed precision is
    exported, and compared, in float32.

    `serving_default` takes `text` (B,) string and gives `translation` (B,) string and `score` (B,) float32, the
    log-probability divided by the length penalty. `ids` takes `source_ids` (B, S) int32, rows of pieces + [eos] padded
    with 0, and gives `target_ids` (B, T) int32 and `score`. The search has the settings of `translator`; like it, the
    SavedModel gives an empty string for a blank one, cuts what is too long and reads invalid UTF-8 as U+FFFD.

    `assets.extra/` inside holds manifest.json and tokenizer.model, for people and for clients of `ids`.

    Args:
        translator: the `Translator` to export.
        path: `NAME/VERSION`, as in saved_models/en-de/1; without a number at the end, the next version is used.
        samples: sentences to compare, besides some odd ones; English ones by default. The report shows them.
        languages: names of source and target language, for the manifest.
        verify: whether to compare at all.
        overwrite: whether an existing version may be replaced.

    Returns:
        Where it is, and the lines that run it; print it.

    Raises:
        InputError: if the version exists, or the directory cannot be written.
        ExportError: if the SavedModel does not load or differs; nothing is kept then. It is an `InputError` too.

    Example:
        >>> export_saved_model(None, "saved_models/en-de/1", samples="A dog runs.")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: `samples` is one string; give a list of sentences to compare.

        With a trained translator, `print(kt.export_saved_model(translator, "saved_models/en-de/1"))`.
    """
    if isinstance(samples, str):
        raise InputError("`samples` is one string; give a list of sentences to compare.")
    samples = DEFAULT_SAMPLES if samples is None else tuple(samples)
    target = version_directory(path, overwrite=overwrite)
    translator = in_float32(translator)
    with staged(target) as staging:
        expected = _write(translator, samples if verify else None, staging)
        seconds = None
        if verify:
            seconds = compare(staging, expected, translator.max_source_length, translator.tokenizer.eos_id)
        shown = [Sample(text, item.translation, item.score) for text, item in zip(samples, expected, strict=False)]
        _write_extra(staging / EXTRA, target, translator, languages, shown)
        size = sum(file.stat().st_size for file in staging.rglob("*") if file.is_file())
    example = next((text for text in samples if text.strip()), DEFAULT_SAMPLES[0])
    return ExportReport(target, size, verify, example, tuple(shown), seconds)


def _write(translator: Any, samples: Sequence[str] | None, directory: Path) -> list[Expected]:
    """Write the SavedModel, here or in another process, and say what it should make of the samples."""
    settings, on_cpu = SearchSettings.of(translator), runs_on_cpu(translator.model)
    if on_cpu and keras.backend.backend() == "tensorflow":
        write_servable(translator.model, translator.tokenizer, settings, directory)
    else:
        # An accelerator rounds otherwise (TF32), so there the other process translates too, on the CPU.
        elsewhere = write_elsewhere(translator, settings, directory, None if on_cpu else samples)
        if elsewhere:
            return elsewhere
    return [] if samples is None else expect(translator, samples)


def _write_extra(
    folder: Path, target: Path, translator: Any, languages: tuple[str, str] | None, samples: Sequence[Sample]
) -> None:
    """Write manifest.json and tokenizer.model."""
    from keras_transformer import __version__

    source, translated = languages or (None, None)
    manifest = {
        "name": target.absolute().parent.name,
        "version": int(target.name),
        "languages": {"source": source, "target": translated},
        "keras_transformer": __version__,
        "model": dict(translator.model.config),
        "parameters": translator.model.count_params(),
        "decoding": SearchSettings.of(translator).to_dict(),
        "signatures": SIGNATURES,
        "samples": [asdict(sample) for sample in samples],
    }
    folder.mkdir()
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
    translator.tokenizer.save(folder / "tokenizer.model")
