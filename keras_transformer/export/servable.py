"""The translator as a TensorFlow graph: strings in, strings out."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import keras

from keras_transformer.decoding.beam_search import BeamSearch

SERVING_SIGNATURE = "serving_default"
IDS_SIGNATURE = "ids"

SIGNATURES = {
    SERVING_SIGNATURE: {
        "inputs": {"text": "string (B,), UTF-8"},
        "outputs": {"translation": "string (B,)", "score": "float32 (B,)"},
    },
    IDS_SIGNATURE: {
        "inputs": {"source_ids": "int32 (B, S), rows of pieces + [eos], padded with 0"},
        "outputs": {"target_ids": "int32 (B, T), rows of pieces + [eos], padded with 0", "score": "float32 (B,)"},
    },
}
"""What each signature takes and gives, for the manifest."""

CHUNK_TOKENS = 2048
"""Source tokens translated together, about; fewer sentences of more tokens, so that memory is bounded."""

PARALLEL_CHUNKS = 2
"""Chunks translated at the same time."""

SMALLEST_CHUNK = 8
"""Sentences in the smaller of two chunks of a short request."""

# What `str.strip` takes away, for RE2.
_BLANKS = r"[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+"


@dataclass(frozen=True)
class SearchSettings:
    """How the exported model searches: the settings of the translator it was made from.

    Attributes:
        beam_size: hypotheses kept alive per sentence.
        length_penalty: GNMT's alpha.
        max_length_offset: target tokens allowed beyond the number of source tokens.
        max_source_length: source tokens read of one text, the end-of-sentence token included.
    """

    beam_size: int
    length_penalty: float
    max_length_offset: int
    max_source_length: int

    @classmethod
    def of(cls, translator: Any) -> "SearchSettings":
        """The settings of a `Translator`."""
        search = translator.search
        return cls(
            beam_size=search.beam_size,
            length_penalty=search.length_penalty,
            max_length_offset=search.max_length_offset,
            max_source_length=translator.max_source_length,
        )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain numbers: the arguments of `Translator`."""
        return asdict(self)


def write_servable(model: Any, tokenizer: Any, settings: SearchSettings, directory: Path) -> None:
    """Write model, tokenizer and beam search as one SavedModel; needs the TensorFlow backend.

    The SavedModel has two signatures. `serving_default`: `text` (B,) string -> `translation` (B,) string and `score`
    (B,) float32. `ids`: `source_ids` (B, S) int32, rows of pieces + [eos] padded with 0 -> `target_ids` (B, T) int32
    and `score`. B and S may be anything, 0 included. The tokenizer's model is a constant of the graph, so the
    directory can be moved.

    Args:
        model: a `Transformer` on the TensorFlow backend.
        tokenizer: a `Tokenizer`.
        settings: how to search.
        directory: where to write; it may exist and be empty.
    """
    import tensorflow as tf

    module = _servable(model, tokenizer, settings)
    signatures = {SERVING_SIGNATURE: module.translate, IDS_SIGNATURE: module.translate_ids}
    tf.saved_model.save(module, str(directory), signatures=signatures)


def _servable(model: Any, tokenizer: Any, settings: SearchSettings) -> Any:
    """A `tf.Module` that owns the weights, the tokenizer's resource and the two functions."""
    import tensorflow as tf
    import tensorflow_text

    search = BeamSearch(settings.beam_size, settings.length_penalty, settings.max_length_offset)
    module = tf.Module(name="translator")
    # Both are tracked by being attributes: what a function uses and nothing tracks cannot be saved.
    module.model_variables = [variable.value for variable in model.variables]
    module.tokenizer = tensorflow_text.SentencepieceTokenizer(model=tokenizer.proto)
    module.source_tokenizer = module.tokenizer
    if tokenizer.source is not tokenizer:
        # Without a name of its own the second resource of a loaded SavedModel would be the first again.
        own = tensorflow_text.SentencepieceTokenizer(model=tokenizer.source.proto, name="source_tokenizer")
        module.source_tokenizer = own

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])  # traced once for both signatures
    def best(source_ids: Any) -> tuple[Any, Any]:
        """(B, S) -> ids (B, T), score (B,)."""
        # Read once: a loop that reads variables has side effects to TensorFlow, and its turns run one by one.
        weights = [(variable, tf.convert_to_tensor(variable.value)) for variable in model.variables]
        with keras.StatelessScope(state_mapping=weights):
            return _in_chunks(lambda chunk: tuple(result[:, 0] for result in search(model, chunk)), source_ids)

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")])
    def translate(text: Any) -> dict[str, Any]:
        ids, score = best(_source_ids(module.source_tokenizer, tokenizer, text, settings.max_source_length))
        return {"translation": _detokenized(module.tokenizer, tokenizer, ids), "score": score}

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32, name="source_ids")])
    def translate_ids(source_ids: Any) -> dict[str, Any]:
        ids, score = best(source_ids)
        return {"target_ids": ids, "score": score}

    module.translate = translate
    module.translate_ids = translate_ids
    return module


