"""Random choice of clauses: a verb, what it governs, a tense and the adverbials that go with them."""

from __future__ import annotations

from collections.abc import Callable

from keras_transformer.text.datasets.phrases.choose import PhraseChooser
from keras_transformer.text.datasets.phrases.numbers import in_english, in_german
from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Comparison,
    NounPhrase,
    Pair,
    Phrase,
    Prepositional,
    Pronoun,
)
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Frame, Noun, Verb

__all__ = ["ClauseChooser"]

_MODALS = ("can", "may", "have to", "want to", "should", "would like to")
# Cumulative odds of the kinds of frames.
_KINDS = (
    ("a", 0.52),
    ("i", 0.66),
    ("da", 0.71),
    ("dat", 0.73),
    ("d", 0.78),
    ("p", 0.86),
    ("dir", 0.92),
    ("loc", 0.945),
    ("pos", 0.97),
    ("put", 1.0),
)
_ONLY_OF_PEOPLE = frozenset(("i", "a", "p", "dir"))
_WEAK_LIKES = frozenset(("steal", "rest", "throw", "apologise", "complain", "put", "go"))


class ClauseChooser(PhraseChooser):
    """Draws clauses. ``plain`` clauses are short: they have no adjectives and no adverbials."""

    def verb(self) -> tuple[Verb, Frame]:
        """Draw a verb with one of its frames."""
        draw = self.random()
        for kind, limit in _KINDS:
            if draw < limit:
                return self.pick(self.lexicon.by_kind[kind])
        raise AssertionError

    def action(
        self,
        *,
        verb: tuple[Verb, Frame] | None = None,
        subject: Phrase | None = None,
        plain: bool = False,
    ) -> tuple[Clause, Frame]:
        """Draw a clause in the present with subject and objects, without adverbials."""
        word, frame = verb or self.verb()
        who = subject or self.subject(frame, plain=plain)
        clause = Clause(who, word)
        self._complete(clause, frame, plain)
        return clause, frame

    def _complete(self, clause: Clause, frame: Frame, plain: bool) -> None:
        kind, who = frame.kind, clause.subject
        if kind == "a":
            clause.accusative = self.object(frame, who, plain=plain)
        elif kind in ("da", "dat"):
            clause.dative = self.recipient(who)
            clause.accusative = self.object(frame, who, plain=True)
            clause.says_to = kind == "dat"
        elif kind == "d":
            clause.dative = self.object(frame, who, plain=plain, definite=True)
        elif kind == "p":
            english, german, case = frame.preposition
            clause.oblique = Prepositional(english, german, case, self.object(frame, who, plain=plain, definite=True))
        elif kind == "dir":
            base = clause.verb.english.base
            clause.oblique = self.goal(towns=base in ("travel", "drive", "come"))
        elif kind == "loc":
            clause.oblique = self.at(self.pick(self.lexicon.places_of[clause.verb.english.base]))
        elif kind in ("pos", "put"):
            self._position(clause, frame)

    def _position(self, clause: Clause, frame: Frame) -> None:
        if frame.kind == "put":
            clause.accusative = self.object(frame, clause.subject, plain=True)
            avoid = clause.accusative.noun if isinstance(clause.accusative, NounPhrase) else None
            clause.oblique = self.position("a", avoid=avoid)
        else:
            avoid = clause.subject.noun if isinstance(clause.subject, NounPhrase) else None
            clause.oblique = self.position("d", avoid=avoid)

    def is_person(self, phrase: Phrase) -> bool:
        """Whether a phrase names people."""
        if isinstance(phrase, NounPhrase):
            return "person" in phrase.noun.classes
        return not (isinstance(phrase, Pronoun) and phrase.word in ("it", "what"))

    def inflect(self, clause: Clause, frame: Frame, *, past: bool = True) -> None:
        """Draw tense, modal verb, negation and the adverbials that fit them."""
        aspect = clause.verb.aspect
        if clause.verb.english.base == "have":
            past_odds, perfect_odds = 0.15, 0.0
        elif aspect == "state":
            past_odds, perfect_odds = 0.0, 0.0
        else:
            past_odds, perfect_odds = 0.13, 0.22
        draw = self.random()
        if draw < past_odds and past:
            clause.tense = "past"
            clause.time = self.time("past")
        elif draw < past_odds + perfect_odds:
            self._perfect(clause)
        elif draw < past_odds + perfect_odds + 0.12:
            clause.tense = "future"
            if self.chance(0.6):
                clause.time = self.time("future")
        elif aspect != "state" and self.is_person(clause.subject) and draw > 0.8:
            self._modal(clause, past)
        else:
            self._present(clause, frame)
        if clause.focus is None and not clause.negated and not _is_every(clause.subject):
            clause.negated = self.chance(0.13)

    def _perfect(self, clause: Clause) -> None:
        clause.tense = "perfect"
        draw = self.random()
        if draw < 0.25:
            clause.focus = self.focus("already")
        elif draw < 0.4:
            clause.focus = self.pick((self.focus("often"), self.focus("never"), self.focus("again")))
        elif draw < 0.48:
            clause.focus, clause.negated = self.focus("yet"), True

    def focus(self, english: str) -> Adverb:
        """Return a frequency or focus adverb by its English name."""
        return self.lexicon.focus[english]

    def _modal(self, clause: Clause, past: bool) -> None:
        clause.modal = self.lexicon.modals[self.pick(_MODALS)]
        if past and clause.modal.past and clause.modal.english != "may" and self.chance(0.2):
            clause.tense, clause.time = "past", self.time("past")
        elif self.chance(0.25):
            clause.time = self.time("present")

    def _present(self, clause: Clause, frame: Frame) -> None:
        draw = self.random()
        activity = clause.verb.aspect == "activity" and self.is_person(clause.subject)
        if activity and draw < 0.17:
            clause.progressive = True
        elif activity and draw < 0.27 and frame.kind in _ONLY_OF_PEOPLE:
            self._like(clause)
        elif clause.verb.aspect != "state" and draw < 0.5:
            clause.focus = self.pick(self.lexicon.adverbs["frequency"])
        elif clause.verb.aspect != "state" and draw < 0.75:
            clause.time = self.time("present")

    def _like(self, clause: Clause) -> None:
        if clause.verb.english.base in _WEAK_LIKES:
            return
        clause.likes = True
        thing = clause.accusative
        if isinstance(thing, NounPhrase) and not thing.noun.is_alive and "building" not in thing.noun.classes:
            clause.accusative = NounPhrase(thing.noun, "", not thing.noun.is_mass, thing.adjectives)

    def adverbials(self, clause: Clause) -> None:
        """Draw manner, place or means of transport where they suit the verb."""
        english = clause.verb.english
        name = f"{english.base} {english.tail}".strip()
        manners = self.lexicon.manners_of.get(name)
        indefinite = isinstance(clause.accusative, NounPhrase) and clause.accusative.is_indefinite
        if manners and not indefinite and clause.focus is None and self.chance(0.2):
            clause.manner = self.pick(manners)
        elif name == "travel" and self.chance(0.35):
            clause.manner = self.pick(self.lexicon.adverbs["vehicle"])
        places = self.lexicon.places_of.get(name)
        if places and clause.oblique is None and clause.manner is None and self.chance(0.3):
            clause.place = self.at(self.pick(places))

    def statement(self, *, plain: bool = False) -> Clause:
        """Draw a full clause."""
        if self.chance(0.16):
            return self.description(plain=plain)
        clause, frame = self.action(plain=plain)
        self.inflect(clause, frame)
        if not plain:
            self.adverbials(clause)
        return clause

    def description(self, *, subject: Phrase | None = None, plain: bool = False) -> Clause:
        """Draw what someone or something is, looks like or becomes."""
        draw = self.random()
        make: Callable[[Phrase | None], Clause]
        if draw < 0.5:
            make = self._is_adjective
        elif draw < 0.68:
            make = self._is_compared
        elif draw < 0.78:
            make = self._is_job
        elif draw < 0.88:
            make = self._looks
        elif draw < 0.94:
            make = self._age
        else:
            make = self._price
        clause = make(subject)
        if clause.tense == "present" and clause.focus is None and make is not self._is_job:
            clause.negated = not _is_every(clause.subject) and self.chance(0.12)
        return clause

    def _thing(self) -> Noun:
        nouns = self.lexicon.describable
        return self.pick(nouns)

    def state_of(self, phrase: Phrase) -> Adjective:
        """Draw an adjective that fits a phrase."""
        if isinstance(phrase, NounPhrase):
            return self.pick(self.lexicon.fitting[phrase.noun])
        return self.pick(self.lexicon.of_people)

    def _be(self, subject: Phrase) -> Clause:
        return Clause(subject, self.lexicon.by_kind["be"][0][0])

    def _anyone(self) -> Phrase:
        if self.chance(0.45):
            return self.subject(self.lexicon.by_kind["be"][0][1])
        return self.noun_phrase(self._thing(), definite=True, plain=self.chance(0.6))

    def _is_adjective(self, subject: Phrase | None) -> Clause:
        clause = self._be(subject or self._anyone())
        clause.predicate = self.state_of(clause.subject)
        draw = self.random()
        if draw < 0.2:
            clause.tense = "past"
        elif draw < 0.28:
            clause.tense = "future"
        elif draw < 0.4:
            clause.focus = self.pick(self.lexicon.adverbs["frequency"])
        return clause

    def _is_compared(self, subject: Phrase | None) -> Clause:
        clause = self._be(subject or self._anyone())
        for _ in range(8):
            adjective = self.state_of(clause.subject)
            if adjective.german_comparative:
                break
        else:
            clause.predicate = adjective
            return clause
        who = clause.subject
        if isinstance(who, NounPhrase) and "person" not in who.noun.classes:
            other: Phrase = self._other_thing(who.noun, adjective)
        else:
            other = self.person(plain=True)
            if other is who or _same_noun(other, who):
                other = self.pick(self.lexicon.names)
        if other is who or (isinstance(other, Pair) and who in (other.first, other.second)):
            clause.predicate = adjective
            return clause
        clause.predicate = Comparison(adjective, other, equal=self.chance(0.3))
        return clause

    def _other_thing(self, noun: Noun, adjective: Adjective) -> NounPhrase:
        candidates = self.lexicon.described_by[adjective]
        other = self.pick(candidates)
        for _ in range(10):
            if other is not noun and not other.classes.isdisjoint(noun.classes):
                break
            other = self.pick(candidates)
        return self.noun_phrase(other, plain=True, definite=True)

    def _male_or_female(self) -> Phrase:
        if self.chance(0.4):
            return self.pick(self.lexicon.names)
        if self.chance(0.5):
            return Pronoun(self.pick(("he", "she")))
        return NounPhrase(self.pick(self.lexicon.by_class["family"]), self.pick(("my", "your", "his", "her")))

    def _is_job(self, subject: Phrase | None) -> Clause:
        who = self._male_or_female()
        jobs = self.lexicon.jobs[who.gender]
        job = self.pick(jobs)
        if self.chance(0.5):
            clause = self._be(who)
            clause.predicate = NounPhrase(job, "a", adjectives=(self.pick(self.lexicon.fitting[job]),))
            return clause
        clause = self._be(who) if self.chance(0.5) else Clause(who, self.lexicon.by_kind["become"][0][0])
        article = "an" if job.english[0] in "aeiou" else "a"
        clause.predicate = Adverb(f"{article} {job.english}", job.singular["n"])
        if clause.verb.english.base == "become":
            if self.chance(0.5):
                clause.tense = "future"
            else:
                clause.modal = self.lexicon.modals[self.pick(("want to", "would like to", "can"))]
        else:
            clause.focus = None
            clause.tense = "past" if self.chance(0.25) else "present"
        return clause

    def _looks(self, subject: Phrase | None) -> Clause:
        who = subject or self.subject(self.lexicon.by_kind["be"][0][1])
        clause = Clause(who, self.lexicon.by_kind["look"][0][0])
        clause.predicate = self.pick(self.lexicon.looks)
        return clause

    def _age(self, subject: Phrase | None) -> Clause:
        clause = self._be(self._male_or_female())
        years = 2 + int(self.random() * 97)
        clause.predicate = Adverb(f"{in_english(years)} years old", f"{in_german(years)} Jahre alt")
        return clause

    def _price(self, subject: Phrase | None) -> Clause:
        noun = self.pick(self.lexicon.sold)
        clause = Clause(self.noun_phrase(noun, definite=True, plain=True), self.lexicon.by_kind["cost"][0][0])
        euros = int(2 + self.random() * 98) if self.chance(0.6) else 100 * int(1 + self.random() * 9)
        clause.predicate = Adverb(f"{in_english(euros)} euros", f"{in_german(euros)} Euro")
        return clause


def _is_every(phrase: Phrase) -> bool:
    return isinstance(phrase, NounPhrase) and phrase.determiner in ("every", "all", "many", "some")


def _same_noun(one: Phrase, other: Phrase) -> bool:
    return isinstance(one, NounPhrase) and isinstance(other, NounPhrase) and one.noun is other.noun
