"""The Transformer: encoder, decoder, and one matrix of embeddings for both and for the softmax."""

from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers import Dropout, SinusoidalPositions, TokenEmbedding, causal_mask, padding_mask
from keras_transformer.models.config import TransformerConfig, load_preset, make_config
from keras_transformer.models.decoder import Cache, TransformerDecoder
from keras_transformer.models.distribution import check_distribution, in_symbolic_build
from keras_transformer.models.encoder import TransformerEncoder
from keras_transformer.registration import register

Tensor = Any


@register
class Transformer(keras.Model):
    """The model of "Attention Is All You Need": source ids and shifted target ids in, logits of the next token out.

    Padding is found from the ids. In the source it is hidden from every query; in the target it stands at the end,
    where the causal mask already hides it from every real token.

    Args:
        dtype: a Keras dtype or policy, such as "mixed_bfloat16".
        name: the model's name.
        **fields: the fields of `TransformerConfig`; only vocab_size has no default, the others are the paper's base.

    Call arguments:
        inputs: a pair (source, target_in) of integer ids, (B, S) and (B, T): source = pieces + [eos],
            target_in = [bos] + pieces, both padded at the end with pad_id.

    Raises:
        InputError: settings that are unknown or do not fit together.

    Example:
        >>> import numpy as np
        >>> model = Transformer(vocab_size=20, d_model=8, num_heads=2, d_ff=16)
        >>> source, target_in = np.array([[5, 6, 2, 0]]), np.array([[1, 7, 8]])
        >>> model((source, target_in)).shape == (1, 3, 20)
        True

    Reference:
        Vaswani et al. 2017, section 3 and figure 1.
    """

    def __init__(self, *, dtype: Any = None, name: str | None = None, **fields: Any) -> None:
        trainable = fields.pop("trainable", True)
        super().__init__(dtype=dtype, name=name, trainable=trainable)
        self.config: TransformerConfig = make_config(**fields)
        config, policy = self.config, self.dtype_policy
        key_dim, value_dim = config.head_sizes
        settings = {
            "num_heads": config.num_heads,
            "key_dim": key_dim,
            "value_dim": value_dim,
            "d_ff": config.d_ff,
            "dropout": config.dropout,
            "attention_dropout": config.attention_dropout,
            "activation_dropout": config.activation_dropout,
            "use_bias": config.use_bias,
            "dtype": policy,
        }
        self.embedding = TokenEmbedding(config.vocab_size, config.d_model, dtype=policy, name="embedding")
        self.positions = SinusoidalPositions(dtype=policy, name="positions")
        self.source_dropout = Dropout(config.dropout, dtype=policy, name="source_dropout")
        self.target_dropout = Dropout(config.dropout, dtype=policy, name="target_dropout")
        self.encoder = TransformerEncoder(config.num_encoder_layers, name="encoder", **settings)
        self.decoder = TransformerDecoder(config.num_decoder_layers, name="decoder", **settings)
        self.build()

    def build(self, input_shape: Any = None) -> None:
        """Create all weights; their shapes follow from the configuration alone."""
        if self.built:  # by the constructor, before Keras asks for it
            return
        vectors = (None, None, self.config.d_model)
        self.embedding.build((None, None))
        self.positions.build(vectors)
        self.encoder.build(vectors)
        self.decoder.build(vectors, vectors)
        self.built: bool = True

    @classmethod
    def from_preset(cls, preset: str, **fields: Any) -> "Transformer":
        """A model with a preset's hyper-parameters.

        Args:
            preset: "base", "big" or "tiny".
            **fields: vocab_size, and whatever is to differ from the preset.

        Example:
            >>> Transformer.from_preset("tiny", vocab_size=100).config.d_model
            128
        """
        return cls(**{**load_preset(preset)["model"], **fields})

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

    def call(self, inputs: tuple[Tensor, Tensor], training: bool | None = None) -> Tensor:
        """((B, S), (B, T)) -> logits (B, T, V) in the compute dtype."""
        source, target_in = self._check_inputs(inputs)
        memory = self.encode(source, training=training)
        x = self._embed(target_in, self.target_dropout, training)
        x = self.decoder(
            x,
            memory,
            attention_mask=causal_mask(ops.shape(target_in)[1]),
            memory_mask=padding_mask(source, self.config.pad_id),
            training=training,
        )
        return self.embedding.logits(x)

    def encode(self, source: Tensor, training: bool | None = False) -> Tensor:
        """The encoder's output for source ids: (B, S) -> (B, S, d_model)."""
        x = self._embed(source, self.source_dropout, training)
        return self.encoder(x, attention_mask=padding_mask(source, self.config.pad_id), training=training)

    def init_cache(self, memory: Tensor, source: Tensor, beam_size: int, length: Any) -> Cache:
        """What `decode_step` needs: room for `length` positions of `beam_size` hypotheses per sentence.

        Args:
            memory: (B, S, d_model), from `encode`.
            source: (B, S) ids.
            beam_size: K.
            length: L, the most positions that will be decoded.

        Returns:
            A dictionary: "self" (axes 0 and 1 of every tensor are B and K: reorder these when hypotheses move), "cross"
            and "mask" (one per sentence, never copied per hypothesis). See `TransformerDecoder.init_cache`.
        """
        return self.decoder.init_cache(memory, padding_mask(source, self.config.pad_id), beam_size, length)

    def decode_step(self, ids: Tensor, index: Any, cache: Cache) -> tuple[Tensor, Cache]:
        """Logits of the next token of every hypothesis.

        Args:
            ids: (B, K), the token at position `index` of each hypothesis (bos at position 0).
            index: scalar integer.
            cache: from `init_cache` or the step before.

        Returns:
            Logits (B, K, V), and the cache with position `index` filled in.
        """
        x = self.embedding(ids)  # (B, K, d_model)
        # The K hypotheses stand on one position, so they are K rows of length 1 to the positional encoding.
        x = self.positions(ops.reshape(x, (-1, 1, self.config.d_model)), start=index)
        x, cache = self.decoder.step(ops.reshape(x, (-1, ops.shape(ids)[1], self.config.d_model)), index, cache)
        return self.embedding.logits(x), cache

    def attention_weights(self, inputs: tuple[Tensor, Tensor]) -> dict[str, list[Tensor]]:
        """The weights of every attention, by layer.

        Args:
            inputs: a pair (source, target_in) of ids, as in `call`.

        Returns:
            "encoder": N tensors (B, h, S, S); "decoder": N tensors (B, h, T, T); "cross": N tensors (B, h, T, S).
        """
        source, target_in = self._check_inputs(inputs)
        visible = padding_mask(source, self.config.pad_id)
        x = self._embed(source, self.source_dropout, False)
        memory, encoder = self.encoder(x, attention_mask=visible, return_weights=True)
        x = self._embed(target_in, self.target_dropout, False)
        mask = causal_mask(ops.shape(target_in)[1])
        _, decoder, cross = self.decoder(x, memory, attention_mask=mask, memory_mask=visible, return_weights=True)
        return {"encoder": encoder, "decoder": decoder, "cross": cross}

    def _embed(self, ids: Tensor, dropout: Dropout, training: bool | None) -> Tensor:
        return dropout(self.positions(self.embedding(ids)), training=training)  # (B, T, d_model)

    def _check_inputs(self, inputs: Any) -> tuple[Tensor, Tensor]:
        if not isinstance(inputs, (tuple, list)) or len(inputs) != 2:
            raise InputError(
                "Transformer takes a pair (source, target_in) of id tensors (B, S) and (B, T); "
                f"received {type(inputs).__name__}."
            )
        source, target_in = (ops.convert_to_tensor(ids) for ids in inputs)
        if in_symbolic_build(self):
            source, target_in = (ops.cast(ids, "int32") for ids in (source, target_in))
        for name, ids in (("source", source), ("target_in", target_in)):
            if len(ids.shape) != 2 or "int" not in keras.backend.standardize_dtype(ids.dtype):
                raise InputError(
                    f"Transformer takes integer ids of two axes, (batch, length); received {name} "
                    f"of shape {tuple(ids.shape)} and dtype {keras.backend.standardize_dtype(ids.dtype)}."
                )
        return source, target_in

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        base = super(keras.Model, self).get_config()
        return {**{k: base[k] for k in ("name", "trainable", "dtype")}, **self.config.model_dump()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "Transformer":
        """The model that `get_config` describes."""
        config = dict(config)
        if isinstance(config.get("dtype"), dict):
            config["dtype"] = keras.dtype_policies.deserialize(config["dtype"])
        return cls(**config)
