"""Every attention weight of one translation, as arrays with names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from keras import ops

from keras_transformer.decoding.protocols import source_side
from keras_transformer.errors import InputError

Array = npt.NDArray[np.float32]

KINDS = ("encoder", "decoder", "cross")
"""The three uses of attention in the model (section 3.2.3)."""

_MULTIPLE = 8  # lengths are padded to a multiple of this, as the translator pads them


@dataclass(frozen=True, eq=False)
class AttentionRecord:
    """What every head of a model looked at while it read a sentence and wrote its translation.

    A row is a query: the position that reads; a column is a key: what it can read. The decoder's row t is the position
    that has read the pieces before t and chooses piece t, so rows bear the pieces written and columns those read.

    Args:
        source: the sentence.
        translation: its translation.
        source_pieces: S pieces of the source, `</s>` last: rows and columns of "encoder", columns of "cross".
        written_pieces: T pieces of the translation, `</s>` last: rows of "decoder" and "cross".
        read_pieces: `<s>`, then the T - 1 pieces read by the decoder: columns of "decoder".
        source_ids: S ids.
        target_ids: T ids, those of `written_pieces`.
        weights: by kind (layers, heads, rows, columns) float32; a row sums to 1, less its mass on padding.
        entropy: by kind (layers, heads) float32, in bits, the mean over rows of -sum w log2 w: 0 where every row looks
            at one piece, log2(columns) where each looks at all pieces alike.
        padding_mass: by kind (layers, heads) float32, the mean over rows of what lies on padding: 0 in a sound model.
        beam_size: of the search that found the translation; None if it was given.
        score: the search's, log P divided by the length penalty; None if the translation was given.

    Reference:
        Vaswani et al. 2017, section 3.2.
    """

    source: str
    translation: str
    source_pieces: tuple[str, ...]
    written_pieces: tuple[str, ...]
    read_pieces: tuple[str, ...]
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]
    weights: Mapping[str, Array]
    entropy: Mapping[str, Array]
    padding_mass: Mapping[str, Array]
    beam_size: int | None = None
    score: float | None = None

    def rows(self, kind: str) -> tuple[str, ...]:
        """The pieces that look, T or S."""
        return self.source_pieces if kind == "encoder" else self.written_pieces

    def columns(self, kind: str) -> tuple[str, ...]:
        """The pieces that are looked at, T or S."""
        return self.read_pieces if kind == "decoder" else self.source_pieces


def record_attention(
    model: Any,
    tokenizer: Any,
    sentence: str,
    translation: str | None = None,
    translator: Any | None = None,
) -> AttentionRecord:
    r"""Translate a sentence and keep the weights of every attention, for exactly the ids that the search chose.

    Each weight is $\mathrm{softmax}(q K^T / \sqrt{d_k})$ of one head (section 3.2.1). No position sees a later one, so
    one pass over the finished translation gives the weights that decoding step by step had. The pass is over the ids
    of the search: its text, split into pieces again, may give others. Both sentences are padded, to a multiple of 8,
    so that attention to padding would show.

    Args:
        model: a `Transformer` on any backend.
        tokenizer: its `Tokenizer`.
        sentence: the source sentence.
        translation: a translation to look at in place of the model's own.
        translator: a `Translator` of this model, for its beam size and other settings; by default beam 4 and length
            penalty 0.6. Not used when a translation is given.

    Returns:
        The record.

    Raises:
        InputError: the sentence or the given translation is empty, or the translator is another model's.

    Example:
        >>> import keras_transformer as kt
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> model = kt.Transformer(
        ...     vocab_size=290, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1, num_decoder_layers=3)
        >>> record = record_attention(model, tokenizer, "a dog runs", "ein Hund läuft")
        >>> {kind: weights.shape[:2] for kind, weights in record.weights.items()}
        {'encoder': (1, 2), 'decoder': (3, 2), 'cross': (3, 2)}

    Reference:
        Vaswani et al. 2017, sections 3.2 and 6.1.
    """
    reader = source_side(tokenizer)
    if not reader.encode([sentence.strip()])[0]:
        raise InputError(f"The sentence is {sentence!r}, with no piece to attend to; give a sentence with words.")
    found: dict[str, Any] = {}
    if translation is None:
        translator = _translator(model, tokenizer, translator)
        (hypothesis,) = translator.translate([sentence])[0][:1]
        found = {"score": hypothesis.score, "beam_size": translator.search.beam_size}
        text, target = hypothesis.text, list(hypothesis.ids)
        source = _cut(reader, sentence, translator.truncated)
    else:
        text, source = translation, reader.encode([sentence.strip()])[0]
        target = tokenizer.encode([translation.strip()])[0]
        if not target:
            raise InputError("The translation given is empty; leave it out to look at the model's own.")
    source_ids, target_ids = [*source, tokenizer.eos_id], [*target, tokenizer.eos_id]
    read_ids = [tokenizer.bos_id, *target]
    weights, entropies, padding = _look(model, source_ids, read_ids)
    return AttentionRecord(
        source=sentence.strip(),
        translation=text,
        source_pieces=tuple(reader.pieces(source_ids)),
        written_pieces=tuple(tokenizer.pieces(target_ids)),
        read_pieces=tuple(tokenizer.pieces(read_ids)),
        source_ids=tuple(source_ids),
        target_ids=tuple(target_ids),
        weights=weights,
        entropy=entropies,
        padding_mass=padding,
        **found,
    )


def entropy(weights: Array) -> Array:
    """Entropy in bits of each distribution along the last axis.

    Args:
        weights: (..., K), each row summing to 1; a weight of 0 adds nothing.

    Returns:
        (...) float32, from 0 (one key has it all) to log2(K) (all keys alike).

    Example:
        >>> entropy(np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]], "float32")).tolist()
        [0.0, 2.0]
    """
    exact = weights.astype("float64")
    logs = np.log2(exact, where=exact > 0, out=np.zeros_like(exact))
    return np.abs(-(exact * logs).sum(axis=-1)).astype("float32")  # abs: no minus zero


def _translator(model: Any, tokenizer: Any, translator: Any | None) -> Any:
    """The translator given, checked, or the paper's: beam 4, length penalty 0.6."""
    if translator is None:
        from keras_transformer.decoding import Translator

        return Translator(model, tokenizer)
    if translator.model is not model:
        raise InputError("The translator belongs to another model; pass the model and tokenizer it was made of.")
    return translator


