"""What a sentence says, free of either language's word order: the trees that both sides are read off from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Modal, Name, Noun, Verb

__all__ = [
    "PERSONS",
    "Clause",
    "Comparison",
    "Complement",
    "NounPhrase",
    "Pair",
    "Phrase",
    "Prepositional",
    "Pronoun",
    "Relative",
    "Sentence",
    "Subordinate",
]

# Index of the verb form: ich, du, er, wir, ihr, sie. "you" is one friend: du.
PERSONS = {"I": 0, "you": 1, "he": 2, "she": 2, "it": 2, "we": 3, "they": 5, "who": 2, "what": 2, "there": 2}
_GENDERS = {"he": "m", "she": "f", "it": "n", "they": "p"}


class NounPhrase:
    """A noun with what belongs to it: "the teacher's three old books that he sells".

    Args:
        noun: The noun.
        determiner: "the", "a", "my", "this", "two", ...; empty for none.
        plural: Whether it is plural.
        adjectives: Adjectives before the noun.
        owner: Whose it is: a name, or a noun phrase that becomes a German genitive.
        relative: A relative clause about it.
    """

    __slots__ = ("adjectives", "determiner", "gender", "noun", "owner", "person", "plural", "relative")

    def __init__(
        self,
        noun: Noun,
        determiner: str = "the",
        plural: bool = False,
        adjectives: tuple[Adjective, ...] = (),
        owner: NounPhrase | Name | None = None,
        relative: Clause | None = None,
    ) -> None:
        self.noun = noun
        self.determiner = determiner
        self.plural = plural
        self.adjectives = adjectives
        self.owner = owner
        self.relative = relative
        self.person = 5 if plural else 2
        self.gender = "p" if plural else noun.gender

    @property
    def is_indefinite(self) -> bool:
        """Whether its negation is "kein": an indefinite article, or nothing before the noun."""
        return self.owner is None and self.determiner in ("a", "")


class Pronoun:
    """A personal pronoun, "who", "what", or the "there" of "there is" (German "es gibt").

    Args:
        word: The English nominative.
        gender: German gender of what "it" stands for.
    """

    __slots__ = ("gender", "person", "word")

    def __init__(self, word: str, gender: str = "") -> None:
        self.word = word
        self.person = PERSONS[word]
        self.gender = gender or _GENDERS.get(word, "m")


class Relative:
    """The relative pronoun that stands for a noun phrase inside a clause about it."""

    __slots__ = ("gender", "is_person", "person")

    def __init__(self, head: NounPhrase) -> None:
        self.gender = head.gender
        self.person = head.person
        self.is_person = "person" in head.noun.classes


class Pair:
    """Two phrases joined with "and"."""

    __slots__ = ("first", "gender", "person", "second")

    def __init__(self, first: NounPhrase | Name, second: NounPhrase | Name) -> None:
        self.first = first
        self.second = second
        self.person = 5
        self.gender = "p"


Phrase: TypeAlias = NounPhrase | Pronoun | Relative | Pair | Name


@dataclass(slots=True, eq=False)
class Prepositional:
    """A preposition and its phrase; the German one governs ``case``."""

    english: str
    german: str
    case: str
    phrase: Phrase


@dataclass(slots=True, eq=False)
class Comparison:
    """As in: "older than Peter"; ``equal`` makes it "as old as Peter"."""

    adjective: Adjective
    other: Phrase
    equal: bool = False


@dataclass(slots=True, eq=False)
class Complement:
    """A clause that is an object of the verb.

    Args:
        kind: "that", "whether", "wh" (the question word is the clause's front), "to", "ing" or "in order to".
        clause: The clause; for "to", "ing" and "in order to" its subject is the one of the main clause.
    """

    kind: str
    clause: Clause


@dataclass(slots=True, eq=False)
class Clause:
    """One verb and everything around it, in slots that both languages put in their own order.

    Args:
        subject: Who does it.
        verb: The verb.
        tense: "present", "past", "perfect" or "future".
        modal: A modal verb.
        progressive: "is reading", in German "gerade".
        likes: "likes to read", in German "gern".
        negated: Whether it is negated.
        dative: Recipient, or object of a verb that governs the dative.
        says_to: Whether English puts "to" before the recipient and the recipient last.
        accusative: Direct object.
        oblique: Prepositional object, goal or position.
        predicate: What the subject is or becomes.
        time: When.
        focus: "often", "already", "again", "yet".
        manner: How, with whom or for whom.
        place: Where.
        front: The part that goes first, before the subject.
        complement: A clause as an object.
    """

    subject: Phrase
    verb: Verb
    tense: str = "present"
    modal: Modal | None = None
    progressive: bool = False
    likes: bool = False
    negated: bool = False
    dative: Phrase | None = None
    says_to: bool = False
    accusative: Phrase | None = None
    oblique: Prepositional | Adverb | None = None
    predicate: Adjective | Comparison | NounPhrase | Adverb | None = None
    time: Adverb | None = None
    focus: Adverb | None = None
    manner: Prepositional | Adverb | None = None
    place: Prepositional | Adverb | None = None
    front: Phrase | Prepositional | Adverb | None = None
    complement: Complement | None = None


@dataclass(slots=True, eq=False)
class Subordinate:
    """A subordinate clause with its conjunction in both languages."""

    english: str
    german: str
    clause: Clause


@dataclass(slots=True, eq=False)
class Sentence:
    """A whole sentence.

    Args:
        clause: The main clause.
        mood: "statement", "question", "command" or "proposal" ("let us").
        before: Subordinate clause before it.
        after: Subordinate clause after it.
        conjunction: "and" or "but" before ``joined``, in English.
        joined: A second main clause.
        polite: Whether a command starts with "please".
    """

    clause: Clause
    mood: str = "statement"
    before: Subordinate | None = None
    after: Subordinate | None = None
    conjunction: str = ""
    joined: Sentence | None = None
    polite: bool = False
