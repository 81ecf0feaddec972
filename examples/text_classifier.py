"""The encoder alone, as a text classifier: is a sentence, without its last mark, a question?

Usage: python examples/text_classifier.py --sentences 4000 --epochs 4
"""

import argparse

import keras
import numpy as np
from keras import ops

import keras_transformer as kt
from keras_transformer.layers import SinusoidalPositions, TokenEmbedding, padding_mask
from keras_transformer.models import TransformerEncoder


@keras.saving.register_keras_serializable(package="examples")
class TextClassifier(keras.Model):
    """Token ids (B, S), padded with 0 -> probability (B, 1)."""

    def __init__(self, vocab_size: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.embedding = TokenEmbedding(vocab_size, 32)
        self.positions = SinusoidalPositions()
        self.encoder = TransformerEncoder(num_layers=2, num_heads=4, key_dim=8, d_ff=64, dropout=0.1)
        self.head = keras.layers.Dense(1, activation="sigmoid")

    def call(self, ids, training=None):
        mask = padding_mask(ids)  # (B, 1, 1, S), made from the ids, passed on by name
        x = self.encoder(self.positions(self.embedding(ids)), attention_mask=mask, training=training)
        real = ops.cast(mask[:, 0, 0, :, None], x.dtype)  # (B, S, 1)
        return self.head(ops.sum(x * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1))  # mean of the real tokens

    def get_config(self):
        return {**super().get_config(), "vocab_size": self.vocab_size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()

    keras.utils.set_random_seed(1)
    data = kt.datasets.load("phrases")
    train, test = data.train.sources[: options.sentences], data.valid.sources
    tokenizer = kt.Tokenizer.train([train], vocab_size=700)

    def numbers(sentences: list[str]) -> tuple[np.ndarray, np.ndarray]:
        ids = tokenizer.encode([sentence.rstrip("?.!").lower() for sentence in sentences])
        table = np.zeros((len(ids), 40), "int32")
        for row, pieces in zip(table, ids, strict=True):
            row[: len(pieces)] = pieces[:40]
        return table, np.array([[float(sentence.endswith("?"))] for sentence in sentences], "float32")

    model = TextClassifier(tokenizer.vocab_size)
    model.compile(keras.optimizers.Adam(2e-3), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(*numbers(train), epochs=options.epochs, validation_data=numbers(test), verbose=2)
    print(f"questions among the test sentences: {numbers(test)[1].mean():.0%}")
    print(f"accuracy on {len(test)} unseen sentences: {history.history['val_accuracy'][-1]:.3f}")


if __name__ == "__main__":
    main()