def _in_chunks(best: Any, source_ids: Any) -> tuple[Any, Any]:
    """`best` on chunks of rows of alike length, the longest first, two at a time: each keeps one core busy.

    Args:
        best: rows (B, S) -> ids (B, T) and scores (B,).
        source_ids: (B, S) int32, padded with 0.

    Returns:
        What `best` would give for all at once.
    """
    import tensorflow as tf

    lengths = 1 + tf.math.count_nonzero(source_ids, axis=1, dtype=tf.int32)
    order = tf.argsort(lengths, direction="DESCENDING", stable=True)
    cost = tf.cumsum(tf.gather(lengths, order))
    total, rows = tf.reduce_sum(lengths), tf.shape(source_ids)[0]
    count = tf.maximum(-(-total // CHUNK_TOKENS), tf.clip_by_value(rows // SMALLEST_CHUNK, 1, PARALLEL_CHUNKS))
    starts = tf.cast(
        tf.range(count + 1, dtype=tf.int64) * tf.cast(total, tf.int64) // tf.cast(count, tf.int64), tf.int32
    )
    edges = tf.searchsorted(cost, starts, side="right")
    ids = tf.TensorArray(tf.int32, count, infer_shape=False, element_shape=(None, None))
    scores = tf.TensorArray(tf.float32, count, infer_shape=False, element_shape=(None,))

    def translate(chunk: Any, ids: Any, scores: Any) -> Any:
        best_ids, score = best(tf.gather(source_ids, order[edges[chunk] : edges[chunk + 1]]))
        return chunk + 1, ids.write(chunk, best_ids), scores.write(chunk, score)

    start = (tf.constant(0), ids, scores)
    _, ids, scores = tf.while_loop(
        lambda chunk, *_: chunk < count, translate, start, parallel_iterations=PARALLEL_CHUNKS
    )
    back = tf.argsort(order)
    return tf.gather(ids.concat(), back), tf.gather(scores.concat(), back)


def _source_ids(pieces_of: Any, tokenizer: Any, text: Any, max_source_length: int) -> Any:
    """Strings (B,) to padded rows (B, S) of pieces + [eos]; a blank string is a row of padding."""
    import tensorflow as tf

    # One U+FFFD for each part that `bytes.decode` replaces by one; SentencePiece would put one for each byte.
    text = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", errors="replace")
    text = tf.strings.regex_replace(text, rf"\A{_BLANKS}|{_BLANKS}\z", "")
    pieces = pieces_of.tokenize(text)[:, : max_source_length - 1]
    ends = tf.fill([tf.shape(text)[0], 1], tokenizer.eos_id)
    # The search gives a row of padding an empty translation with score 0, as the translator gives a blank line.
    ends = tf.ragged.boolean_mask(ends, tf.expand_dims(pieces.row_lengths() > 0, 1))
    return tf.concat([pieces, ends], axis=1).to_tensor(tokenizer.pad_id)


def _detokenized(pieces_of: Any, tokenizer: Any, ids: Any) -> Any:
    """Rows (B, T) of ids to strings (B,), special ids left out."""
    import tensorflow as tf

    plain = ids > max(tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id)
    text = pieces_of.detokenize(tf.ragged.boolean_mask(ids, plain))
    return tf.strings.regex_replace(text, "[\r\n]", " ")  # a translation is one line, as in Python
