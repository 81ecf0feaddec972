"""What an export wrote, and the lines that use it."""

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

# The stock `saved_model_cli` does not know SentencePiece's ops; importing tensorflow_text first registers them.
_SAVED_MODEL_CLI = "import tensorflow_text; from tensorflow.python.tools.saved_model_cli import main; main()"


@dataclass(frozen=True)
class Sample:
    """One sentence as the exported model translated it in a fresh process.

    Attributes:
        source: the sentence given.
        translation: the sentence that came back.
        score: its score: log P divided by the length penalty.
    """

    source: str
    translation: str
    score: float


@dataclass(frozen=True)
class ExportReport:
    """Where a SavedModel is, that it was verified, and how to run it.

    `str(report)` is the text the command line prints.

    Attributes:
        path: the version directory, `NAME/VERSION`.
        size: bytes of all files in it.
        verified: whether a fresh process translated the samples as the Python translator does.
        example: the sentence in the command lines.
        samples: the sentences translated there (without the odd ones added by the verification); empty if not
            verified.
        load_seconds: seconds that process took to load the SavedModel, imports not counted; None if not verified.
    """

    path: Path
    size: int
    verified: bool
    example: str
    samples: tuple[Sample, ...] = ()
    load_seconds: float | None = None

    @property
    def name(self) -> str:
        """The model's name for TensorFlow Serving: the directory above the version."""
        return self.path.absolute().parent.name

    @property
    def saved_model_cli(self) -> str:
        """A shell line that translates one sentence with TensorFlow's own `saved_model_cli`.

        The installed `saved_model_cli` script stops at "Op type not registered 'SentencepieceOp'", because it does
        not import tensorflow_text; the line imports it and calls the same entry point.
        """
        arguments = ["run", "--dir", str(self.path), "--tag_set", "serve", "--signature_def", "serving_default"]
        # The value is evaluated as a Python literal, which a JSON string is.
        expression = f"text=[{json.dumps(self.example, ensure_ascii=False)}]"
        command = [sys.executable, "-c", _SAVED_MODEL_CLI, *arguments, "--input_exprs", expression]
        return shlex.join(command)

    @property
    def docker(self) -> str:
        """A shell line that starts TensorFlow Serving's stock image on this model, REST on port 8501."""
        mount = f"{self.path.absolute().parent}:/models/{self.name}:ro"
        command = ["docker", "run", "--rm", "-p", "8501:8501", "-v", mount, "-e", f"MODEL_NAME={self.name}"]
        return shlex.join([*command, "tensorflow/serving"])

    @property
    def curl(self) -> str:
        """A shell line that asks that server for a translation."""
        request = json.dumps({"inputs": {"text": [self.example]}}, ensure_ascii=False)
        return shlex.join(["curl", "-d", request, f"http://localhost:8501/v1/models/{quote(self.name)}:predict"])

    def __str__(self) -> str:
        checked = "Not verified."
        if self.load_seconds is not None:
            checked = (
                "Verified in a fresh process with only tensorflow and tensorflow_text, "
                f"which loaded it in {self.load_seconds:.1f} s."
            )
        samples = [f"  {sample.source}\n    -> {sample.translation}   ({sample.score:.3f})" for sample in self.samples]
        return "\n".join(
            [
                f"Exported to {self.path} ({self.size / 1e6:.1f} MB). {checked}",
                *samples,
                "Try it here:",
                f"  {self.saved_model_cli}",
                "Serve it with TensorFlow Serving (its stock image has the tensorflow-text ops) and ask it:",
                f"  {self.docker}",
                f"  {self.curl}",
                "On two cores large requests are about a third faster with TF_NUM_INTRAOP_THREADS=1 in the environment "
                "(docker: -e): the model keeps two threads busy by itself.",
                "With AVX2 and no AVX-512, TF_ENABLE_ONEDNN_OPTS=1 makes matrix products faster.",
            ]
        )
