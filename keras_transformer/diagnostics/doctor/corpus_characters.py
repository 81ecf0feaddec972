"""Whether the characters are text: no markup, no control characters, nothing decoded wrongly."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any

from keras_transformer.diagnostics.doctor.corpus_reading import Split, name_places, quote
from keras_transformer.diagnostics.doctor.findings import Finding, passed

_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9:-]*(?:\s[^<>]{0,200})?/?>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_MARKS = re.compile(r"@@(?:\s|$)|(?:^|\s)@-@(?:\s|$)|▁\w")
# What UTF-8 looks like when read as Latin-1 or Windows-1252: a lead byte of Latin, punctuation, Greek, Cyrillic or
# emoji, then bytes from 0x80 to 0xBF in either reading.
_CONTINUED = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_MISREAD = re.compile(f"[ÂÃÄÅÎÏÐÑ]{_CONTINUED}|â[€‚„\u0080-\u0082]{_CONTINUED}|ðŸ{_CONTINUED}{{2}}")


def check_characters(train: Split) -> list[Finding]:
    """The characters of both sides are those of text.

    Args:
        train: the split.

    Returns:
        Findings on text decoded wrongly, control and replacement characters, markup, and marks of other tokenizers.
    """
    kinds: tuple[tuple[str, str, Callable[[str], str | None], str, str], ...] = (
        (
            "text decoded wrongly",
            "mojibake",
            _misread,
            "UTF-8 was read as Latin-1 or Windows-1252 and written again; words of one language have two spellings.",
            "Undo it: `ftfy`, or text.encode('cp1252').decode('utf-8') on these lines.",
        ),
        (
            "control characters",
            "control-characters",
            _control,
            "Remains of another encoding or of a document format, or characters that could not be decoded (U+FFFD).",
            "Remove them, or export the text again from its origin.",
        ),
        (
            "markup",
            "markup",
            _markup,
            "Tags and entities are learned as words, and come out in translations.",
            "Remove tags and decode entities (Python: html.unescape) before training.",
        ),
        (
            "marks of another tokenizer",
            "tokenized-text",
            lambda line: _first(_MARKS, line),
            "The text was cut into subwords already; SentencePiece would cut the marks again, and BLEU counts them.",
            "Give the text as people write it.",
        ),
    )
    return [_lines_with(train, check, slug, find, meaning, fix) for check, slug, find, meaning, fix in kinds]


def _lines_with(
    train: Split, check: str, slug: str, find: Callable[[str], str | None], meaning: str, fix: str
) -> Finding:
    told = []
    for side in train.sides:
        found = [(place, text) for place, line in enumerate(side.lines) if (text := find(line)) is not None]
        if found:
            told.append(f"{side.name}: {name_places([place for place, _ in found])} ({found[0][1]})")
    if not told:
        return passed(check, "none")
    return Finding(check, "warn", slug, "; ".join(told), meaning=meaning, fix=fix)


def _first(pattern: re.Pattern[str], line: str) -> str | None:
    match = pattern.search(line)
    return quote(match[0].strip()) if match else None


def _misread(line: str) -> str | None:
    if line.isascii():
        return None
    match = _MISREAD.search(line)
    if match is None:
        return None
    for encoding in ("cp1252", "latin-1"):
        try:
            return f"{quote(match[0])} for {quote(match[0].encode(encoding).decode('utf-8'))}"
        except UnicodeError:
            continue
    return None


def _control(line: str) -> str | None:
    if line.isprintable():
        return "U+FFFD" if "\ufffd" in line else None
    for character in line:
        if character == "\ufffd" or (character not in "\t" and unicodedata.category(character) in ("Cc", "Co", "Cn")):
            return f"U+{ord(character):04X}"
    return None


def _markup(line: str) -> str | None:
    if "<" not in line and "&" not in line:
        return None
    return _first(_TAG, line) or _first(_ENTITY, line)


def check_unknown(train: Split, tokenizer: Any | None) -> list[Finding]:
    """The vocabulary knows the characters of the corpus.

    Args:
        train: the split.
        tokenizer: a `Tokenizer`, or None: then characters seen once are named instead.

    Returns:
        One finding.
    """
    counts = [Counter("".join(side.lines[i] for i in train.good)) for side in train.sides]
    if tokenizer is None:
        return [_seen_once(train, counts)]
    sides = [
        _spelled_in_bytes(reader, count.keys())
        for reader, count in zip((getattr(tokenizer, "source", tokenizer), tokenizer), counts, strict=True)
    ]
    unknown = sides[0] | sides[1]
    shares = [
        100 * sum(count[c] for c in side) / max(1, count.total()) for side, count in zip(sides, counts, strict=True)
    ]
    evidence = (
        f"{len(unknown):,} of {len(counts[0].keys() | counts[1].keys()):,} characters are spelled in bytes: "
        f"{shares[0]:.3f} % of the source text, {shares[1]:.3f} % of the target"
    )
    if unknown:
        most = sorted(unknown, key=lambda c: (-(counts[0][c] + counts[1][c]), c))
        evidence += f"; most often {_named(most)} ({_where(train, most[0])})"
    if max(shares) < 0.5:
        return [passed("unknown characters", evidence)]
    return [
        Finding(
            "unknown characters",
            "warn",
            "unknown-characters",
            evidence,
            meaning="The tokenizer was trained on other text: a character in bytes costs two to four pieces, and the "
            "model must learn to spell.",
            fix="Train the tokenizer on this corpus, or with a larger vocabulary.",
            source="section 5.1",
        )
    ]


def _seen_once(train: Split, counts: list[Counter[str]]) -> Finding:
    both = counts[0] + counts[1]
    once = sorted(character for character, count in both.items() if count == 1)
    evidence = f"{len(both):,} different characters, {len(once):,} of them once"
    if once:
        evidence += f": {_named(once)} ({_where(train, once[0])})"
    return passed("rare characters", evidence)


def _spelled_in_bytes(tokenizer: Any, characters: Any) -> set[str]:
    ordered = sorted(character for character in characters if not character.isspace())
    encoded = tokenizer.encode(ordered)
    names = dict(zip(range(tokenizer.vocab_size), tokenizer.pieces(range(tokenizer.vocab_size)), strict=True))
    in_bytes = {number for number, name in names.items() if re.fullmatch(r"<0x[0-9A-F]{2}>", name)}
    return {character for character, ids in zip(ordered, encoded, strict=True) if in_bytes & set(ids)}


def _named(characters: list[str], most: int = 8) -> str:
    shown = " ".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in characters[:most])
    return shown + (f" and {len(characters) - most:,} more" if len(characters) > most else "")


def _where(train: Split, character: str) -> str:
    for side in train.sides:
        for place in train.good:
            if character in side.lines[place]:
                return f"line {place + 1} of {side.name}"
    return ""
