"""The layout of a run directory, and its lock."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from keras_transformer.errors import InputError
from keras_transformer.training.files import TEMPORARY_PREFIX


class RunFiles:
    """Paths of everything a run keeps.

    Args:
        directory: the run.

    Example:
        >>> RunFiles(Path("runs/en-de")).score("best").as_posix()
        'runs/en-de/best/score.json'
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.config = self.directory / "config.yaml"
        self.tokenizer = self.directory / "tokenizer.model"
        self.source_tokenizer = self.directory / "source-tokenizer.model"  # where languages share none
        self.data = self.directory / "data.json"
        self.checkpoints = self.directory / "checkpoints"
        self.metrics = self.directory / "metrics.jsonl"
        self.tensorboard = self.directory / "logs"
        self.result = self.directory / "result.json"

    def model(self, which: str) -> Path:
        """The model file of "best" or "average"."""
        return self.directory / which / "model.keras"

    def score(self, which: str) -> Path:
        """The validation scores of "best" or "average"."""
        return self.directory / which / "score.json"

    def create(self) -> None:
        """Make the directory.

        Raises:
            InputError: it cannot be written to, or holds files that are not a run's.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            probe = self.directory / ".writable"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise InputError(
                f"Cannot write into the output folder {self.directory}: {error.strerror or error}; "
                "choose another folder."
            ) from error
        foreign = [path.name for path in self.directory.iterdir() if not path.name.startswith(".")]
        if foreign and not self.config.is_file():
            raise InputError(
                f"The output folder {self.directory} holds {sorted(foreign)[0]} and is not a run (it has no "
                "config.yaml); choose a new or empty folder."
            )

    def clean(self) -> None:
        """Delete what a kill in the middle of a write left; checkpoints clean up after themselves."""
        for path in self.directory.rglob(f"{TEMPORARY_PREFIX}*"):
            path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep a second process from training in the same directory; freed when this one ends, however it does.

        Raises:
            InputError: another process is training here.
        """
        try:
            import fcntl
        except ImportError:  # not a POSIX system
            yield
            return
        with (self.directory / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(
                    f"Another process is training in {self.directory}; wait for it or stop it first."
                ) from error
            yield
