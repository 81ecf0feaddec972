"""Random choice of noun phrases and adverbials that make sense."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from keras_transformer.text.datasets.phrases.lexicon import Lexicon, load_lexicon
from keras_transformer.text.datasets.phrases.numbers import CLOCK_TIMES, COUNTS, ago_or_in
from keras_transformer.text.datasets.phrases.tree import NounPhrase, Pair, Phrase, Pronoun
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Frame, Name, Noun

__all__ = ["PhraseChooser", "is_person", "same_noun"]

Item = TypeVar("Item")

_POSSESSIVES = ("my", "your", "his", "her", "our", "their")
_OWNABLE = frozenset(
    (
        *("family", "friend", "pet", "food", "drink", "text", "mail", "show", "object", "clothing", "vehicle"),
        *("furniture", "home", "idea", "slip", "device", "money"),
    )
)
_DEFINITE = frozenset(("room", "opening", "area"))  # "cleans the kitchen", not "cleans a kitchen"
_SUBJECT_PRONOUNS = ("I", "you", "he", "she", "we", "they")
_OBJECT_PRONOUNS = {
    "I": ("you", "he", "she", "they"),
    "you": ("I", "he", "she", "we", "they"),
    "we": ("you", "he", "she", "they"),
}
_THIRD_PERSON_OBJECTS = ("I", "you", "he", "she", "we", "they")
# Determiners with their cumulative odds. "own" is a possessive, "owner" a genitive, "count" a number.
_Odds = tuple[tuple[str, float], ...]
_SINGULAR: _Odds = (("the", 0.42), ("a", 0.70), ("own", 0.86), ("this", 0.94), ("owner", 1.0))
_PLURAL: _Odds = (
    ("the", 0.40),
    ("", 0.52),
    ("own", 0.66),
    ("this", 0.74),
    ("many", 0.82),
    ("some", 0.89),
    ("count", 1.0),
)
_MASS: _Odds = (("the", 0.45), ("", 0.80), ("own", 0.90), ("this", 0.95), ("owner", 1.0))


def is_person(phrase: Phrase) -> bool:
    """Whether a phrase names people."""
    if isinstance(phrase, NounPhrase):
        return "person" in phrase.noun.classes
    return not (isinstance(phrase, Pronoun) and phrase.word in ("it", "what", "there"))


def same_noun(one: Phrase, other: Phrase) -> bool:
    """Whether two phrases are built on the same noun."""
    return isinstance(one, NounPhrase) and isinstance(other, NounPhrase) and one.noun is other.noun


class PhraseChooser:
    """Draws phrases from the lexicon with one random generator.

    Args:
        rng: The source of randomness.
    """

    def __init__(self, rng: random.Random) -> None:
        self.random = rng.random
        self.lexicon: Lexicon = load_lexicon()

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one item, all equally likely."""
        return items[int(self.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random() < probability

    def _drawn(self, odds: _Odds) -> str:
        draw = self.random()
        for word, limit in odds:
            if draw < limit:
                return word
        return odds[-1][0]

    def adjectives(self, noun: Noun, odds: float = 0.35) -> tuple[Adjective, ...]:
        """Return no adjective or one that can describe the noun."""
        fitting = self.lexicon.fitting[noun]
        return (self.pick(fitting),) if fitting and self.chance(odds) else ()

    def _determiner(self, noun: Noun, plural: bool, plain: bool, definite: bool) -> str:
        classes = noun.classes
        if "family" in classes:
            determiner = "own" if plural or self.chance(0.85) else "owner"
        else:
            determiner = self._drawn(_MASS if noun.is_mass else _PLURAL if plural else _SINGULAR)
        if determiner in ("own", "owner"):
            if not classes & _OWNABLE:
                return "the"
            return "own" if plain else determiner
        if determiner in ("a", "", "count") and (definite or classes & _DEFINITE):
            return "the"
        return determiner

    def noun_phrase(self, noun: Noun, *, plain: bool = False, definite: bool = False) -> NounPhrase:
        """Draw determiner, number and adjectives for a noun.

        Args:
            noun: The noun.
            plain: Keep it short: no adjective, no owner.
            definite: No indefinite article, no bare noun (subjects and the like).

        Returns:
            The phrase.
        """
        classes = noun.classes
        if "part" in classes:
            return NounPhrase(noun, "the", owner=NounPhrase(self.pick(self.lexicon.parts[noun]), "the"))
        plural = not noun.is_mass and "single" not in classes and self.chance(0.22)
        determiner = self._determiner(noun, plural, plain, definite)
        odds = 0.1 if determiner == "owner" else 0.2 if "person" in classes else 0.35
        adjectives = () if plain else self.adjectives(noun, odds)
        if determiner == "owner":
            return NounPhrase(noun, "", plural, adjectives, owner=self.owner(noun))
        if determiner == "own":
            determiner = self.pick(_POSSESSIVES)
        elif determiner == "count":
            determiner = self.pick(COUNTS)
        return NounPhrase(noun, determiner, plural, adjectives)

    def owner(self, noun: Noun) -> NounPhrase | Name:
        """Draw whose something is: a name or a person."""
        if self.chance(0.5):
            return self.pick(self.lexicon.names)
        person = self.pick(self.lexicon.by_class["person"])
        if person is noun or ("family" in noun.classes and "kid" in person.classes):
            return self.pick(self.lexicon.names)
        return NounPhrase(person, self.pick(_POSSESSIVES) if "family" in person.classes else "the")

    def person(self, *, plain: bool = False) -> Phrase:
        """Draw a person as a noun phrase or a name, now and then two."""
        draw = self.random()
        if draw < 0.3:
            return self.pick(self.lexicon.names)
        if draw < 0.34:
            first, second = self.pick(self.lexicon.names), self.pick(self.lexicon.names)
            return first if first is second else Pair(first, second)
        return self.noun_phrase(self.pick(self.lexicon.by_class["person"]), plain=plain, definite=True)

    def subject(self, frame: Frame, *, plain: bool = False) -> Phrase:
        """Draw the subject of a verb with this frame."""
        if frame.subjects[0] == "person" and (len(frame.subjects) == 1 or self.chance(0.75)):
            if self.chance(0.45):
                return Pronoun(self.pick(_SUBJECT_PRONOUNS))
            phrase = self.person(plain=plain)
        else:
            nouns = self.lexicon.by_class[self.pick(frame.subjects)]
            phrase = self.noun_phrase(self.pick(nouns), plain=plain, definite=True)
        if isinstance(phrase, NounPhrase) and phrase.determiner == "the" and self.chance(0.08):
            return self._of_all(phrase)
        return phrase

    def _of_all(self, phrase: NounPhrase) -> NounPhrase:
        noun = phrase.noun
        if noun.is_mass or phrase.owner is not None or noun.classes & {"part"}:
            return phrase
        return NounPhrase(noun, "all" if phrase.plural else "every", phrase.plural, phrase.adjectives)

    def object_pronoun(self, subject: Phrase) -> Pronoun:
        """Draw a personal pronoun that the subject is not."""
        word = subject.word if isinstance(subject, Pronoun) else ""
        return Pronoun(self.pick(_OBJECT_PRONOUNS.get(word, _THIRD_PERSON_OBJECTS)))

    def object(self, frame: Frame, subject: Phrase, *, plain: bool = False, definite: bool = False) -> Phrase:
        """Draw an object of a verb with this frame."""
        noun = self.pick(frame.objects)
        if "person" in noun.classes:
            draw = self.random()
            if draw < 0.3:
                return self.object_pronoun(subject)
            if draw < 0.45:
                name = self.pick(self.lexicon.names)
                if name is not subject and not isinstance(subject, Pair):
                    return name
        if isinstance(subject, NounPhrase) and subject.noun is noun:
            return self._something_else(frame, noun, plain, definite)
        return self.noun_phrase(noun, plain=plain, definite=definite)

    def _something_else(self, frame: Frame, noun: Noun, plain: bool, definite: bool) -> Phrase:
        if len(frame.objects) == 1:
            return Pronoun("they")
        other = self.pick(frame.objects)
        while other is noun:
            other = self.pick(frame.objects)
        return self.noun_phrase(other, plain=plain, definite=definite)

    def somebody_else(self, subject: Phrase) -> Phrase:
        """Draw a person who is not the subject: a recipient or a companion."""
        if self.chance(0.4):
            return self.object_pronoun(subject)
        if self.chance(0.3) and not isinstance(subject, Pair):
            name = self.pick(self.lexicon.names)
            if name is not subject:
                return name
        noun = self.pick(self.lexicon.by_class["person"])
        if isinstance(subject, NounPhrase) and subject.noun is noun:
            return self.object_pronoun(subject)
        return self.noun_phrase(noun, plain=True, definite=True)

    def time(self, tense: str) -> Adverb:
        """Draw a time that agrees with the tense: "present", "future" or "past"."""
        draw = self.random()
        if tense == "past":
            return ago_or_in(draw * 4) if draw < 0.25 else self.pick(self.lexicon.adverbs["past"])
        if draw < 0.2:
            time = self.pick(CLOCK_TIMES)
            return Adverb(f"at {time.english}", f"um {time.german}")
        if tense == "future" and draw < 0.3:
            return ago_or_in((draw - 0.2) * 10, ago=False)
        return self.day(tense)

    def day(self, tense: str) -> Adverb:
        """Draw a day, a season or the like that agrees with the tense."""
        return self.pick(self.lexicon.adverbs[tense])
