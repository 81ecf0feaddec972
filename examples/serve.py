"""Translate with an exported SavedModel: TensorFlow and its text operations are all that this needs.

Usage: python examples/serve.py saved_models/quickstart/1 "The old dog sleeps."
"""

import argparse

import tensorflow as tf
import tensorflow_text  # noqa: F401  (makes the tokenizer's operations known to TensorFlow)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("saved_model")
    parser.add_argument("sentence", nargs="+")
    options = parser.parse_args()

    translate = tf.saved_model.load(options.saved_model).signatures["serving_default"]
    result = translate(text=tf.constant(options.sentence))
    for translation, score in zip(result["translation"].numpy(), result["score"].numpy(), strict=True):
        print(f"{score:8.4f}  {translation.decode()}")


if __name__ == "__main__":
    main()
