"""The letters of table 3 as the paper prints them, and the real models of the presets that stand for them."""

from dataclasses import dataclass

import keras

from keras_transformer.models import Transformer


@dataclass(frozen=True)
class Letters:
    """The letters of one row of table 3, its blanks filled in from base, and its printed parameters in millions."""

    layers: int = 6
    d_model: int = 512
    d_ff: int = 2048
    heads: int = 8
    d_k: int = 64
    d_v: int = 64
    millions: int | None = None
    learned_positions: int = 0

    @property
    def stack(self) -> int:
        """Parameters beside the embedding: projections without bias, biases in the feed-forward, LayerNorms."""
        attention = 2 * self.d_model * self.heads * (self.d_k + self.d_v)
        feed_forward = 2 * self.d_model * self.d_ff + self.d_ff + self.d_model
        norm = 2 * self.d_model
        encoder = attention + feed_forward + 2 * norm
        decoder = 2 * attention + feed_forward + 3 * norm
        return self.layers * (encoder + decoder) + 2 * self.learned_positions * self.d_model

    def parameters(self, vocabulary: int) -> int:
        """All of them, with one matrix for both embeddings and the softmax."""
        return self.stack + vocabulary * self.d_model


TABLE3 = {
    "base": Letters(millions=65),
    "table3/A1": Letters(heads=1, d_k=512, d_v=512),
    "table3/A2": Letters(heads=4, d_k=128, d_v=128),
    "table3/A3": Letters(heads=16, d_k=32, d_v=32),
    "table3/A4": Letters(heads=32, d_k=16, d_v=16),
    "table3/B1": Letters(d_k=16, millions=58),
    "table3/B2": Letters(d_k=32, millions=60),
    "table3/C1": Letters(layers=2, millions=36),
    "table3/C2": Letters(layers=4, millions=50),
    "table3/C3": Letters(layers=8, millions=80),
    "table3/C4": Letters(d_model=256, d_k=32, d_v=32, millions=28),
    "table3/C5": Letters(d_model=1024, d_k=128, d_v=128, millions=168),
    "table3/C6": Letters(d_ff=1024, millions=53),
    "table3/C7": Letters(d_ff=4096, millions=90),
    "table3/D1": Letters(),
    "table3/D2": Letters(),
    "table3/D3": Letters(),
    "table3/D4": Letters(),
    "table3/E": Letters(learned_positions=512),
    "big": Letters(d_model=1024, d_ff=4096, heads=16, millions=213),
}


def built(preset: str, vocabulary: int) -> Transformer:
    """The preset's real model with all shapes and no values: drawing the numbers of the large ones takes seconds.

    Args:
        preset: "base", "big" or "table3/A1" to "table3/E".
        vocabulary: V.

    Returns:
        A model to look at, not to call.
    """
    with keras.StatelessScope():
        return Transformer.from_preset(preset, vocab_size=vocabulary)
