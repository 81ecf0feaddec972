"""Text: parallel corpora, the tokenizer, batches."""

from keras_transformer.text import datasets
from keras_transformer.text.batching import BatchReport, Bucket, TokenBatches, token_batches
from keras_transformer.text.corpus import CorpusReport, ParallelCorpus, overlap, read_lines
from keras_transformer.text.tokenizer import Tokenizer
from keras_transformer.text.tokenizer_pair import TokenizerPair

__all__ = [
    "BatchReport",
    "Bucket",
    "CorpusReport",
    "ParallelCorpus",
    "TokenBatches",
    "Tokenizer",
    "TokenizerPair",
    "datasets",
    "overlap",
    "read_lines",
    "token_batches",
]
