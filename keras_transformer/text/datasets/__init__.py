"""Named parallel corpora: built in, from the cache folder, or downloaded."""

from keras_transformer.text.datasets.dataset import ParallelDataset

__all__ = ["ParallelDataset"]
