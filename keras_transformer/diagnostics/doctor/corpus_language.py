"""Whether each side is in one language, told from scripts and from the words of the two sides."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from keras_transformer.diagnostics.doctor.corpus_reading import Side, Split, name_places, quote
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped

FEWEST_PAIRS = 100
"""Pairs below which the words of the two sides are too few to tell them apart."""

_TOGETHER = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "FULLWIDTH": "LATIN"}


def check_scripts(train: Split) -> list[Finding]:
    """Every line of a side is in the side's script.

    Args:
        train: the split.

    Returns:
        One finding a side. A line is suspected when it has at least eight letters and four in five of them are of
        another script than nine in ten lines of the side.
    """
    return [_script_of_side(*each, train.good) for each in zip(("source", "target"), train.sides, strict=True)]


def _script_of_side(title: str, side: Side, good: list[int]) -> Finding:
    scripts = _Scripts()
    found = {place: scripts.of(side.lines[place]) for place in good}
    counts = Counter(script for script, _ in found.values() if script)
    check = f"script, {title} side"
    if not counts:
        return Finding(check, "warn", "wrong-script", "no line has letters", fix="Check the file.")
    total = counts.total()
    main, lines = counts.most_common(1)[0]
    told = ", ".join(f"{name.lower()} {100 * count / total:.1f} %" for name, count in counts.most_common(3))
    strange = [place for place, (script, sure) in found.items() if sure and script != main]
    if lines < 0.9 * total or not strange:
        return passed(check, f"lines by main script: {told}")
    return Finding(
        check,
        "warn",
        "wrong-script",
        f"{name_places(strange, verb=True)} not {main.lower()} ({quote(side.lines[strange[0]])}); {told}",
        meaning="These lines are in another language, or the sides are swapped there.",
        fix="Remove the pairs, or put each language on its side.",
    )


class _Scripts:
    """Scripts of characters, each looked up once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, line: str) -> tuple[str, bool]:
        """The main script of a line, "" without letters, and whether eight letters and four in five are of it."""
        if line.isascii():
            return ("LATIN", sum(map(str.isalpha, line)) >= 8) if any(map(str.isalpha, line)) else ("", False)
        counts = Counter(filter(None, map(self._script, line)))
        if not counts:
            return "", False
        script, most = counts.most_common(1)[0]
        return script, counts.total() >= 8 and most >= 0.8 * counts.total()

    def _script(self, character: str) -> str:
        script = self._known.get(character)
        if script is None:
            name = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
            script = self._known[character] = _TOGETHER.get(name, name)
        return script


class SideWords:
    """Tells from words on which side of a corpus a line belongs.

    The score of a line is the mean over its words of log p(word | source side) - log p(word | target side), in nats,
    with half a count added to each. The line's own words are taken out of the side it stands on, so that no line
    vouches for itself. Above 0 the words are those of the source side.

    Args:
        train: the split whose sides are learned.
    """

    def __init__(self, train: Split) -> None:
        self._counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for counts, side in zip(self._counts, train.sides, strict=True):
            for place in train.good:
                counts.update(_words(side.lines[place]))
        self._bias = math.log((self._counts[1].total() + 1) / (self._counts[0].total() + 1))

    def score(self, line: str, own: int | None = None) -> float:
        """Mean log ratio of the line's words.

        Args:
            line: the text.
            own: 0 or 1 when it was learned from as part of the source or target side.

        Returns:
            Nats a word; 0 for a line without words.
        """
        words = _words(line)
        source, target = self._counts
        less = (words if own == 0 else Counter(), words if own == 1 else Counter())
        total = sum(
            count * math.log((source[word] - less[0][word] + 0.5) / (target[word] - less[1][word] + 0.5))
            for word, count in words.items()
        )
        return total / words.total() + self._bias if words else 0.0


def _words(line: str) -> Counter[str]:
    return Counter(line.casefold().split())


def check_words(train: Split, words: SideWords) -> list[Finding]:
    """No line is made of the other side's words.

    Args:
        train: the split.
        words: learned from it.

    Returns:
        One finding a side.
    """
    return [_words_of_side(train, number, words) for number in (0, 1)]


def _words_of_side(train: Split, number: int, words: SideWords) -> Finding:
    side, check = train.sides[number], f"language, {('source', 'target')[number]} side"
    if len(train.good) < FEWEST_PAIRS:
        return skipped(check, f"{len(train.good):,} pairs, and {FEWEST_PAIRS} show the words of a side")
    sign = (-1, 1)[number]
    strange = [
        place
        for place in train.good
        if len(side.lines[place].split()) >= 4 and sign * words.score(side.lines[place], own=number) > 1.0
    ]
    if not strange:
        return passed(check, "no line of the other side's words")
    return Finding(
        check,
        "warn",
        "wrong-language",
        f"{name_places(strange, verb=True)} made of the other side's words ({quote(side.lines[strange[0]])})",
        meaning="The line was left untranslated, or its pair is swapped.",
        fix="Remove such pairs, or put each language on its side.",
    )


def check_swapped(train: Split, others: Iterable[Split], words: SideWords) -> list[Finding]:
    """Validation and test pairs have their languages in the order of the training pairs.

    Args:
        train: the training split.
        others: the other splits.
        words: learned from the training split.

    Returns:
        One finding a split.
    """
    return [_swapped(split, words) for split in others if split.good and len(train.good) >= FEWEST_PAIRS]


def _swapped(split: Split, words: SideWords) -> Finding:
    source, target = (_mean([words.score(side.lines[i]) for i in split.good]) for side in split.sides)
    check, evidence = (
        f"order of languages, {split.title}",
        f"words lean {source:+.1f} and {target:+.1f} nats to the source",
    )
    if not (source < -0.5 and target > 0.5):
        return passed(check, evidence)
    return Finding(
        check,
        "fail",
        "sides-swapped",
        f"{evidence}, the opposite of the training pairs",
        meaning=f"{split.source.name} is in the language that training translates into.",
        fix=f"Give the files after --{split.title} in the other order.",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
