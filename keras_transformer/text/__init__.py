"""Text: parallel corpora, the tokenizer, batches."""

from keras_transformer.text import datasets
from keras_transformer.text.batching import BatchReport, Bucket, TokenBatches, token_batches
from keras_transformer.text.corpus import CorpusReport, ParallelCorpus, overlap, read_lines
from keras_transformer.text.tokenizer import Tokenizer

__all__ = [
    "BatchReport",
    "Bucket",
    "CorpusReport",
    "ParallelCorpus",
    "TokenBatches",
    "Tokenizer",
    "datasets",
    "overlap",
    "read_lines",
    "token_batches",
]
