"""Toy models whose every hypothesis can be listed, and a tokenizer of letters."""

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.models import Transformer

PAD, BOS, EOS = 0, 1, 2


class HistoryModel(keras.Model):
    """Logits that depend on every token so far, on the distance to it and on the first source token.

    The key-value cache holds the tokens, so a cache that is reordered, lengthened or masked wrongly shows.
    """

    def __init__(self, vocab_size: int, reach: int = 8) -> None:
        super().__init__()
        self.config = SimpleNamespace(pad_id=PAD, bos_id=BOS, eos_id=EOS, vocab_size=vocab_size)
        self.vocab_size = vocab_size
        self.reach = reach
        self.by_distance = self.add_weight(shape=(reach, vocab_size, vocab_size), name="by_distance")
        self.by_source = self.add_weight(shape=(16, vocab_size), name="by_source")
        self.built = True

    def randomise(self, seed: int, spread: float = 1.5, eos: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        by_source = random.normal(0, spread, self.by_source.shape)
        by_source[:, EOS] += eos
        by_distance = random.normal(0, spread, self.by_distance.shape)
        self.arrays = {"by_distance": by_distance.astype("float32"), "by_source": by_source.astype("float32")}
        self.by_distance.assign(self.arrays["by_distance"])
        self.by_source.assign(self.arrays["by_source"])

    def call(self, inputs: Any, training: bool = False) -> Any:
        raise AssertionError("the search uses decode_step alone")

    def encode(self, source: Any, training: bool = False) -> Any:
        return ops.take(self.by_source, source[:, 0], axis=0)  # (B, V)

    def init_cache(self, memory: Any, source: Any, beam_size: int, length: Any) -> dict[str, Any]:
        shape = (ops.shape(source)[0], beam_size, 1, length, self.vocab_size)
        return {"self": [{"key": ops.zeros(shape)}], "memory": memory}

    def decode_step(self, ids: Any, index: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        tokens = cache["self"][0]["key"]  # (B, K, 1, L, V)
        new = ops.one_hot(ids, self.vocab_size)[:, :, None, None]
        tokens = ops.slice_update(tokens, (0, 0, 0, index, 0), new)
        positions = ops.arange(ops.shape(tokens)[3], dtype="int32")
        distance = ops.mod(index - positions + self.reach, self.reach)  # (L,)
        table = ops.take(self.by_distance, distance, axis=0)  # (L, V, V)
        logits = ops.einsum("bklv,lvw->bkw", tokens[:, :, 0], table)
        return logits + cache["memory"][:, None], {**cache, "self": [{"key": tokens}]}

    def log_probs(self, first_source_token: int, prefix: tuple[int, ...]) -> np.ndarray:
        """log P of each next token after `prefix`, in float64."""
        by_distance = self.arrays["by_distance"].astype("float64")
        logits = self.arrays["by_source"][first_source_token].astype("float64")
        history = (BOS, *prefix)
        for position, token in enumerate(history):
            logits = logits + by_distance[(len(history) - 1 - position) % self.reach, token]
        return log_softmax(logits)


class CopyModel:
    """Says each source token again, then ends."""

    def __init__(self, vocab_size: int) -> None:
        self.config = SimpleNamespace(pad_id=PAD, bos_id=BOS, eos_id=EOS, vocab_size=vocab_size)

    def encode(self, source: Any, training: bool = False) -> Any:
        return 20.0 * ops.one_hot(source, self.config.vocab_size)

    def init_cache(self, memory: Any, source: Any, beam_size: int, length: Any) -> dict[str, Any]:
        return {"self": [], "memory": memory}

    def decode_step(self, ids: Any, index: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        memory = cache["memory"]
        logits = ops.take(memory, ops.minimum(index, ops.shape(memory)[1] - 1), axis=1)[:, None]
        return ops.broadcast_to(logits, (*ops.shape(ids), self.config.vocab_size)), cache


class Letters:
    """A tokenizer of single letters."""

    vocab_size, pad_id, bos_id, eos_id = 130, PAD, BOS, EOS

    def encode(self, texts: list[str]) -> list[list[int]]:
        return [[ord(letter) for letter in text] for text in texts]

    def decode(self, ids: Any) -> list[str]:
        return ["".join(chr(i) for i in row) for row in ids]

    def pieces(self, ids: Any) -> list[str]:
        return [chr(i) for i in ids]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    logits = np.asarray(logits, "float64")
    peak = logits.max(-1, keepdims=True)
    return logits - peak - np.log(np.exp(logits - peak).sum(-1, keepdims=True))


def penalty(length: int, alpha: float) -> float:
    return ((5 + length) / 6) ** alpha


def random_transformer(seed: int = 0, vocab_size: int = 12, spread: float = 0.7, **fields: Any) -> Transformer:
    """A small model with the same weights on every backend, large enough for lively output."""
    settings = {"d_model": 16, "num_heads": 2, "d_ff": 24, "num_encoder_layers": 1, "num_decoder_layers": 1, **fields}
    model = Transformer(vocab_size=vocab_size, **settings)
    random = np.random.default_rng(seed)
    for weight in model.weights:
        if "float" in keras.backend.standardize_dtype(weight.dtype) and len(weight.shape) == 2:
            width = 0.4 * spread if weight.shape[0] == vocab_size else spread
            weight.assign(random.normal(0, width, weight.shape).astype("float32"))
    return model


def exhaustive(
    log_probs: Callable[[tuple[int, ...]], np.ndarray], vocab_size: int, limit: int, alpha: float
) -> list[tuple[float, tuple[int, ...]]]:
    """Every hypothesis that ends within the limit with its score, best first."""
    tokens, prefixes, found = range(3, vocab_size), {(): 0.0}, []
    for length in range(1, limit + 1):
        steps = {prefix: log_probs(prefix) for prefix in prefixes}
        found += [((p + steps[y][EOS]) / penalty(length, alpha), (*y, EOS)) for y, p in prefixes.items()]
        prefixes = {(*y, t): prefixes[y] + steps[y][t] for y, t in itertools.product(prefixes, tokens)}
    return sorted(found, reverse=True)


def unhurried_beam_search(
    log_probs: Callable[[tuple[int, ...]], np.ndarray], beam_size: int, limit: int, alpha: float
) -> list[tuple[float, tuple[int, ...]]]:
    """The search of `BeamSearch` for one sentence, in plain Python, which never stops before the limit."""
    alive, finished = [(0.0, ())], []
    for length in range(1, limit + 1):
        steps = [(p, y, log_probs(y)) for p, y in alive]
        if length == limit:
            candidates = [(p + step[EOS], (*y, EOS)) for p, y, step in steps]
        else:
            candidates = [(p + step[t], (*y, t)) for p, y, step in steps for t in range(2, len(step))]
        candidates = sorted(candidates, reverse=True)[: 2 * beam_size]
        finished += [(p / penalty(length, alpha), y) for p, y in candidates if y[-1] == EOS]
        finished = sorted(finished, reverse=True)[:beam_size]
        alive = [(p, y) for p, y in candidates if y[-1] != EOS][:beam_size]
    return finished


def rows_to_hypotheses(ids: Any, scores: Any) -> list[list[tuple[float, tuple[int, ...]]]]:
    """What a search returns as lists of (score, tokens with EOS), checked to be padding after the first EOS."""
    ids, scores = ops.convert_to_numpy(ids), ops.convert_to_numpy(scores)
    result = []
    for rows, row_scores in zip(ids.tolist(), scores.tolist(), strict=True):
        found = []
        for row, score in zip(rows, row_scores, strict=True):
            if EOS not in row:
                assert set(row) == {PAD}
                continue
            end = row.index(EOS) + 1
            assert set(row[end:]) <= {PAD}
            assert not {PAD, BOS} & set(row[:end])
            found.append((score, tuple(row[:end])))
        result.append(found)
    return result


@pytest.fixture(scope="session")
def toys() -> SimpleNamespace:
    """Everything above, under one name: test modules cannot import each other."""
    return SimpleNamespace(
        HistoryModel=HistoryModel,
        CopyModel=CopyModel,
        Letters=Letters,
        log_softmax=log_softmax,
        penalty=penalty,
        random_transformer=random_transformer,
        exhaustive=exhaustive,
        unhurried_beam_search=unhurried_beam_search,
        hypotheses=rows_to_hypotheses,
    )
