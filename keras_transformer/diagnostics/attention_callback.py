"""Attention maps while a model learns."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_transformer.decoding.checks import check_lines, check_whole
from keras_transformer.decoding.protocols import source_side
from keras_transformer.diagnostics.attention_figures import attention_figure
from keras_transformer.diagnostics.attention_record import KINDS, AttentionRecord, record_attention
from keras_transformer.diagnostics.pictures import as_png
from keras_transformer.errors import InputError
from keras_transformer.training.logs import EventFile

LOG = logging.getLogger("keras_transformer")


class AttentionMaps(keras.callbacks.Callback):
    """Draws the attention of given sentences after the first batch of a fit and then every so many updates.

    Each time it translates the sentences with the weights of the moment, or takes the translations given, and draws
    every layer and head. Training goes on as if it had not been there: no weight, metric or random state changes.

    Args:
        tokenizer: the model's `Tokenizer`.
        sentences: source sentences, a few.
        translations: a translation for each, so that pictures of different steps can be compared; None lets the model
            translate.
        every: updates between two drawings.
        pictures: folder for PNG files, `step-000100/sentence-1-cross.png` and so on; None writes none.
        tensorboard: folder of TensorBoard logs, such as a run's logs/; images go into its subfolder attention/, since
            TensorBoard wants one writer for a folder. None writes none.
        kinds: any of "encoder", "decoder" and "cross".
        beam_size: of the search; 1 is greedy.
        length_penalty: of the search.
        max_length_offset: target tokens allowed beyond the number of source tokens. It is small, because a model that
            has just begun seldom ends a sentence.

    Raises:
        InputError: neither folder is given, or an argument is not of its kind.

    Example:
        >>> import tempfile, keras_transformer as kt
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> maps = AttentionMaps(tokenizer, ["a dog runs"], every=500, pictures=tempfile.mkdtemp())
        >>> maps.is_due(1), maps.is_due(499), maps.is_due(500)
        (True, False, True)

    Reference:
        Vaswani et al. 2017, section 3.2 and the figures of its appendix.
    """

    def __init__(
        self,
        tokenizer: Any,
        sentences: Sequence[str],
        *,
        translations: Sequence[str] | None = None,
        every: int = 1000,
        pictures: str | os.PathLike[str] | None = None,
        tensorboard: str | os.PathLike[str] | None = None,
        kinds: Sequence[str] = KINDS,
        beam_size: int = 1,
        length_penalty: float = 0.6,
        max_length_offset: int = 20,
    ) -> None:
        super().__init__()
        _check(tokenizer, sentences, translations, kinds)
        check_whole("every", every, 1, "1 draws after every batch")
        if pictures is None and tensorboard is None:
            raise InputError("AttentionMaps has nowhere to draw; give pictures=FOLDER, tensorboard=FOLDER, or both.")
        self.tokenizer = tokenizer
        given: Sequence[str | None] = translations or [None] * len(sentences)
        self.pairs = list(zip(sentences, given, strict=True))
        self.every, self.kinds = every, tuple(kinds)
        self.pictures = None if pictures is None else Path(pictures)
        self.tensorboard = None if tensorboard is None else Path(tensorboard) / "attention"
        self.search: dict[str, Any] = {
            "beam_size": beam_size,
            "length_penalty": length_penalty,
            "max_length_offset": max_length_offset,
        }
        self._translator: Any = None
        self._events: EventFile | None = None
        self._step = self._first = 0  # in updates
        self._batches = self._epoch_start = 0
        self._accumulated = 1

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Count on from the optimizer's updates, and open the files."""
        from keras_transformer.decoding import Translator

        if not hasattr(self.model, "attention_weights"):
            raise InputError(f"AttentionMaps draws a kt.Transformer, this model is a {type(self.model).__name__}.")
        self._step = self._first = int(keras.ops.convert_to_numpy(self.model.optimizer.iterations))
        self._accumulated = self.model.optimizer.gradient_accumulation_steps or 1
        self._batches = self._epoch_start = self._step * self._accumulated
        self._translator = Translator(self.model, self.tokenizer, **self.search)
        if self.tensorboard is not None:
            self._events = EventFile(self.tensorboard, self._step)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Batches are counted from 0 again."""
        self._epoch_start = self._batches

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Draw, if it is due; a call may stand for several updates (steps_per_execution), or for a part of one."""
        self._batches = self._epoch_start + batch + 1
        before, self._step = self._step, self._batches // self._accumulated
        if any(self.is_due(step) for step in range(before + 1, self._step + 1)):
            self.draw()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Close the files."""
        self._translator = None
        if self._events is not None:
            self._events.close()
            self._events = None

    def is_due(self, step: int) -> bool:
        """Whether to draw after update `step`: the first of this fit, and multiples of `every`."""
        return step == self._first + 1 or step % self.every == 0

    def draw(self) -> None:
        """Draw every sentence with the weights of the moment."""
        for number, (sentence, translation) in enumerate(self.pairs, 1):
            try:
                record = record_attention(self.model, self.tokenizer, sentence, translation, self._translator)
            except ArithmeticError as error:  # training finds out by itself
                LOG.warning("no attention maps at step %d: %s", self._step, error)
                return
            self._draw(record, number)
        if self._events is not None:
            self._events.flush()

    def _draw(self, record: AttentionRecord, number: int) -> None:
        for kind in self.kinds:
            image = as_png(attention_figure(record, kind))
            if self.pictures is not None:
                folder = self.pictures / f"step-{self._step:06d}"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"sentence-{number}-{kind}.png").write_bytes(image)
            if self._events is not None:
                self._events.image(f"attention/sentence-{number}/{kind}", image, self._step)


def _check(tokenizer: Any, sentences: Any, translations: Any, kinds: Sequence[str]) -> None:
    """Refuse what would fail in the middle of training."""
    check_lines("sentences", sentences)
    check_lines("translations", translations or [])
    if not sentences:
        raise InputError("sentences is empty; give a list of at least one source sentence.")
    if translations is not None and len(translations) != len(sentences):
        raise InputError(
            f"There are {len(sentences)} sentences and {len(translations)} translations; give one for each."
        )
    for encoder, lines in ((source_side(tokenizer), sentences), (tokenizer, translations or [])):
        for line, pieces in zip(lines, encoder.encode([line.strip() for line in lines]), strict=True):
            if not pieces:
                raise InputError(f"A sentence to draw is {line!r}, with no piece to attend to; give one with words.")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if isinstance(kinds, str) or unknown or not kinds:
        raise InputError(f"kinds is {kinds!r}; expected a list of some of {', '.join(KINDS)}.")
