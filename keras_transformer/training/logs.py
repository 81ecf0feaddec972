"""Metrics of a run as lines of JSON and as TensorBoard scalars."""

import json
import struct
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from keras_transformer.training.files import write_text

_RGBA = 4  # colour channels, as TensorBoard's images count them


class MetricsLog:
    r"""Appends to metrics.jsonl and to TensorBoard event files.

    Args:
        path: the JSON lines file; one object a line: `kind`, `step`, then the values.
        tensorboard: folder for event files; each start of a run adds one, which hides what an earlier one
            recorded beyond `step`.
        step: the step that training continues from. Later lines come from work that was lost, and are cut.
        validated_step: as `step`, for lines of kind "validation".

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> log = MetricsLog(folder / "metrics.jsonl", folder / "logs")
        >>> log.write("train", 10, {"loss": 2.5})
        >>> log.close()
        >>> (folder / "metrics.jsonl").read_text()
        '{"kind": "train", "step": 10, "loss": 2.5}\n'
    """

    def __init__(self, path: Path, tensorboard: Path, step: int = 0, validated_step: int = 0) -> None:
        limits = {"train": step, "validation": validated_step}
        _cut(path, lambda line: line["step"] <= limits.get(line["kind"], -1))
        self._lines = path.open("a", encoding="utf-8")
        self._tensorboard = EventFile(tensorboard, step)

    def write(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Add one line, and a scalar `kind/name` for each number in it.

        Args:
            kind: "train", "validation" or "final".
            step: updates made so far.
            values: numbers and texts.
        """
        self._lines.write(json.dumps({"kind": kind, "step": step, **values}, ensure_ascii=False) + "\n")
        self._lines.flush()
        for name, value in values.items():
            if isinstance(value, int | float):
                self._tensorboard.scalar(f"{kind}/{name}", float(value), step)
        self._tensorboard.flush()

    def close(self) -> None:
        """Close both files."""
        self._lines.close()
        self._tensorboard.close()


class EventFile:
    """TensorBoard scalars and images without TensorFlow.

    Args:
        folder: where event files lie; made if it is not there. Each start adds one, which hides what an earlier one
            recorded beyond `step`.
        step: the step that training continues from.
    """

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        folder.mkdir(parents=True, exist_ok=True)
        self._event = Event
        self._writer = EventFileWriter(str(folder))
        started = SessionLog(status=SessionLog.START)
        self._writer.add_event(Event(wall_time=time.time(), step=step + 1, session_log=started))

    def scalar(self, tag: str, value: float, step: int) -> None:
        """Add a number."""
        self._add(step, tag=tag, simple_value=value)

    def image(self, tag: str, png: bytes, step: int) -> None:
        """Add a picture, given as the bytes of a PNG file."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        width, height = struct.unpack(">II", png[16:24])  # the file's first chunk says its size
        image = Summary.Image(width=width, height=height, colorspace=_RGBA, encoded_image_string=png)
        self._add(step, tag=tag, image=image)

    def _add(self, step: int, **value: Any) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary

        summary = Summary(value=[Summary.Value(**value)])
        self._writer.add_event(self._event(wall_time=time.time(), step=step, summary=summary))

    def flush(self) -> None:
        """Write what was added so far."""
        self._writer.flush()

    def close(self) -> None:
        """Write and close."""
        self._writer.close()


def _cut(path: Path, keep: Callable[[dict[str, Any]], bool]) -> None:
    """Rewrite a JSON lines file without the lines that `keep` refuses, nor a half-written last one."""
    if not path.is_file():
        return
    kept = []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            if line and keep(json.loads(line)):
                kept.append(line + "\n")
        except ValueError:  # the process was killed while it wrote this line
            continue
    write_text(path, "".join(kept))
