"""Text: parallel corpora, the tokenizer, batches."""

from keras_transformer.text import datasets
from keras_transformer.text.corpus import CorpusReport, ParallelCorpus, overlap, read_lines
from keras_transformer.text.tokenizer import Tokenizer

__all__ = ["CorpusReport", "ParallelCorpus", "Tokenizer", "datasets", "overlap", "read_lines"]
