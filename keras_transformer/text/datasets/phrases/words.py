"""The words of the phrases grammar with all their forms, looked up and never computed while sentences are made."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Adjective", "Adverb", "EnglishVerb", "Frame", "GermanVerb", "Modal", "Name", "Noun", "Verb"]


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun of both languages.

    Args:
        english: The English singular, "teacher".
        english_plural: The English plural; empty for a mass noun.
        gender: Gender of the German noun: "m", "f" or "n".
        singular: German singular by case: keys "n", "a", "d", "g".
        plural: German plural by case; empty for a mass noun.
        classes: Meaning classes such as "person" or "food".
    """

    english: str
    english_plural: str
    gender: str
    singular: dict[str, str]
    plural: dict[str, str]
    classes: frozenset[str]

    @property
    def is_mass(self) -> bool:
        """Whether the noun has no plural and takes no indefinite article ("milk")."""
        return not self.plural

    @property
    def is_alive(self) -> bool:
        """Whether the noun names a person or an animal."""
        return not self.classes.isdisjoint(("person", "animal"))


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective: English and German, with comparatives (empty where there is none).

    Args:
        english: "hungry".
        english_comparative: "hungrier" or "more boring".
        german: The predicative form, "hungrig".
        german_comparative: "hungriger".
        stem: What the German endings are attached to ("hoh" for "hoch").
        classes: Classes of nouns that it can describe.
    """

    english: str
    english_comparative: str
    german: str
    german_comparative: str
    stem: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class EnglishVerb:
    """English forms of a verb; ``tail`` follows directly, ``particle`` lets a pronoun go before it."""

    base: str
    third: str
    past: str
    participle: str
    ing: str
    tail: str = ""
    particle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class GermanVerb:
    """German forms of a verb.

    Args:
        infinitive: Without the separable prefix: "stehen".
        prefix: Separable prefix, "auf", or empty.
        reflexive: Whether it takes mich, dich, sich, uns.
        present: Six forms: ich, du, er, wir, ihr, sie.
        past: The same six in the simple past, only for verbs that use it in speech; else empty.
        participle: With the prefix: "aufgestanden".
        auxiliary: "haben" or "sein".
        imperative: The du form: "steh".
    """

    infinitive: str
    prefix: str
    reflexive: bool
    present: tuple[str, ...]
    past: tuple[str, ...]
    participle: str
    auxiliary: str
    imperative: str


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What a verb governs: its kind, who can be its subject and what can be its object.

    Args:
        kind: "i", "a", "d", "da", "dat", "p", "dir", "loc", "pos" and so on (see lexicon_verbs).
        subjects: Classes of subjects.
        objects: Nouns that can be the object.
        preposition: For "p": English preposition, German preposition and its case.
    """

    kind: str
    subjects: tuple[str, ...]
    objects: tuple[Noun, ...] = ()
    preposition: tuple[str, str, str] = ("", "", "")

    @property
    def has_parts(self) -> bool:
        """Whether an object can be a part of something: "the price of the car"."""
        return bool(self.objects) and "part" in self.objects[-1].classes


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb of both languages with its frames.

    Args:
        english: English forms.
        german: German forms.
        aspect: "activity"; "event", which has no progressive; or "state", which has neither that nor a perfect.
        frames: What it can govern.
    """

    english: EnglishVerb
    german: GermanVerb
    aspect: str
    frames: tuple[Frame, ...] = field(default=())

    @property
    def name(self) -> str:
        """English base form with its second word: "get up"."""
        tail = self.english.tail
        return f"{self.english.base} {tail}" if tail else self.english.base


@dataclass(frozen=True, slots=True, eq=False)
class Modal:
    """A modal verb: English base form ("want to"), German present and past by person (past may be empty)."""

    english: str
    present: tuple[str, ...]
    past: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A first name, the same in both languages, with its gender."""

    text: str
    gender: str
    person: int = 2  # of the verb that agrees with it


@dataclass(frozen=True, slots=True, eq=False)
class Adverb:
    """A fixed adverbial in both languages: ("in the evening", "am Abend")."""

    english: str
    german: str
