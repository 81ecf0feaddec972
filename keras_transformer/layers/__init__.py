"""The Transformer's layers, one per file; they need only Keras."""

from keras_transformer.layers.attention import MultiHeadAttention
from keras_transformer.layers.decoder_layer import DecoderLayer
from keras_transformer.layers.dropout import Dropout
from keras_transformer.layers.embedding import TokenEmbedding
from keras_transformer.layers.encoder_layer import EncoderLayer
from keras_transformer.layers.feed_forward import FeedForward
from keras_transformer.layers.masks import causal_mask, padding_mask
from keras_transformer.layers.positions import SinusoidalPositions, sinusoids
from keras_transformer.layers.residual import Residual
from keras_transformer.layers.scaled_dot_product import attention_weights, scaled_dot_product_attention

__all__ = [
    "DecoderLayer",
    "Dropout",
    "EncoderLayer",
    "FeedForward",
    "MultiHeadAttention",
    "Residual",
    "SinusoidalPositions",
    "TokenEmbedding",
    "attention_weights",
    "causal_mask",
    "padding_mask",
    "scaled_dot_product_attention",
    "sinusoids",
]
