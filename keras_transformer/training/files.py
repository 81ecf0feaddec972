"""Small files of a run, written so that an interruption leaves the old or the new one, never half of one."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEMPORARY_PREFIX = ".tmp-"


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file next to `path`, force it to disk, then give it its name.

    Args:
        path: the file to create or replace; its folder is made.
        write: called with the temporary path, which ends like `path` does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():  # a device such as /dev/stdout is written to, not replaced
        write(path)
        return
    temporary = path.with_name(TEMPORARY_PREFIX + path.name)
    try:
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """`text` in UTF-8, atomically."""
    write_atomically(path, lambda temporary: temporary.write_bytes(text.encode()))


def write_json(path: Path, values: Any) -> None:
    """`values` as indented JSON, atomically."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None when there is no such file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
