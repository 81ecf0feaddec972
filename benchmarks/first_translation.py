"""An exported model in TensorFlow alone: python -m benchmarks.first_translation MODEL LINE."""

import sys

from benchmarks.marks import mark


def main() -> None:
    """Import, load, translate twice; a mark after each."""
    import tensorflow as tf
    import tensorflow_text  # noqa: F401 - registers the ops

    mark("SavedModel: import")
    translate = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
    mark("SavedModel: load")
    for name in ("SavedModel: first call", "SavedModel: second call"):
        translate(text=tf.constant([sys.argv[2]]))["translation"].numpy()
        mark(name)


if __name__ == "__main__":
    main()
