"""A translation model of stock Keras layers, examined by the doctor; forget a part of it and see it named.

Usage: python examples/doctor_your_model.py --forget causal
"""

import argparse

import keras
from keras import layers, ops

import keras_transformer as kt
from keras_transformer.diagnostics.doctor import Hooks
from keras_transformer.layers import SinusoidalPositions, causal_mask, padding_mask

PARTS = ("nothing", "causal", "padding", "positions", "scale", "source")


class Translator(keras.Model):
    """One layer on each side, post-norm; `forget` names the part that is left out."""

    def __init__(self, vocab_size: int = 100, d_model: int = 64, forget: str = "nothing") -> None:
        super().__init__()
        self.forget, self.scale = forget, 1.0 if forget == "scale" else d_model**0.5
        self.embedding = layers.Embedding(vocab_size, d_model, keras.initializers.RandomNormal(stddev=d_model**-0.5))
        self.embedding.build()
        self.positions = SinusoidalPositions()
        self.attend = [layers.MultiHeadAttention(4, d_model // 4) for _ in range(3)]
        self.norms = [layers.LayerNormalization() for _ in range(5)]
        self.feed = [keras.Sequential([layers.Dense(128, "relu"), layers.Dense(d_model)]) for _ in range(2)]

    def embed(self, ids):
        return self.embedding(ids) * self.scale

    def enter(self, ids):
        return self.embed(ids) if self.forget == "positions" else self.positions(self.embed(ids))

    def call(self, inputs, training=None):
        source, target_in = (ops.convert_to_tensor(ids) for ids in inputs)
        # Keras's layer takes masks (B, T, S), True where visible.
        visible = None if self.forget == "padding" else padding_mask(source)[:, 0]
        past = None if self.forget == "causal" else causal_mask(target_in.shape[1])[0]
        x = self.enter(source)
        x = self.norms[0](x + self.attend[0](x, x, attention_mask=visible))
        memory = self.norms[1](x + self.feed[0](x))
        y = self.enter(target_in)
        y = self.norms[2](y + self.attend[1](y, y, attention_mask=past))
        read = 0.0 if self.forget == "source" else self.attend[2](y, memory, attention_mask=visible)
        y = self.norms[3](y + read)
        y = self.norms[4](y + self.feed[1](y))
        return ops.matmul(y, ops.transpose(self.embedding.embeddings))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--forget", choices=PARTS, default="nothing")
    model = Translator(forget=parser.parse_args().forget)
    matrix = model.embedding.embeddings
    hooks = Hooks(
        embed={"source": model.embed, "target": model.embed},
        first_inputs=lambda source, target_in: (model.enter(source), model.enter(target_in)),
        positions="sinusoidal",
        embeddings={"source": matrix, "target": matrix, "softmax": matrix},
        tied="three-way",
    )
    print(kt.doctor(model, hooks=hooks, train=False))
