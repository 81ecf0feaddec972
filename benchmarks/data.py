"""What every worker reads: the tokenizer, the pairs as ids, the batches."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.batches import group, pack
from benchmarks.sizes import VOCAB_SIZE

STATIC_SHAPES = 8
MAX_LENGTH = 256
SEED = 1


def load_corpus(name: str) -> Any:
    """A named data set of the package."""
    from keras_transformer.text import datasets

    return datasets.load(name)


def write(work: Path, dataset: str, tokens: int) -> Path:
    """Make the tokenizer and the file of pairs, or find them made.

    Args:
        work: the work folder.
        dataset: a named data set.
        tokens: padded tokens of a batch, on either side.

    Returns:
        The .npz file; the tokenizer is beside it.
    """
    folder = work / "data" / f"{dataset}-{tokens}"
    path = folder / "pairs.npz"
    if path.is_file():
        return path
    from keras_transformer.text import TokenBatches

    folder.mkdir(parents=True, exist_ok=True)
    corpus, tokenizer = load_corpus(dataset).train, load_tokenizer(work, dataset)
    sides = {"source": corpus.sources, "target": corpus.targets}
    rows = {side: [[*ids, tokenizer.eos_id] for ids in tokenizer.encode(texts)] for side, texts in sides.items()}
    lengths = {side: np.array([len(ids) for ids in encoded]) for side, encoded in rows.items()}
    s, t = lengths["source"], lengths["target"]
    exact = group(s, t, tokens, SEED)
    static = TokenBatches(corpus, tokenizer, tokens, seed=SEED, max_length=MAX_LENGTH, num_buckets=STATIC_SHAPES)
    members, shapes = [], []
    for step in range(static.steps_per_epoch):
        members.append(static.indices(step))
        (source, _), target, _ = static.batch(step)
        shapes.append((len(source), source.shape[1], target.shape[1]))
    arrays = {side: np.concatenate([np.array(ids, np.int32) for ids in encoded]) for side, encoded in rows.items()}
    arrays |= {f"{side}_lengths": values for side, values in lengths.items()}
    arrays |= pack(exact, [(len(pairs), s[pairs].max(), t[pairs].max()) for pairs in exact], "exact")
    arrays |= pack(members, shapes, "static")
    draft = folder / "draft.npz"
    np.savez(draft, **arrays)
    draft.replace(path)
    return path


def load_tokenizer(work: Path, dataset: str) -> Any:
    """The shared vocabulary, trained once."""
    from keras_transformer.text import Tokenizer

    path = tokenizer_path(work, dataset)
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        Tokenizer.train(load_corpus(dataset).train, VOCAB_SIZE).save(path)
    return Tokenizer.load(path)


def tokenizer_path(work: Path, dataset: str) -> Path:
    return work / "data" / f"{dataset}.model"
