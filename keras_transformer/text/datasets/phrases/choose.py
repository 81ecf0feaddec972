"""Random choice of noun phrases and adverbials that make sense."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from keras_transformer.text.datasets.phrases.lexicon import Lexicon, load_lexicon
from keras_transformer.text.datasets.phrases.numbers import CLOCK_TIMES, COUNTS
from keras_transformer.text.datasets.phrases.tree import NounPhrase, Pair, Phrase, Prepositional, Pronoun
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Frame, Name, Noun, Place

__all__ = ["PhraseChooser"]

Item = TypeVar("Item")

_POSSESSIVES = ("my", "your", "his", "her", "our", "their")
_OWNABLE = frozenset(
    [
        "family",
        "friend",
        "pet",
        "food",
        "drink",
        "text",
        "mail",
        "show",
        "object",
        "clothing",
        "vehicle",
        "furniture",
        "home",
        "idea",
        "slip",
        "device",
    ]
)
_SUBJECT_PRONOUNS = ("I", "you", "he", "she", "we", "they")
_OBJECT_PRONOUNS = {
    "I": ("you", "he", "she", "they"),
    "you": ("I", "he", "she", "we", "they"),
    "we": ("you", "he", "she", "they"),
}
_THIRD_PERSON_OBJECTS = ("I", "you", "he", "she", "we", "they")
# Cumulative odds of a determiner. "owner" stands for a genitive, "count" for a number.
_SINGULAR = (("the", 0.42), ("a", 0.70), ("own", 0.86), ("this", 0.94), ("owner", 1.0))
_PLURAL = (("the", 0.40), ("", 0.52), ("own", 0.66), ("this", 0.74), ("many", 0.82), ("some", 0.89), ("count", 1.0))
_MASS = (("the", 0.45), ("", 0.80), ("own", 0.90), ("this", 0.95), ("owner", 1.0))


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

    def _determiner(self, table: tuple[tuple[str, float], ...]) -> str:
        draw = self.random()
        for word, limit in table:
            if draw < limit:
                return word
        return "the"

    def adjectives(self, noun: Noun, odds: float = 0.3) -> tuple[Adjective, ...]:
        """Return no adjective or one that can describe the noun."""
        fitting = self.lexicon.fitting[noun]
        return (self.pick(fitting),) if fitting and self.chance(odds) else ()

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
        if "sky" in classes:
            return NounPhrase(noun, "the")
        plural = not noun.is_mass and self.chance(0.22)
        if "family" in classes:
            determiner = "own" if plural or self.chance(0.85) else "owner"
        else:
            determiner = self._determiner(_MASS if noun.is_mass else _PLURAL if plural else _SINGULAR)
        if determiner in ("own", "owner") and classes.isdisjoint(_OWNABLE):
            determiner = "the"
        if definite and determiner in ("a", "", "count"):
            determiner = "the"
        if plain and determiner == "owner":
            determiner = "own"
        adjectives = () if plain else self.adjectives(noun, 0.1 if determiner == "owner" else 0.3)
        if determiner == "owner":
            return NounPhrase(noun, "", plural, adjectives, owner=self.owner())
        if determiner == "own":
            determiner = self.pick(_POSSESSIVES)
        elif determiner == "count":
            determiner = self.pick(COUNTS)
        return NounPhrase(noun, determiner, plural, adjectives)

    def owner(self) -> NounPhrase | Name:
        """Draw whose something is: a name or a person."""
        if self.chance(0.5):
            return self.pick(self.lexicon.names)
        noun = self.pick(self.lexicon.by_class["person"])
        if "family" in noun.classes:
            return NounPhrase(noun, self.pick(_POSSESSIVES))
        return NounPhrase(noun, "the")

    def person(self, *, plain: bool = False) -> Phrase:
        """Draw a person as a noun phrase or a name, now and then two."""
        draw = self.random()
        if draw < 0.25:
            return self.pick(self.lexicon.names)
        if draw < 0.29:
            first, second = self.pick(self.lexicon.names), self.pick(self.lexicon.names)
            return first if first is second else Pair(first, second)
        return self.noun_phrase(self.pick(self.lexicon.by_class["person"]), plain=plain, definite=True)

    def subject(self, frame: Frame, *, plain: bool = False) -> Phrase:
        """Draw the subject of a verb with this frame."""
        if frame.subjects[0] == "person" and (len(frame.subjects) == 1 or self.chance(0.75)):
            if self.chance(0.4):
                return Pronoun(self.pick(_SUBJECT_PRONOUNS))
            return self.person(plain=plain)
        nouns = self.lexicon.by_class[self.pick(frame.subjects)]
        return self.noun_phrase(self.pick(nouns), plain=plain, definite=True)

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
                if name is not subject:
                    return name
        phrase = self.noun_phrase(noun, plain=plain, definite=definite)
        if isinstance(subject, NounPhrase) and subject.noun is noun:
            return self.object_pronoun(subject)
        return phrase

    def recipient(self, subject: Phrase) -> Phrase:
        """Draw a person to whom something is given."""
        if self.chance(0.4):
            return self.object_pronoun(subject)
        if self.chance(0.3):
            name = self.pick(self.lexicon.names)
            if name is not subject:
                return name
        noun = self.pick(self.lexicon.by_class["person"])
        if isinstance(subject, NounPhrase) and subject.noun is noun:
            return self.object_pronoun(subject)
        return self.noun_phrase(noun, plain=True, definite=True)

    def at(self, place: Place | Adverb) -> Prepositional | Adverb:
        """Make a place an adverbial of being there."""
        if isinstance(place, Adverb):
            return place
        return Prepositional(place.english, place.german, "d", NounPhrase(place.noun, "the"))

    def goal(self, *, towns: bool) -> Prepositional | Adverb:
        """Draw where to go: into town or to another town."""
        if towns and self.chance(0.6):
            return self.pick(self.lexicon.towns)
        if self.chance(0.12):
            return self.pick(self.lexicon.fixed_goals)
        place = self.pick(self.lexicon.places)
        case = "d" if place.goal == "zu" else "a"
        return Prepositional("to", place.goal, case, NounPhrase(place.noun, "the"))

    def position(self, case: str, *, avoid: Noun | None = None) -> Prepositional:
        """Draw a position next to, on, under or in something; German dative where it is, accusative where it goes."""
        noun, prepositions = self.pick(self.lexicon.anchors)
        while noun is avoid:
            noun, prepositions = self.pick(self.lexicon.anchors)
        english, german = self.pick(prepositions)
        return Prepositional(english, german, case, NounPhrase(noun, "the"))

    def time(self, tense: str) -> Adverb:
        """Draw a time that agrees with the tense: "present", "future" or "past"."""
        if tense != "past" and self.chance(0.2):
            time = self.pick(CLOCK_TIMES)
            return Adverb(f"at {time.english}", f"um {time.german}")
        return self.pick(self.lexicon.adverbs[tense])
