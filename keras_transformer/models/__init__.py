"""The encoder-decoder model, its two stacks, and its configuration."""

from keras_transformer.models.config import TransformerConfig, load_preset, preset_names, table3
from keras_transformer.models.decoder import TransformerDecoder
from keras_transformer.models.encoder import TransformerEncoder
from keras_transformer.models.transformer import Transformer

__all__ = [
    "Transformer",
    "TransformerConfig",
    "TransformerDecoder",
    "TransformerEncoder",
    "load_preset",
    "preset_names",
    "table3",
]
