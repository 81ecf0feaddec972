"""A page of HTML to look at an attention record in a browser, complete in one file."""

import base64
import hashlib
import html
import importlib.resources
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from keras_transformer.diagnostics.attention_maps import shown_pieces
from keras_transformer.diagnostics.attention_record import KINDS, Array, AttentionRecord
from keras_transformer.errors import InputError
from keras_transformer.training.files import write_text


def write_attention_html(record: AttentionRecord, path: str | os.PathLike[str]) -> Path:
    """Write the page of `attention_html` to a file.

    Args:
        record: from `record_attention`.
        path: the file; missing folders are made.

    Returns:
        The path.

    Raises:
        InputError: the file cannot be written.
    """
    target = Path(path)
    try:
        write_text(target, attention_html(record))
    except OSError as error:
        raise InputError(
            f"{target}: the page cannot be written ({error.strerror or error}); give a file in a folder you may write."
        ) from error
    return target


def attention_html(record: AttentionRecord) -> str:
    """One self-contained page: choose kind, layer and head, and point at a piece to see its sources.

    The page asks the network for nothing, and its content security policy would not let it: style and script are
    inline, allowed by their hashes, and text goes in as escaped JSON, so a piece such as `</script>` is only text.
    Weights are kept as the float32 numbers that the model gave.

    Args:
        record: from `record_attention`.

    Returns:
        The HTML.

    Example:
        >>> import keras_transformer as kt
        >>> from keras_transformer.diagnostics import record_attention
        >>> tokenizer = kt.Tokenizer.train([["a dog runs", "ein Hund läuft"]], vocab_size=290)
        >>> model = kt.Transformer(
        ...     vocab_size=290, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1, num_decoder_layers=1)
        >>> attention_html(record_attention(model, tokenizer, "a dog runs", "ein Hund läuft"))[:15]
        '<!doctype html>'
    """
    style, script = _part("css"), _part("js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    parts = {
        "policy": policy,
        "title": html.escape(f"Attention: {_utf8(record.source)}"),
        "style": style,
        "script": script,
        "record": _json(record),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _part("html"))


def _part(suffix: str) -> str:
    file = importlib.resources.files("keras_transformer.diagnostics") / f"attention_page.{suffix}"
    return file.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The text as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _json(record: AttentionRecord) -> str:
    """The record as JSON that no HTML parser sees a tag in."""
    content = {
        "source": record.source,
        "translation": record.translation,
        "facts": facts(record),
        "kinds": {kind: _kind(record, kind) for kind in KINDS},
    }
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _kind(record: AttentionRecord, kind: str) -> dict[str, Any]:
    weights = record.weights[kind]
    return {
        "layers": weights.shape[0],
        "heads": weights.shape[1],
        "rows": shown_pieces(record.rows(kind), escape=False),
        "columns": shown_pieces(record.columns(kind), escape=False),
        "weights": base64.b64encode(weights.astype("<f4").tobytes()).decode("ascii"),
        "entropy": _numbers(record.entropy[kind]),
        "padding": _numbers(record.padding_mass[kind]),
    }


def _numbers(values: Array) -> list[list[float | None]]:
    """Rows of numbers, None (null) for what JSON has no word for."""
    return [[float(value) if np.isfinite(value) else None for value in row] for row in values]


def facts(record: AttentionRecord) -> str:
    """How the translation came about, and how large the model is, in one line.

    Args:
        record: from `record_attention`.
    """
    score = "" if record.score is None else f"{record.score:.3f}".replace("-", "\u2212")
    if record.beam_size is None:
        origin = "translation given"
    elif record.beam_size == 1:
        origin = f"decoded greedily, score {score}"
    else:
        origin = f"decoded with beam {record.beam_size}, score {score}"
    encoder, decoder = record.weights["encoder"], record.weights["cross"]
    return (
        f"{origin} · {encoder.shape[0]} encoder and {decoder.shape[0]} decoder layers, {decoder.shape[1]} heads · "
        f"{len(record.source_pieces)} source and {len(record.written_pieces)} target pieces"
    )


def _utf8(text: str) -> str:
    """The text without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
