"""The encoder alone, over image patches: which of three shapes does a noisy drawing show?

Usage: python examples/image_patches.py --images 3000 --epochs 6
"""

import argparse

import keras
import numpy as np

from keras_transformer.layers import LearnedPositions
from keras_transformer.models import TransformerEncoder

SIZE, PATCH = 24, 6  # a picture of 24 x 24 is a sequence of 16 patches of 6 x 6


def draw(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pictures (N, 24, 24, 1) of a disc, a ring or a cross, anywhere and of any size, in noise; and which it is."""
    rng = np.random.default_rng(seed)
    rows, columns = np.indices((SIZE, SIZE))
    labels = rng.integers(0, 3, count)
    pictures = rng.normal(0, 0.3, (count, SIZE, SIZE, 1)).astype("float32")
    for picture, label in zip(pictures, labels, strict=True):
        radius = rng.integers(4, 8)
        y, x = (np.abs(axis - rng.integers(radius, SIZE - radius)) for axis in (rows, columns))
        disc = x**2 + y**2 <= radius**2
        shape = (disc, disc & (x**2 + y**2 >= (radius - 2) ** 2), disc & (np.minimum(x, y) <= 1))[label]
        picture[shape] += 1
    return pictures, labels


def patches(pictures: np.ndarray) -> np.ndarray:
    """(N, 24, 24, 1) -> (N, 16, 36): each patch as one vector, row by row."""
    side = SIZE // PATCH
    blocks = pictures.reshape(-1, side, PATCH, side, PATCH)
    return blocks.transpose(0, 1, 3, 2, 4).reshape(-1, side * side, PATCH * PATCH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()

    keras.utils.set_random_seed(1)
    inputs = keras.Input(((SIZE // PATCH) ** 2, PATCH * PATCH))
    x = keras.layers.Dense(32)(inputs)  # (B, 16, d_model)
    x = LearnedPositions(max_positions=(SIZE // PATCH) ** 2)(x)
    x = TransformerEncoder(num_layers=2, num_heads=4, key_dim=8, d_ff=64, activation="gelu", norm="pre")(x)
    outputs = keras.layers.Dense(3, activation="softmax")(keras.layers.GlobalAveragePooling1D()(x))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.Adam(3e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])

    (train, labels), (test, answers) = draw(options.images, seed=1), draw(500, seed=2)
    model.fit(patches(train), labels, epochs=options.epochs, batch_size=32, verbose=2)
    _, accuracy = model.evaluate(patches(test), answers, verbose=0)
    print(f"accuracy on 500 unseen pictures: {accuracy:.3f}")


if __name__ == "__main__":
    main()
