"""Write a SavedModel from weights of any Keras backend: in another process, on TensorFlow."""

import base64
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import keras
import numpy as np

import keras_transformer
from keras_transformer.decoding import Translator
from keras_transformer.export.servable import SearchSettings, write_servable
from keras_transformer.export.verification import Expected, expect, run_python

# The package may be importable only because of where this process was started, so its folder is handed on.
_START = (
    "import sys; sys.path.append(sys.argv[1]); from keras_transformer.export.conversion import main; main(sys.argv[2])"
)


def runs_on_cpu(model: Any) -> bool:
    """Whether a model's weights are in the memory of the CPU, on any backend.

    Args:
        model: a built Keras model.

    Example:
        >>> import keras
        >>> layer = keras.layers.Dense(1)
        >>> layer.build((None, 1))
        >>> with keras.device("cpu:0"):
        ...     runs_on_cpu(layer) in (True, False)
        True
    """
    return all("cpu" in str(variable.value.device).lower() for variable in model.variables[:1])


def in_float32(translator: Translator) -> Translator:
    """The same translator computing in float32: itself, or one with a copy of the model.

    Half precision saves memory in training. Where the model is served it would save nothing on a CPU, and rounding
    that depends on the machine would decide between translations.

    Args:
        translator: a translator whose model has any dtype policy.
    """
    model = translator.model
    if model.dtype_policy.compute_dtype == "float32":
        return translator
    copy = type(model).from_config({**model.get_config(), "dtype": "float32"})
    copy.set_weights([np.asarray(weight, dtype="float32") for weight in model.get_weights()])
    settings = SearchSettings.of(translator).to_dict()
    return Translator(copy, translator.tokenizer, batch_size=translator.batch_size, **settings)


def write_elsewhere(
    translator: Any, settings: SearchSettings, directory: Path, samples: Sequence[str] | None = None
) -> list[Expected]:
    """`write_servable` in a process on TensorFlow and the CPU.

    Args:
        translator: a `Translator` on any backend.
        settings: how to search.
        directory: where to write.
        samples: sentences for the process to translate in Python, too.

    Returns:
        What `expect` gave there, empty without `samples`.

    Raises:
        ExportError: if the process fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        translator.model.save(folder / "model.keras")
        translator.tokenizer.save(folder / "tokenizer.model")
        request = {
            "settings": settings.to_dict(),
            "directory": str(directory.absolute()),
            "samples": samples if samples is None else list(samples),
        }
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        package = Path(keras_transformer.__file__).parent.parent
        run_python(["-P", "-c", _START, str(package), name], "write the SavedModel with TensorFlow")
        answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    return [
        Expected(
            text=base64.b64decode(item["text"]),
            translation=item["translation"],
            score=item["score"],
            source_ids=tuple(item["source_ids"]),
            target_ids=tuple(item["target_ids"]),
        )
        for item in answer
    ]


def main(folder: str) -> None:
    """The other process: read model, tokenizer and request from `folder`, write the SavedModel and the answer.

    Args:
        folder: what `write_elsewhere` filled.
    """
    from keras_transformer.text import Tokenizer

    here = Path(folder)
    request = json.loads((here / "request.json").read_text(encoding="utf-8"))
    model = keras.saving.load_model(here / "model.keras", compile=False)
    tokenizer = Tokenizer.load(here / "tokenizer.model")
    settings = SearchSettings(**request["settings"])
    write_servable(model, tokenizer, settings, Path(request["directory"]))
    expected = []
    if request["samples"] is not None:
        expected = expect(Translator(model, tokenizer, **settings.to_dict()), request["samples"])
    answer = [{**asdict(item), "text": base64.b64encode(item.text).decode("ascii")} for item in expected]
    (here / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
