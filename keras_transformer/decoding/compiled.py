"""Compile searching and scoring on any backend through Keras alone."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_transformer.decoding.beam_search import BeamSearch
from keras_transformer.registration import register


def build_if_needed(model: Any) -> None:
    """Create the weights of a model that has not seen data yet."""
    if not getattr(model, "built", True):
        one = np.ones((1, 1), dtype="int32")
        model((one, one))


def predict(compiled: keras.Model, model: Any, inputs: Any) -> Any:
    """`compiled.predict_on_batch` with the newest weights of `model`.

    In the middle of `fit` on JAX, the weights are in the training loop's state and not in the model's variables.
    """
    synchronise = getattr(model, "jax_state_sync", None)
    if synchronise is not None:
        synchronise()
    return compiled.predict_on_batch(inputs)


PARALLEL_BATCHES = 2
"""Batches that TensorFlow computes at the same time: the small operations of a search keep one core busy."""


def predict_each(compiled: keras.Model, model: Any, inputs: Iterable[Any]) -> Iterator[Any]:
    """`predict` for one batch after the other, in order; on TensorFlow two at the same time.

    Args:
        compiled: see `predict`.
        model: see `predict`.
        inputs: the batches, taken no earlier than needed.

    Yields:
        What `predict` returns for each.
    """
    if keras.backend.backend() != "tensorflow":
        yield from (predict(compiled, model, batch) for batch in inputs)
        return
    compiled.make_predict_function()  # here, once, and not in two threads
    with ThreadPoolExecutor(PARALLEL_BATCHES) as pool:
        waiting: deque[Future[Any]] = deque()
        for batch in inputs:
            waiting.append(pool.submit(predict, compiled, model, batch))
            if len(waiting) > PARALLEL_BATCHES:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@register
class SearchModel(keras.Model):
    """A model and a search as one Keras model: source ids in, translations out.

    `predict_on_batch` compiles it: one `tf.function` for any shape, `jax.jit` for each shape, PyTorch as it is. The
    model's weights are shared, not copied.

    Args:
        model: the translation model, for example a `Transformer`.
        search: how to search.
        **kwargs: name and dtype of a `keras.Model`.
    """

    def __init__(self, model: Any, search: BeamSearch, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        build_if_needed(model)
        self.model = model
        self.search = search
        self.jit_compile = keras.backend.backend() == "jax"
        self.built = True  # nothing to create: the weights are the model's

    def call(self, source: Any) -> tuple[Any, Any]:
        """Translate `source` (B, S): ids (B, n_best, L) and scores (B, n_best)."""
        return self.search(self.model, source)

    def make_predict_function(self, force: bool = False) -> Any:
        """Keras's own, but on TensorFlow one graph for any shape from the start, in which batches may shrink."""
        if keras.backend.backend() != "tensorflow":
            return super().make_predict_function(force)
        if force or getattr(self, "predict_function", None) is None:
            tensorflow = sys.modules["tensorflow"]
            source = tensorflow.TensorSpec((None, None), tensorflow.int32)
            self.predict_function = tensorflow.function(
                lambda data: self(data[0][0]), input_signature=[[(source,)]], autograph=False
            )
        return self.predict_function

    def get_config(self) -> dict[str, Any]:
        """The model and the settings of the search."""
        search = self.search
        return {
            **super().get_config(),
            "model": keras.saving.serialize_keras_object(self.model),
            "beam_size": search.beam_size,
            "length_penalty": search.length_penalty,
            "max_length_offset": search.max_length_offset,
            "n_best": search.n_best,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "SearchModel":
        """The same model and search again."""
        config = dict(config)
        names = ("beam_size", "length_penalty", "max_length_offset", "n_best")
        search = BeamSearch(**{name: config.pop(name) for name in names})
        return cls(keras.saving.deserialize_keras_object(config.pop("model")), search, **config)


@register
class ScoringModel(keras.Model):
    """A model as a Keras model of scores: logits stay on the device, two numbers per target token come back.

    Args:
        model: the translation model, for example a `Transformer`; its weights are shared, not copied.
        **kwargs: name and dtype of a `keras.Model`.
    """

    def __init__(self, model: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        build_if_needed(model)
        self.model = model
        self.jit_compile = keras.backend.backend() == "jax"
        self.built = True  # nothing to create: the weights are the model's

    def call(self, inputs: tuple[Any, Any, Any]) -> tuple[Any, Any]:
        """Score targets.

        Args:
            inputs: source (B, S), target_in (B, T), target_out (B, T), int32.

        Returns:
            log P of each target token (B, T) float32, 0 at padding; whether it is the model's first choice
            (B, T) int32, 0 at padding.
        """
        source, target_in, target_out = inputs
        logits = ops.cast(self.model((source, target_in), training=False), "float32")  # (B, T, V)
        peak = ops.max(logits, axis=-1)
        log_z = peak + ops.log(ops.sum(ops.exp(logits - ops.expand_dims(peak, -1)), axis=-1))  # (B, T)
        logit = ops.squeeze(ops.take_along_axis(logits, ops.expand_dims(target_out, -1), axis=-1), -1)
        correct = ops.equal(ops.cast(ops.argmax(logits, axis=-1), "int32"), ops.cast(target_out, "int32"))
        real = ops.not_equal(target_out, self.model.config.pad_id)
        return ops.where(real, logit - log_z, 0.0), ops.cast(ops.logical_and(real, correct), "int32")

    def get_config(self) -> dict[str, Any]:
        """The model."""
        return {**super().get_config(), "model": keras.saving.serialize_keras_object(self.model)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "ScoringModel":
        """The same model again."""
        config = dict(config)
        return cls(keras.saving.deserialize_keras_object(config.pop("model")), **config)
