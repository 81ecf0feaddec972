"""The Transformer: encoder, decoder, and embeddings (sections 3.1 and 3.4)."""

from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.layers import Dropout, ScheduledSampling, TokenEmbedding, padding_mask
from keras_transformer.models.config import load_preset, make_config
from keras_transformer.models.configured import ConfiguredModel
from keras_transformer.models.decoder import Cache, TransformerDecoder
from keras_transformer.models.distribution import in_symbolic_build
from keras_transformer.models.embeddings import make_embeddings, make_positions
from keras_transformer.models.encoder import TransformerEncoder
from keras_transformer.models.inputs import ModelInputs, check_inputs
from keras_transformer.registration import register

Tensor = Any


@register
class Transformer(ConfiguredModel):
    """The model of "Attention Is All You Need": source ids and shifted target ids in, logits of the next token out.

    Padding is found from the ids. In the source it is hidden from every query; in the target it stands at the end,
    where the causal mask already hides it from every real token. Several pairs can stand in one row, one after the
    other: segments then say which token belongs to which, and no pair sees another.

    Args:
        dtype: a Keras dtype or policy, such as "mixed_bfloat16".
        name: the model's name.
        **fields: the fields of `TransformerConfig`; only vocab_size has no default, the others are the paper's base.

    Call arguments:
        inputs: a pair (source, target_in) of integer ids, (B, S) and (B, T): source = pieces + [eos],
            target_in = [bos] + pieces, both padded at the end with pad_id. For packed rows four of them: (source,
            target_in, source_segments, target_segments), the segments integers of the same shapes, n at the tokens of
            the n-th pair of the row and 0 at padding.

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
        self.config = make_config(**fields)
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
            "activation": config.activation,
            "norm": config.norm,
            "neighbours": config.attention_neighbours,
            "rotary": config.position == "rotary",
            "initializer": config.initializer,
            "dtype": policy,
        }
        self.embedding, self.source_embedding, self.output_projection = make_embeddings(config, policy)
        self.source_positions = make_positions(config, policy, "source_positions")
        self.target_positions = make_positions(config, policy, "target_positions")
        self.source_dropout = Dropout(config.dropout, dtype=policy, name="source_dropout")
        self.target_dropout = Dropout(config.dropout, dtype=policy, name="target_dropout")
        self.encoder = TransformerEncoder(config.num_encoder_layers, config.remat, name="encoder", **settings)
        self.decoder = TransformerDecoder(config.num_decoder_layers, config.remat, name="decoder", **settings)
        self.scheduled_sampling = None
        if config.scheduled_sampling:
            self.scheduled_sampling = ScheduledSampling(
                config.scheduled_sampling, config.scheduled_sampling_steps, config.pad_id, name="scheduled_sampling"
            )
        self.build()

    def build(self, input_shape: Any = None) -> None:
        """Create all weights; their shapes follow from the configuration alone."""
        if self.built:  # by the constructor, before Keras asks for it
            return
        vectors = (None, None, self.config.d_model)
        for embedding in (self.embedding, self.source_embedding):
            if not embedding.built:
                embedding.build((None, None))
        for layer in (self.source_positions, self.target_positions, self.output_projection, self.scheduled_sampling):
            if layer is not None:
                layer.build(vectors)
        self.encoder.build(vectors)
        self.decoder.build(vectors, vectors)
        self.built: bool = True

    @classmethod
    def from_preset(cls, preset: str, **fields: Any) -> "Transformer":
        """A model with a preset's hyper-parameters.

        Args:
            preset: "base", "big", "tiny", or a row of table 3, "table3/A1" to "table3/E".
            **fields: vocab_size, and whatever is to differ from the preset.

        Example:
            >>> Transformer.from_preset("tiny", vocab_size=100).config.d_model
            128
        """
        return cls(**{**load_preset(preset)["model"], **fields})

    def call(self, inputs: tuple[Tensor, ...], training: bool | None = None) -> Tensor:
        """((B, S), (B, T)), or with segments as two more -> logits (B, T, V) in the compute dtype."""
        rows = self._check_inputs(inputs)
        memory = self._encode(rows, training)
        if training and self.scheduled_sampling is not None:
            first_pass = ops.stop_gradient(self._logits(self._decode(rows, memory, training)))
            mixed = self.scheduled_sampling(rows.target_in, first_pass, rows.target_segments)
            rows = rows._replace(target_in=mixed)
        x = self._decode(rows, memory, training)
        return x if self._skips_logits else self._logits(x)

    def _decode(self, rows: ModelInputs, memory: Tensor, training: bool | None) -> Tensor:
        return self.decoder(
            self._embed_target(rows, training),
            memory,
            attention_mask=self._target_mask(rows),
            memory_mask=rows.memory_mask(self.config.pad_id),
            training=training,
        )

    def encode(self, source: Tensor, training: bool | None = False) -> Tensor:
        """The encoder's output for source ids, a sentence in each row: (B, S) -> (B, S, d_model)."""
        return self._encode(ModelInputs(source, source), training)

    def _encode(self, rows: ModelInputs, training: bool | None) -> Tensor:
        x = self._embed_source(rows, training)
        return self.encoder(x, attention_mask=rows.source_mask(self.config.pad_id), training=training)

    @property
    def max_length(self) -> int | None:
        """The longest source and target it can read: `max_positions` if positions are learned, else None."""
        return self.config.max_positions if self.config.position == "learned" else None

    @property
    def cache_limit(self) -> int | None:
        """The most positions a cache needs; see `TransformerDecoder.cache_limit`."""
        return self.decoder.cache_limit

    def init_cache(self, memory: Tensor, source: Tensor, beam_size: int, length: Any) -> Cache:
        """What `decode_step` needs: room for `length` positions of `beam_size` hypotheses per sentence.

        Args:
            memory: (B, S, d_model), from `encode`.
            source: (B, S) ids.
            beam_size: K.
            length: L, the most positions that will be decoded.

        Returns:
            A dictionary of tensors with axis 0 = B: those of "self" (axis 1 is K) are reordered when hypotheses move,
            the others are per sentence. See `TransformerDecoder.init_cache`. "shared", without that axis: the matrix
            of the logits, laid out once for all steps.
        """
        cache = self.decoder.init_cache(memory, padding_mask(source, self.config.pad_id), beam_size, length)
        if not self.logits_are_a_product:
            return cache
        return {**cache, "shared": {"kernel": ops.cast(self.output_kernel(), self.compute_dtype)}}

    def decode_step(self, ids: Tensor, index: Any, cache: Cache) -> tuple[Tensor, Cache]:
        """Logits of the next token of every hypothesis.

        Args:
            ids: (B, K), the token at position `index` of each hypothesis (bos at position 0).
            index: scalar integer.
            cache: from `init_cache` or the step before.

        Returns:
            Logits (B, K, V), and the cache with position `index` filled in.
        """
        beams, d_model = ids.shape[1], self.config.d_model
        x = self.embedding(ids)  # (B, K, d_model)
        if self.target_positions is not None:
            # The K hypotheses stand on one position, so they are K rows of length 1 to the positional encoding.
            rows = ops.reshape(x, (-1, 1, d_model))
            x = ops.reshape(self.target_positions(rows, start=index), (-1, beams, d_model))
        x, cache = self.decoder.step(x, index, cache)
        x = ops.reshape(x, (-1, d_model))
        logits = ops.matmul(x, cache["shared"]["kernel"]) if "shared" in cache else self._logits(x)  # two matrices
        return ops.reshape(logits, (-1, beams, self.config.vocab_size)), cache

    def attention_weights(self, inputs: tuple[Tensor, ...]) -> dict[str, list[Tensor]]:
        """The weights of every attention, by layer.

        Args:
            inputs: as in `call`.

        Returns:
            "encoder": N tensors (B, h, S, S); "decoder": N tensors (B, h, T, T); "cross": N tensors (B, h, T, S).
        """
        rows, pad_id = self._check_inputs(inputs), self.config.pad_id
        x = self._embed_source(rows, False)
        memory, encoder = self.encoder(x, attention_mask=rows.source_mask(pad_id), return_weights=True)
        x, masks = self._embed_target(rows, False), (self._target_mask(rows), rows.memory_mask(pad_id))
        _, decoder, cross = self.decoder(x, memory, attention_mask=masks[0], memory_mask=masks[1], return_weights=True)
        return {"encoder": encoder, "decoder": decoder, "cross": cross}

    def _embed_source(self, rows: ModelInputs, training: bool | None) -> Tensor:
        x = self.source_embedding(rows.source)  # (B, S, d_model)
        if self.source_positions is not None:
            x = self.source_positions(x, positions=rows.source_positions())
        return self.source_dropout(x, training=training)

    def _embed_target(self, rows: ModelInputs, training: bool | None) -> Tensor:
        x = self.embedding(rows.target_in)  # (B, T, d_model)
        if self.target_positions is not None:
            x = self.target_positions(x, positions=rows.target_positions())
        return self.target_dropout(x, training=training)

    def _target_mask(self, rows: ModelInputs) -> Tensor | None:
        # Restricted to neighbours, the decoder hides the future itself: no T x T mask is made.
        return None if self.config.attention_neighbours else rows.target_mask()

    def _logits(self, x: Tensor) -> Tensor:
        return self.embedding.logits(x) if self.output_projection is None else self.output_projection(x)

    @property
    def logits_are_a_product(self) -> bool:
        """Whether logits are the decoder's output times `output_kernel`: not if a derived class makes others."""
        own = all(getattr(type(self), name) is getattr(Transformer, name) for name in ("call", "_decode", "_logits"))
        ends = self.embedding if self.output_projection is None else self.output_projection
        return own and type(ends) in (TokenEmbedding, keras.layers.Dense)

    def output_kernel(self) -> Tensor:
        """(d_model, V): the logits are the decoder's output times it."""
        if self.output_projection is None:
            return ops.transpose(self.embedding.embeddings)
        return ops.convert_to_tensor(self.output_projection.kernel)

    def _check_inputs(self, inputs: Any) -> ModelInputs:
        rows = check_inputs(inputs, as_integers=in_symbolic_build(self))
        if rows.source_segments is not None and self.config.attention_neighbours:
            raise InputError(
                f"A Transformer with attention_neighbours={self.config.attention_neighbours} takes one pair a row; "
                "received segments. Make batches with packed=False."
            )
        return rows
