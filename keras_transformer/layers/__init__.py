"""The Transformer's layers, one per file; they need only Keras."""

from keras_transformer.layers.attention import MultiHeadAttention
from keras_transformer.layers.decoder_layer import DecoderLayer
from keras_transformer.layers.dropout import Dropout
from keras_transformer.layers.embedding import TokenEmbedding
from keras_transformer.layers.encoder_layer import EncoderLayer
from keras_transformer.layers.feed_forward import FeedForward
from keras_transformer.layers.learned_positions import LearnedPositions
from keras_transformer.layers.local_attention import band_mask, local_attention
from keras_transformer.layers.masks import causal_mask, padding_mask, segment_mask, segment_positions
from keras_transformer.layers.positions import SinusoidalPositions, sinusoids
from keras_transformer.layers.residual import Residual
from keras_transformer.layers.rotary import rotate
from keras_transformer.layers.scaled_dot_product import attention_weights, scaled_dot_product_attention
from keras_transformer.layers.scheduled_sampling import ScheduledSampling

__all__ = [
    "DecoderLayer",
    "Dropout",
    "EncoderLayer",
    "FeedForward",
    "LearnedPositions",
    "MultiHeadAttention",
    "Residual",
    "ScheduledSampling",
    "SinusoidalPositions",
    "TokenEmbedding",
    "attention_weights",
    "band_mask",
    "causal_mask",
    "local_attention",
    "padding_mask",
    "rotate",
    "scaled_dot_product_attention",
    "segment_mask",
    "segment_positions",
    "sinusoids",
]
