"""A finished or unfinished run, opened again."""

from functools import cached_property
from pathlib import Path
from typing import Any

import keras

from keras_transformer.errors import InputError
from keras_transformer.training.averaging import average_checkpoints
from keras_transformer.training.checkpoints import checkpoint_step, latest_checkpoint
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json
from keras_transformer.training.final_average import AverageResult, average_members, keep_average
from keras_transformer.training.found import with_found
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.state import restore_model_state


class Run:
    """What `train` left in a directory.

    Args:
        directory: the run.

    Attributes:
        directory: as given.
        files: paths of everything in it.

    Raises:
        InputError: there is no run.

    Example:
        >>> Run("no/such/run")
        Traceback (most recent call last):
        keras_transformer.errors.InputError: There is no run in no/such/run (no config.yaml); train one with
        --out no/such/run or check the path.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.files = RunFiles(self.directory)
        if not self.files.config.is_file():
            raise InputError(
                f"There is no run in {directory} (no config.yaml); train one with --out {directory} or check the path."
            )

    @cached_property
    def config(self) -> RunConfig:
        """The configuration it was trained with."""
        return with_found(self.files, RunConfig.load(self.files.config))

    @cached_property
    def tokenizer(self) -> Any:
        """Its `Tokenizer`."""
        from keras_transformer.text import Tokenizer

        if not self.files.tokenizer.is_file():
            raise InputError(f"The run in {self.directory} has no tokenizer yet; let its training begin first.")
        return Tokenizer.load(self.files.tokenizer)

    @property
    def score(self) -> dict[str, Any] | None:
        """Validation scores of the best model, and `which` it is; None before the first validation."""
        score: dict[str, Any] | None = read_json(self.files.score("best"))
        return score

    @property
    def finished(self) -> bool:
        """Whether training came to its end."""
        return self.files.result.is_file()

    def model(self, which: str | Path = "best") -> keras.Model:
        """A model with trained weights.

        Args:
            which: "best", "average", "last" (the newest whole checkpoint), or the path of a .keras file or of a
                checkpoint.

        Returns:
            A `Transformer`, not compiled.

        Raises:
            InputError: there is no such model yet, or it is damaged.
        """
        if which == "last":
            checkpoint, _ = latest_checkpoint(self.files.checkpoints)
            if checkpoint is None:
                raise InputError(f"The run in {self.directory} has no whole checkpoint; train it further.")
            return self._with(checkpoint.arrays)
        path = self.files.model(str(which)) if which in ("best", "average") else Path(which)
        if path.is_dir():
            return self._with(average_checkpoints([path]))
        if not path.is_file():
            raise InputError(f"There is no model {path}{self._hint()}.")
        try:
            return keras.saving.load_model(path, compile=False, safe_mode=True)
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"The model {path} cannot be loaded ({reason}); use another.") from error

    def translator(self, which: str | Path = "best", **overrides: Any) -> Any:
        """A `Translator` with the run's decoding settings.

        Args:
            which: as for `model`.
            **overrides: arguments of `Translator`; they win over the settings.

        Returns:
            The translator.
        """
        from keras_transformer.decoding import Translator

        return Translator(self.model(which), self.tokenizer, **{**self.config.decoding.model_dump(), **overrides})

    def average(self, last: int | None = None) -> AverageResult:
        """Average the newest checkpoints, measure before and after, and keep the better model in best/.

        Args:
            last: how many; None is `training.average_last`.

        Returns:
            The members and the scores.

        Raises:
            InputError: there are fewer than two checkpoints, or the validation pairs are not there any more.
        """
        with self.files.lock(), Reporter() as reporter:
            return self._average(last, reporter)

    def _average(self, last: int | None, reporter: Reporter) -> AverageResult:
        from keras_transformer.training.prepare import load_corpora
        from keras_transformer.training.validation import Validator

        checkpoint, _ = latest_checkpoint(self.files.checkpoints)
        last_step = checkpoint.step if checkpoint else 0
        wanted = last or self.config.training.average_last
        every = self.config.training.checkpoint_every
        members = average_members(self.files, every, wanted, last_step, reporter)
        if len(members) < max(2, last or 2):
            steps = ", ".join(str(checkpoint_step(path)) for path in members) or "none"
            raise InputError(
                f"Averaging {max(2, wanted)} checkpoints needs as many, {self.files.checkpoints} has those of steps "
                f"{steps}; give --last a smaller number or train with a larger training.keep_checkpoints."
            )
        last_model = self.model("last")
        validator = Validator(last_model, self.tokenizer, load_corpora(self.config)[1], self.config)
        validator.load(last_model)
        before = validator.measure().scores["bleu"] if validator else None
        validator.load(self._with(average_checkpoints(members)))
        return keep_average(self.files, validator, members, before, reporter)

    def _with(self, arrays: Any) -> keras.Model:
        """The run's architecture with these weights."""
        from keras_transformer.models import Transformer

        fields = self.config.transformer_for(self.tokenizer).model_dump()
        model = Transformer(**fields, dtype="float32")
        restore_model_state(model, arrays, optimizer=False)
        return model

    def _hint(self) -> str:
        """What to do about a missing model."""
        return "" if self.finished else f"; the run in {self.directory} is not finished, type its command again"
