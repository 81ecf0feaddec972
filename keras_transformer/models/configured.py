"""A Keras model that a `TransformerConfig` describes: how it is compiled, saved and loaded."""

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

    def compile(self, *args: Any, jit_compile: bool | str = "auto", **kwargs: Any) -> None:
        """Keras's `compile`; on TensorFlow "auto" means no XLA, on the others what Keras means.

        XLA compiles anew for every shape, seconds each on a CPU, and does not work under MirroredStrategy;
        TensorFlow's own graph is traced once for all bucket shapes. Pass jit_compile=True to have XLA.

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
