"""Text: parallel corpora, the tokenizer, batches."""

from keras_transformer.text.corpus import CorpusReport, ParallelCorpus, overlap, read_lines

__all__ = ["CorpusReport", "ParallelCorpus", "overlap", "read_lines"]
