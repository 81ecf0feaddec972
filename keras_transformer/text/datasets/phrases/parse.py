"""From the lines of the lexicon to words with all their forms."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases import lexicon_other
from keras_transformer.text.datasets.phrases.german_forms import noun_cases, verb_forms
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, EnglishVerb, Frame, Modal, Noun, Verb

__all__ = ["adverb_pairs", "parse_adjective", "parse_modal", "parse_noun", "parse_verb", "rows", "select", "table"]

_GENDER = {"der": "m", "die": "f", "das": "n"}


def rows(text: str) -> list[list[str]]:
    """Split a table of the lexicon into lines and columns."""
    return [[cell.strip() for cell in line.split(" | ")] for line in text.strip().split("\n")]


def parse_noun(row: list[str]) -> Noun:
    """Read a noun: English, German with its cases, classes."""
    english, german, classes = row
    singular, _, plural = english.partition("/")
    article, nominative, genitive, german_plural = german.split()
    cases, plural_cases = noun_cases(nominative, genitive, german_plural, _GENDER[article])
    english_plural = (plural or singular + "s") if plural_cases else ""
    return Noun(singular, english_plural, _GENDER[article], cases, plural_cases, frozenset(classes.split()))


def parse_adjective(row: list[str]) -> Adjective:
    """Read an adjective: English, German, classes."""
    english, german, classes = row
    base, _, comparative = english.partition(" ")
    forms = [*german.split(), "-", ""]
    german_comparative = forms[1].strip("-")
    if german_comparative and not comparative:
        comparative = f"more {base}"
    stem = forms[2].strip("-") or forms[0]
    return Adjective(base, comparative, forms[0], german_comparative, stem, frozenset(classes.split()))


def _third_person(base: str) -> str:
    if base in {"have", "be"}:
        return {"have": "has", "be": "is"}[base]
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _english_verb(text: str) -> tuple[EnglishVerb, str]:
    base, past, participle, ing = text.split()
    aspect = {"!": "state", "~": "event"}.get(base[-1], "activity")
    base, _, particle = base.rstrip("!~").partition("+")
    base, _, tail = base.partition("_")
    past, participle, ing = (form.partition("_")[0] for form in (past, participle, ing))
    tail = tail.replace("_", " ")
    return EnglishVerb(base, _third_person(base), past, participle, ing, tail, particle), aspect


def select(classes: str, by_class: dict[str, tuple[Noun, ...]]) -> tuple[Noun, ...]:
    """Return the nouns of some classes or groups of classes, separated by commas."""
    groups = lexicon_other.GROUPS
    names = " ".join(groups.get(name, name) for name in classes.split(",")).split()
    return tuple(dict.fromkeys(noun for name in names for noun in by_class[name]))


def _frame(text: str, by_class: dict[str, tuple[Noun, ...]]) -> Frame:
    head, *rest = text.strip().split(":")
    kind, _, subjects = head.partition("<")
    classes = " ".join(lexicon_other.GROUPS.get(name, name) for name in (subjects or "person").split(","))
    preposition = ("", "", "")
    if kind == "p":
        preposition = (rest[0], rest[1], rest[2])
        rest = rest[3:]
    return Frame(kind, tuple(classes.split()), select(rest[0], by_class) if rest else (), preposition)


def parse_verb(row: list[str], by_class: dict[str, tuple[Noun, ...]]) -> Verb:
    """Read a verb: English forms, German forms, frames."""
    english, german, frames = row
    english_verb, aspect = _english_verb(english)
    spelling, _, participle = german.rpartition(" ")
    parsed = tuple(_frame(frame, by_class) for frame in frames.split(";"))
    return Verb(english_verb, verb_forms(spelling.strip(), participle), aspect, parsed)


def parse_modal(row: list[str]) -> Modal:
    """Read a modal verb."""
    english, german = row
    _, plural, ich, du, er, past = german.split()
    past_forms = () if past == "-" else (past, past + "st", past, past + "n", past + "t", past + "n")
    return Modal(english, (ich, du, er, plural, plural, plural), past_forms)


def adverb_pairs(text: str) -> tuple[Adverb, ...]:
    """Read adverbs written "always:immer", with underscores for spaces."""
    return tuple(Adverb(*(part.replace("_", " ") for part in word.split(":"))) for word in text.split())


def table(text: str) -> dict[str, list[str]]:
    """Read a table "name : words", with underscores for spaces."""
    lines = [line.partition(":") for line in text.strip().split("\n")]
    return {name.strip().replace("_", " "): [w.replace("_", " ") for w in words.split()] for name, _, words in lines}
