"""Run a SavedModel where only tensorflow and tensorflow_text can be imported.

A script, started by `verification.py` in a process of its own: `fresh_process.py REQUEST ANSWER`, both JSON files.
It imports nothing of this package and makes sure that nothing else does.
"""

import base64
import importlib.machinery
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

# keras itself cannot be blocked: importing tensorflow_text imports it. No code of a model depends on it there.
BLOCKED = ("keras_transformer", "keras_hub", "sentencepiece", "jax", "torch")


class Blocker:
    """A meta path finder under which the packages of `BLOCKED` cannot be imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Claim the blocked packages; leave all others to the finders that follow."""
        if name.partition(".")[0] not in BLOCKED:
            return None
        return importlib.machinery.ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Refuse the import."""
        raise ImportError(f"{spec.name} is not available where a SavedModel is served")

    def exec_module(self, module: ModuleType) -> None:
        """Never reached: no module is created."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Load the SavedModel at `request["path"]` and run both signatures on the samples.

    Args:
        request: "path"; "batches", for each the sentences as base64 of their bytes; "source_ids", rows of ids of one
            length.

    Returns:
        "load_seconds"; "batches", for each a list of [translation, score]; "ids", a list of [target ids, score].
    """
    import tensorflow as tf
    import tensorflow_text  # noqa: F401 - registers the ops

    began = time.perf_counter()
    signatures = tf.saved_model.load(request["path"]).signatures
    load_seconds = time.perf_counter() - began

    def translate(batch: list[str]) -> list[list[Any]]:
        texts = [base64.b64decode(text) for text in batch]
        result = signatures["serving_default"](text=tf.constant(texts, tf.string, shape=(len(texts),)))
        strings = [text.decode("utf-8") for text in result["translation"].numpy().tolist()]
        return [list(pair) for pair in zip(strings, result["score"].numpy().tolist(), strict=True)]

    result = signatures["ids"](source_ids=tf.constant(request["source_ids"], tf.int32))
    return {
        "load_seconds": load_seconds,
        "batches": [translate(batch) for batch in request["batches"]],
        "ids": [
            list(pair)
            for pair in zip(result["target_ids"].numpy().tolist(), result["score"].numpy().tolist(), strict=True)
        ],
    }


def main(request: str, reply: str) -> None:
    """Read the request, write the answer."""
    sys.meta_path.insert(0, Blocker())
    result = answer(json.loads(Path(request).read_text(encoding="utf-8")))
    Path(reply).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
