"""The encoder stack in a Keras model of your own: does a row of digits hold more large ones than small ones?

Usage: python examples/encoder_alone.py --epochs 5
"""

import argparse

import keras
import numpy as np

from keras_transformer.layers import SinusoidalPositions
from keras_transformer.models import TransformerEncoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()

    keras.utils.set_random_seed(1)
    digits = np.random.default_rng(1).integers(0, 10, size=(4096, 15))
    labels = (digits >= 5).mean(axis=1) > 0.5

    inputs = keras.Input((15,), dtype="int32")
    x = keras.layers.Embedding(10, 32)(inputs)  # (B, 15, 32)
    x = SinusoidalPositions()(x)
    x = TransformerEncoder(num_layers=2, num_heads=4, key_dim=8, d_ff=64, dropout=0.1)(x)
    outputs = keras.layers.Dense(1, activation="sigmoid")(keras.layers.GlobalAveragePooling1D()(x))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(digits, labels.astype("float32"), epochs=options.epochs, validation_split=0.2, verbose=2)
    print(f"accuracy on unseen rows: {history.history['val_accuracy'][-1]:.3f}")


if __name__ == "__main__":
    main()
