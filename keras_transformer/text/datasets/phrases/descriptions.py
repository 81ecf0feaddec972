"""Random choice of clauses that say what someone or something is, looks like, becomes or costs."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.choose import is_person, same_noun
from keras_transformer.text.datasets.phrases.clauses import ClauseChooser
from keras_transformer.text.datasets.phrases.numbers import in_english, in_german
from keras_transformer.text.datasets.phrases.tree import Clause, Comparison, NounPhrase, Pair, Phrase, Pronoun
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Noun

__all__ = ["DescriptionChooser"]

_CHANGES = frozenset(("famous", "rich", "tired", "ill", "angry", "happy", "healthy", "old", "hungry"))
_AGES = {"son": (2, 40), "daughter": (2, 40), "grandfather": (55, 99), "grandmother": (55, 99)}
_PARENTS = (30, 70)


class DescriptionChooser(ClauseChooser):
    """Draws descriptions with to be, become, look and cost."""

    def statement(self, *, plain: bool = False) -> Clause:
        """Draw an action or a description."""
        return self.description() if self.chance(0.16) else self.happening(plain=plain)

    def description(self) -> Clause:
        """Draw what someone or something is, looks like or becomes."""
        draw = self.random()
        if draw < 0.45:
            clause = self._is_adjective()
        elif draw < 0.63:
            clause = self._is_compared()
        elif draw < 0.73:
            return self._is_job()
        elif draw < 0.8:
            clause = self._becomes()
        elif draw < 0.9:
            clause = self._looks()
        elif draw < 0.95:
            clause = self._age()
        else:
            clause = self._price()
        if clause.tense == "present" and clause.focus is None and self._can_be_negated(clause):
            clause.negated = self.chance(0.12)
        return clause

    def be(self, subject: Phrase) -> Clause:
        """Return a clause with "to be", to be completed."""
        return Clause(subject, self.lexicon.by_kind["be"][0][0])

    def state_of(self, phrase: Phrase) -> Adjective:
        """Draw an adjective that fits a phrase."""
        if isinstance(phrase, NounPhrase):
            return self.pick(self.lexicon.fitting[phrase.noun])
        return self.pick(self.lexicon.of_people)

    def someone(self) -> Phrase:
        """Draw a person whose pronoun is certain."""
        frame = self.lexicon.by_kind["be"][0][1]
        while True:
            phrase = self.subject(frame, plain=True)
            if not isinstance(phrase, NounPhrase) or phrase.noun.gender != "n":
                return phrase

    def _anyone(self) -> Phrase:
        if self.chance(0.35):
            return self.subject(self.lexicon.by_kind["be"][0][1])
        noun = self.pick(self.lexicon.describable)
        return self.noun_phrase(noun, definite=True, plain=self.chance(0.6))

    def _is_adjective(self) -> Clause:
        clause = self.be(self._anyone())
        clause.predicate = self._new_state(clause.subject)
        draw = self.random()
        if draw < 0.2:
            clause.tense = "past"
        elif draw < 0.28:
            clause.tense = "future"
        elif draw < 0.5 and clause.predicate in self.lexicon.moods:
            clause.focus = self.pick(self.lexicon.adverbs["frequency"])
        return clause

    def _new_state(self, phrase: Phrase) -> Adjective:
        """Draw an adjective that the phrase does not have already."""
        if not isinstance(phrase, NounPhrase) or not phrase.adjectives:
            return self.state_of(phrase)
        fitting = self.lexicon.fitting[phrase.noun]
        others = [state for state in fitting if state not in phrase.adjectives]
        return self.pick(others or fitting)

    def _is_compared(self) -> Clause:
        clause = self.be(self._anyone())
        who = clause.subject
        adjective = self._new_state(who)
        for _ in range(8):
            if adjective.german_comparative:
                break
            adjective = self._new_state(who)
        other = self._compared_with(who, adjective)
        if adjective.german_comparative and other is not None:
            clause.predicate = Comparison(adjective, other, equal=self.chance(0.3))
        else:
            clause.predicate = adjective
        return clause

    def _compared_with(self, who: Phrase, adjective: Adjective) -> Phrase | None:
        if isinstance(who, NounPhrase) and not is_person(who):
            return self._other_thing(who.noun, adjective)
        other = self.person(plain=True)
        if other is who or same_noun(other, who) or isinstance(who, Pair) or isinstance(other, Pair):
            return None
        return other

    def _other_thing(self, noun: Noun, adjective: Adjective) -> NounPhrase | None:
        candidates = self.lexicon.described_by[adjective]
        for _ in range(12):
            other = self.pick(candidates)
            if other is not noun and other.classes & noun.classes and not other.classes & {"part", "person"}:
                return self.noun_phrase(other, plain=True, definite=True)
        return None

    def _man_or_woman(self) -> Phrase:
        if self.chance(0.4):
            return self.pick(self.lexicon.names)
        if self.chance(0.5):
            return Pronoun(self.pick(("he", "she")))
        return NounPhrase(self.pick(self.lexicon.by_class["family"]), self.pick(("my", "your", "his", "her")))

    def _is_job(self) -> Clause:
        who = self._man_or_woman()
        job = self.pick(self.lexicon.jobs[who.gender])
        if self.chance(0.4):
            clause = self.be(who)
            skills = [skill for skill in self.lexicon.fitting[job] if skill in self.lexicon.skills]
            clause.predicate = NounPhrase(job, "a", adjectives=(self.pick(skills),))
            clause.negated = self.chance(0.15)
            return clause
        article = "an" if job.english[0] in "aeiou" else "a"
        name = Adverb(f"{article} {job.english}", job.singular["n"])  # German names a profession without article
        if self.chance(0.5):
            clause = self.be(who)
            clause.tense = "past" if self.chance(0.25) else "present"
        else:
            clause = Clause(who, self.lexicon.by_kind["become"][0][0])
            if self.chance(0.5):
                clause.tense = "future"
            else:
                clause.modal = self.lexicon.modals[self.pick(("want to", "would like to", "can"))]
        clause.predicate = name
        return clause

    def _becomes(self) -> Clause:
        clause = Clause(self.someone(), self.lexicon.by_kind["become"][0][0])
        clause.predicate = self.pick([state for state in self.lexicon.of_people if state.english in _CHANGES])
        clause.tense = self.pick(("perfect", "future", "future"))
        return clause

    def _looks(self) -> Clause:
        clause = Clause(self.subject(self.lexicon.by_kind["be"][0][1]), self.lexicon.by_kind["look"][0][0])
        clause.predicate = self.pick(self.lexicon.looks)
        while isinstance(clause.subject, NounPhrase) and clause.predicate in clause.subject.adjectives:
            clause.predicate = self.pick(self.lexicon.looks)
        return clause

    def _age(self) -> Clause:
        clause = self.be(self._man_or_woman())
        who = clause.subject
        low, high = _AGES.get(who.noun.english, _PARENTS) if isinstance(who, NounPhrase) else (2, 99)
        years = low + int(self.random() * (high - low + 1))
        clause.predicate = Adverb(f"{in_english(years)} years old", f"{in_german(years)} Jahre alt")
        return clause

    def _price(self) -> Clause:
        thing = self.noun_phrase(self.pick(self.lexicon.sold), definite=True, plain=True)
        clause = Clause(thing, self.lexicon.by_kind["cost"][0][0])
        euros = 2 + int(self.random() * 98) if self.chance(0.6) else 100 * (1 + int(self.random() * 9))
        clause.predicate = Adverb(f"{in_english(euros)} euros", f"{in_german(euros)} Euro")
        return clause
