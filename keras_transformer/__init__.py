"""The Transformer of "Attention Is All You Need" in Keras 3."""
