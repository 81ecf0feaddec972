"""A Keras model that a `TransformerConfig` describes: how it is compiled, saved and loaded."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import keras

from keras_transformer.models.config import TransformerConfig
from keras_transformer.models.distribution import check_distribution


class ConfiguredModel(keras.Model):
    """The part of `Transformer` that has to do with Keras and not with the paper.

    Attributes:
        config: every hyper-parameter.
    """

    config: TransformerConfig
    _step = threading.local()  # replicas of a MirroredStrategy run in threads that take turns

    def train_step(self, *state_and_data: Any) -> Any:
        """Keras's, without the logits of the whole batch where the loss can do without: see `compute_loss`."""
        with self._without_logits():
            return super().train_step(*state_and_data)

    def test_step(self, *state_and_data: Any) -> Any:
        """Likewise."""
        with self._without_logits():
            return super().test_step(*state_and_data)

    def make_train_function(self, force: bool = False) -> Any:
        """Keras's; the optimizer's variables are made before it, or TensorFlow would trace the whole step twice."""
        optimizer = self.optimizer
        if optimizer is not None and not optimizer.built:
            tensorflow = keras.backend.backend() == "tensorflow"
            with self.distribute_strategy.scope() if tensorflow else nullcontext():
                optimizer.build(self.trainable_variables)
        return super().make_train_function(force)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """Keras's; in `fit` and `evaluate` the loss of the decoder's output itself, if it knows how to.

        That is so if the compiled loss is a `LabelSmoothedCrossEntropy`, no class derived from it, and no metric asks
        for logits. The sum is the same; memory and time are saved.
        """
        if not self._skips_logits:
            return super().compute_loss(x, y, y_pred, sample_weight, training)
        loss = self.loss.of_vectors(y, y_pred, self.output_kernel(), sample_weight, gradients=training)
        return loss + sum(self._aggregate_additional_loss(extra) for extra in self.losses)

    @property
    def _skips_logits(self) -> bool:
        """Whether `call` is to return the decoder's output in place of logits, in this thread, now."""
        return getattr(self._step, "model", None) is self

    @contextmanager
    def _without_logits(self) -> Iterator[None]:
        before = getattr(self._step, "model", None)
        self._step.model = self if self._loss_takes_vectors() else None
        try:
            yield
        finally:
            self._step.model = before

    def _loss_takes_vectors(self) -> bool:
        # A derived class may change what the loss is, read y_pred, or make other logits: then all goes the plain way.
        own = all(
            getattr(type(self), name) is getattr(ConfiguredModel, name) for name in ("compute_loss", "compute_metrics")
        )
        own = own and self.logits_are_a_product
        metrics = self._compile_metrics
        asks = metrics is not None and (metrics._user_metrics or metrics._user_weighted_metrics)
        asks = asks or (self._compile_loss is not None and self._compile_loss._user_loss_weights is not None)
        return own and not asks and "of_vectors" in vars(type(self.loss)) and self.loss.takes_vectors

    @property
    def logits_are_a_product(self) -> bool:
        """Whether `output_kernel` says how the logits are made."""
        return False

    def output_kernel(self) -> Any:
        """(d_model, V): the logits are the decoder's output times it."""
        raise TypeError(f"{type(self).__name__} does not say what its logits are made with")

    def compile(self, *args: Any, jit_compile: bool | str = "auto", **kwargs: Any) -> None:
        """Keras's `compile`; on TensorFlow "auto" means no XLA for the step as a whole, on the others what Keras means.

        XLA compiles the whole step anew for every shape, seconds each on a CPU, and does not work under
        MirroredStrategy. TensorFlow's own graph is traced once for all shapes and has the faster matrix products; what
        lies between them is compiled all the same (`layers.fusion`). Pass jit_compile=True to have XLA for all.

        Raises:
            InputError: under a strategy of several replicas, what these would train wrongly: see
                `check_distribution`.
        """
        if jit_compile == "auto" and keras.backend.backend() == "tensorflow":
            jit_compile = False
        super().compile(*args, jit_compile=jit_compile, **kwargs)
        check_distribution(self)

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile as the saved model was; Keras leaves this to a class with its own `compile`.

        Args:
            config: from `get_compile_config`. Its jit_compile is not used: the file may come from another backend,
                where the best choice is another.
        """
        settings = keras.saving.deserialize_keras_object(config)
        self.compile(**(settings | {"jit_compile": "auto"}))
        if self.optimizer is not None:
            self.optimizer.build(self.trainable_variables)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        base = super(keras.Model, self).get_config()
        return {**{k: base[k] for k in ("name", "trainable", "dtype")}, **self.config.model_dump()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "ConfiguredModel":
        """The model that `get_config` describes."""
        config = dict(config)
        if isinstance(config.get("dtype"), dict):
            config["dtype"] = keras.dtype_policies.deserialize(config["dtype"])
        return cls(**config)