def _cut(tokenizer: Any, sentence: str, truncated: Sequence[Any]) -> list[int]:
    """The source's pieces that the translator has read: all of them, but of a very long sentence."""
    pieces: list[int] = tokenizer.encode([sentence.strip()])[0]
    return pieces[: truncated[0].kept - 1] if truncated else pieces


def _look(model: Any, source_ids: list[int], read_ids: list[int]) -> tuple[dict[str, Array], ...]:
    """By kind: weights between real pieces (layers, heads, rows, columns); per head entropy and mass on padding."""
    synchronise = getattr(model, "jax_state_sync", None)
    if synchronise is not None:
        synchronise()  # in the middle of `fit` on JAX the newest weights are in the training loop's state
    source, target = len(source_ids), len(read_ids)
    found = model.attention_weights((_padded(model, source_ids), _padded(model, read_ids)))
    weights, entropies, padding = {}, {}, {}
    sizes = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
    for kind, (rows, columns) in sizes.items():
        layers = [ops.convert_to_numpy(ops.cast(layer[0], "float32")) for layer in found[kind]]
        whole = np.stack(layers)[:, :, :rows]  # (layers, heads, rows, padded columns)
        weights[kind] = np.ascontiguousarray(whole[..., :columns])
        entropies[kind] = entropy(whole).mean(axis=-1)
        padding[kind] = whole[..., columns:].sum(axis=-1).mean(axis=-1)
    return weights, entropies, padding


def _padded(model: Any, ids: list[int]) -> npt.NDArray[np.int32]:
    """(1, length) with at least one position of padding, unless the model's table of positions has no room."""
    length = (len(ids) // _MULTIPLE + 1) * _MULTIPLE
    if getattr(model.config, "position", None) == "learned":
        length = max(len(ids), min(length, model.config.max_positions))
    row = np.full((1, length), model.config.pad_id, "int32")
    row[0, : len(ids)] = ids
    return row
