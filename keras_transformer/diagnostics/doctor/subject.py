"""The model under examination, whatever it is made of."""

import inspect
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.baseline import Baseline, measure_baseline
from keras_transformer.diagnostics.doctor.hooks import Hooks
from keras_transformer.errors import InputError

Ids = npt.NDArray[np.int32]


class Subject:
    """A model, what is known of it, and one way to ask it for logits.

    Args:
        model: a Keras model called with the pair (source, target_in), a `torch.nn.Module` or any callable called with
            two arguments. Ids are int32 (B, S) and (B, T), NumPy for all but a torch module; logits (B, T, V) of any
            array type come back.
        vocab_size: V of the target; None asks the model.
        source_vocab_size: V of the source; None is the target's.
        pad_id: id of padding.
        bos_id: id that starts a target.
        eos_id: id that ends a source.
        hooks: what may be looked at inside; those of a `Transformer` are found.
        loss: what it is trained with, for the checks of training.
        batches: of ((source, target_in), target_out, weights), for the same.
        optimizer: for the same.
        recipe: for the same.
        seed: of the random sentences.

    Attributes:
        config: the `TransformerConfig` of one of our models, else None.
        is_keras: whether it is a Keras model or layer.
        hooks: given and found.
        rng: a NumPy generator.

    Raises:
        InputError: it cannot be called, or what comes back is not (B, T, V).

    Example:
        >>> table = np.eye(20, dtype="float32")
        >>> subject = Subject(lambda source, target_in: table[target_in])
        >>> subject.vocab_size, subject.logits(*subject.example_batch(2, 5, 4)).shape
        (20, (2, 4, 20))
    """

    def __init__(
        self,
        model: Any,
        *,
        vocab_size: int | None = None,
        source_vocab_size: int | None = None,
        pad_id: int = 0,
        bos_id: int = 1,
        eos_id: int = 2,
        hooks: Hooks | None = None,
        loss: Any = None,
        batches: Any = None,
        optimizer: Any = None,
        recipe: Any = None,
        seed: int = 0,
    ) -> None:
        if not callable(model):
            raise InputError(
                f"The doctor was given {type(model).__name__}, which cannot be called; pass a Keras model, "
                "a torch.nn.Module or a function (source ids, target ids) -> logits."
            )
        self.model = model
        self.is_keras = isinstance(model, keras.layers.Layer)
        self.config = _our_config(model)
        ids = self.config or _Given(pad_id, bos_id, eos_id)
        self.pad_id, self.bos_id, self.eos_id = ids.pad_id, ids.bos_id, ids.eos_id
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.loss, self.batches, self.optimizer, self.recipe = loss, batches, optimizer, recipe
        self._call, self.can_train = _caller(model, self.is_keras)
        self.vocab_size = vocab_size or getattr(self.config, "vocab_size", None) or self._ask_vocab_size()
        own_source = self.config.source_symbols if self.config else None
        self.source_vocab_size: int = source_vocab_size or own_source or self.vocab_size
        self._check_vocabularies()
        self.hooks = hooks or Hooks()
        if self.config is not None:
            from keras_transformer.diagnostics.doctor.own import own_hooks

            self.hooks = self.hooks.over(own_hooks(model))

    def logits(self, source: npt.ArrayLike, target_in: npt.ArrayLike, training: bool = False) -> Floats:
        """What the model answers.

        Args:
            source: ids (B, S).
            target_in: ids (B, T).
            training: whether dropout is on, where the model can be told (`can_train`).

        Returns:
            Logits (B, T, V), float32 NumPy.

        Raises:
            InputError: they have another shape.
        """
        source, target_in = np.asarray(source, "int32"), np.asarray(target_in, "int32")
        logits = to_numpy(self._call(source, target_in, training))
        if logits.ndim != 3 or logits.shape[:2] != target_in.shape:
            raise InputError(
                f"The model answered source ids {source.shape} and target ids {target_in.shape} with an array of shape "
                f"{logits.shape}; expected logits {(*target_in.shape, 'V')}, batch first."
            )
        return logits

    def example_batch(self, rows: int, source_length: int, target_length: int, padding: int = 0) -> tuple[Ids, Ids]:
        """Random sentences, each row another.

        Args:
            rows: B.
            source_length: S, the end-of-sentence token and padding included.
            target_length: T, the start token and padding included.
            padding: how many positions at the end of both are padding.

        Returns:
            source (B, S), ending in eos, and target_in (B, T), beginning with bos.
        """
        source = self._words(rows, source_length, self.source_vocab_size)
        target_in = self._words(rows, target_length, self.vocab_size)
        source[:, source_length - padding - 1] = self.eos_id
        target_in[:, 0] = self.bos_id
        source[:, source_length - padding :] = self.pad_id
        target_in[:, target_length - padding :] = self.pad_id
        return source, target_in

    def other_words(self, ids: Ids, vocab_size: int | None = None) -> Ids:
        """Ids of which each differs from the one given, and none is special.

        Args:
            ids: of any shape.
            vocab_size: V they are drawn from; None is the target's.

        Returns:
            The same shape.
        """
        words = self._word_ids(vocab_size or self.vocab_size)
        drawn = self.rng.integers(len(words) - 1, size=ids.shape)
        places = np.searchsorted(words, ids)  # where a word stands among the words, past it if special
        found = np.isin(ids, words)
        return words[np.where(found & (drawn >= places), drawn + 1, drawn)].astype("int32")

    def _words(self, rows: int, length: int, vocab_size: int) -> Ids:
        return self.rng.choice(self._word_ids(vocab_size), size=(rows, length)).astype("int32")

    def _word_ids(self, vocab_size: int) -> npt.NDArray[np.int64]:
        return np.setdiff1d(np.arange(vocab_size), (self.pad_id, self.bos_id, self.eos_id))

    @cached_property
    def baseline(self) -> Baseline:
        """The answer to one sentence, which the black-box checks then change."""
        return measure_baseline(self)

    @cached_property
    def half_padded_source(self) -> Ids:
        """The baseline's source, its second half replaced by padding."""
        source = self.baseline.source.copy()
        source[:, source.shape[1] // 2 :] = self.pad_id
        return source

    @cached_property
    def weights(self) -> dict[str, list[Floats]] | None:
        """Attention weights by kind and layer, for that source and the baseline's target; None without a hook."""
        hook = self.hooks.attention_weights
        if hook is None:
            return None
        found = hook(self.half_padded_source, self.baseline.target_in)
        return {kind: [to_numpy(layer) for layer in found.get(kind, ())] for kind in ("encoder", "decoder", "cross")}

    def _ask_vocab_size(self) -> int:
        source = np.array([[self.eos_id]], "int32")
        return self.logits(source, np.array([[self.bos_id]], "int32")).shape[-1]

    def _check_vocabularies(self) -> None:
        for side, size in (("", self.vocab_size), ("source_", self.source_vocab_size)):
            if size < 6 or max(self.pad_id, self.bos_id, self.eos_id) >= size:
                raise InputError(
                    f"{side}vocab_size is {size} with special ids {self.pad_id}, {self.bos_id}, {self.eos_id}; the "
                    "doctor needs at least three words besides them; pass the right vocab_size, pad_id, bos_id, eos_id."
                )


class _Given:
    """Special ids as the caller gave them."""

    def __init__(self, pad_id: int, bos_id: int, eos_id: int) -> None:
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id


def _our_config(model: Any) -> Any:
    from keras_transformer.models import Transformer

    return model.config if isinstance(model, Transformer) else None


def _caller(model: Any, is_keras: bool) -> tuple[Callable[[Ids, Ids, bool], Any], bool]:
    """How to ask for logits, and whether training=True means something to it."""
    if is_keras:
        return lambda source, target_in, training: model((source, target_in), training=training), True
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        return _torch_caller(model, torch), True
    try:
        takes_training = "training" in inspect.signature(model).parameters
    except (TypeError, ValueError):  # some callables of C have no signature
        takes_training = False
    if takes_training:
        return lambda source, target_in, training: model(source, target_in, training=training), True
    return lambda source, target_in, training: model(source, target_in), False


def _torch_caller(model: Any, torch: Any) -> Callable[[Ids, Ids, bool], Any]:
    device = next((parameter.device for parameter in model.parameters()), "cpu")

    def call(source: Ids, target_in: Ids, training: bool) -> Any:
        ids = [torch.as_tensor(array, device=device).long() for array in (source, target_in)]
        was_training = model.training
        model.train(training)
        try:
            with torch.no_grad():
                return model(*ids)
        finally:
            model.train(was_training)

    return call
