"""Random choice of whole sentences: one method per construction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from keras_transformer.text.datasets.phrases.choose import same_noun
from keras_transformer.text.datasets.phrases.lexicon_other import UNWELCOMING
from keras_transformer.text.datasets.phrases.numbers import CLOCK_TIMES, COUNTS
from keras_transformer.text.datasets.phrases.questions import QuestionChooser
from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Complement,
    NounPhrase,
    Phrase,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)
from keras_transformer.text.datasets.phrases.words import Frame, Verb

__all__ = ["CONSTRUCTIONS", "SentenceChooser"]

_TEMPORAL = (("if", "wenn"), ("while", "während"), ("before", "bevor"), ("until", "bis"), ("as soon as", "sobald"))
_UNWELCOMING = frozenset(UNWELCOMING.split())
_NO_AIM = frozenset(("get up", "wake up", "come back", "arrive", "stay"))
_UNTIL = frozenset(("work", "sleep", "stay", "wait", "dance", "rest", "read", "play", "learn", "look for"))

# Construction -> share in percent.
CONSTRUCTIONS = {
    "simple": 38.0,
    "fronted": 12.0,
    "question": 8.0,
    "wh_question": 8.0,
    "command": 3.0,
    "subordinate": 10.0,
    "content": 6.0,
    "relative": 4.0,
    "infinitive": 4.0,
    "exists": 2.0,
    "clock_time": 0.5,
    "weather": 1.0,
    "joined": 3.5,
}


_TOTAL = sum(CONSTRUCTIONS.values())
_LIMITS = tuple(zip(CONSTRUCTIONS, (share / _TOTAL for share in accumulate(CONSTRUCTIONS.values())), strict=True))


class SentenceChooser(QuestionChooser):
    """Draws sentences; ``CONSTRUCTIONS`` lists what it can make and how often."""

    def sentence(self) -> Sentence:
        """Draw a construction, then a sentence of it."""
        draw = self.random()
        name = next(name for name, limit in _LIMITS if draw < limit)
        make: Callable[[], Sentence] = getattr(self, name)
        return make()

    def simple(self) -> Sentence:
        """One clause: "The teacher reads a book in the garden."."""
        return Sentence(self.statement())

    def fronted(self) -> Sentence:
        """Time or place first, so that German inverts: "Tomorrow my brother will sell his car."."""
        clause, frame = self.action()
        self.inflect(clause, frame)
        self.adverbials(clause)
        if clause.time is None and clause.place is None:
            if clause.progressive or clause.likes or clause.tense == "perfect" or clause.verb.aspect == "state":
                return Sentence(clause)
            clause.time = self.time(clause.tense)
            clause.focus = None
        clause.front = clause.place if clause.time is None else clause.time
        return Sentence(clause)

    def again(self, phrase: Phrase) -> Pronoun:
        """Return the pronoun for someone named before."""
        if isinstance(phrase, Pronoun):
            return phrase
        return Pronoun({"m": "he", "f": "she"}.get(phrase.gender, "they"))

    def _main(self, *, verb: tuple[Verb, Frame]) -> Clause:
        clause, _ = self.action(verb=verb, subject=self.someone(), plain=True)
        draw = self.random()
        if verb[0].aspect == "state":
            return clause
        if draw < 0.25:
            clause.tense = "perfect"
        elif draw < 0.4:
            clause.tense = "future"
        elif draw < 0.55 and self._can_be_meant(clause):
            clause.modal = self.lexicon.modals[self.pick(("can", "have to", "want to", "should"))]
        return clause

    def subordinate(self) -> Sentence:
        """A subordinate clause after the main clause or, one time in three, before it."""
        if self.chance(0.4):
            return self._temporal()
        main = self._main(verb=self.verb_of_will())
        thing = main.accusative
        if self._explains(main, thing):
            assert isinstance(thing, NounPhrase)
            return self._because_of(main, thing)
        conjunction = self.pick((("because", "weil"), ("because", "weil"), ("although", "obwohl")))
        reason = self._reason(main)
        if self.chance(0.65):
            return Sentence(main, after=Subordinate(*conjunction, reason))
        reason.subject, main.subject = main.subject, reason.subject
        return Sentence(main, before=Subordinate(*conjunction, reason))

    def _explains(self, main: Clause, thing: Phrase | None) -> bool:
        if not isinstance(thing, NounPhrase) or main.verb.aspect == "event" or main.dative is not None:
            return False
        return not thing.noun.is_alive and bool(self.lexicon.reasons[thing.noun]) and self.chance(0.6)

    def _because_of(self, main: Clause, thing: NounPhrase) -> Sentence:
        """Something about the thing: "He sells the car because it is old.", "... although it is beautiful."."""
        clause = self.be(Pronoun("they" if thing.plural else "it", thing.gender))
        state = self.pick(self.lexicon.reasons[thing.noun])
        clause.predicate = state
        clause.tense = "past" if main.tense == "perfect" else "present"
        clause.negated = self.chance(0.15)
        unwelcoming = main.verb.english.base in _UNWELCOMING
        fits = (state in self.lexicon.welcome) ^ clause.negated ^ unwelcoming
        english, german = ("because", "weil") if fits else ("although", "obwohl")
        return Sentence(main, after=Subordinate(english, german, clause))

    def _reason(self, main: Clause) -> Clause:
        """Something about the person: "because she is tired", "because she has to work"."""
        who = self.again(main.subject)
        if self.chance(0.7):
            clause = self.be(who)
            clause.predicate = self.pick(self.lexicon.motives)
            clause.negated = self.chance(0.15)
        else:
            clause, _ = self.action(subject=who, plain=True, verb=self.verb_of_will())
            clause.modal = self.lexicon.modals[self.pick(("have to", "want to"))]
        clause.tense = "past" if main.tense == "perfect" else "present"
        return clause

    def _temporal(self) -> Sentence:
        """If, while, before, until, as soon as."""
        english, german = self.pick(_TEMPORAL)
        verb = self.verb_of_people()
        while verb[0].aspect != "activity" or (english == "until" and verb[0].name not in _UNTIL):
            verb = self.verb_of_people()
        main = self._main(verb=verb)
        if main.tense == "perfect":
            main.tense = "present"
        if self.chance(0.25) and english in ("if", "while", "until", "as soon as"):
            clause = Clause(Pronoun("it"), self.pick(self.lexicon.by_kind["weather"])[0])
        else:
            subject = self.someone()
            if self.chance(0.5) and not (english == "while" and isinstance(main.subject, Pronoun)):
                subject = self.again(main.subject)
            clause, _ = self.action(verb=self.verb_of_will(lasting=english == "while"), subject=subject, plain=True)
        if english == "until" or self.chance(0.6):
            return Sentence(main, after=Subordinate(english, german, clause))
        if isinstance(clause.subject, Pronoun) and clause.subject.word != "it":
            clause.subject, main.subject = main.subject, clause.subject
        return Sentence(main, before=Subordinate(english, german, clause))

    def content(self) -> Sentence:
        """A clause as object: "I know that the train has arrived.", "Do you know where Anna lives?"."""
        kind = "that" if self.chance(0.5) else "whether"
        verb, frame = self.pick(self.lexicon.by_kind[kind])
        clause = Clause(self.subject(frame, plain=True), verb)
        inner = self.statement(plain=True)
        if same_noun(clause.subject, inner.subject):
            gender = inner.subject.gender
            inner.subject = self.pick(
                [name for name in self.lexicon.names if gender not in "mf" or name.gender == gender]
            )
        if kind == "that":
            clause.complement = Complement("that", inner)
            return Sentence(clause)
        if self.chance(0.4):
            self._affirm(inner)
            clause.complement = Complement("whether", inner)
        else:
            clause.complement = Complement("wh", self.wh_question().clause)
        knows = verb.english.base == "know"
        asks = knows and self.chance(0.4)
        clause.negated = knows and not asks and self._can_be_negated(clause) and self.chance(0.5)
        return Sentence(clause, "question" if asks else "statement")

    def relative(self) -> Sentence:
        """A clause about a noun: "The man who lives in Berlin is ill.", "I know the song that she sings."."""
        if self.chance(0.5):
            return self._about_subject()
        verb, frame = self.pick(self.lexicon.by_kind["a"])
        clause, _ = self.action(verb=(verb, frame), plain=True)
        noun = self.pick(frame.objects)
        while noun.classes & {"family", "part"} or same_subject(clause.subject, noun):
            noun = self.pick(frame.objects)
        head = NounPhrase(noun, self.pick(("the", "the", "a")) if not noun.is_mass else "the")
        head.relative = self._who_clause(head) if "person" in noun.classes else self._that_clause(head, clause.verb)
        clause.accusative = head
        clause.tense = "present" if clause.verb.aspect == "state" else self.pick(("present", "perfect"))
        return Sentence(clause)

    def _about_subject(self) -> Sentence:
        noun = self.pick(self.lexicon.by_class["person"])
        while "family" in noun.classes:
            noun = self.pick(self.lexicon.by_class["person"])
        head = NounPhrase(noun, "the", self.chance(0.2))
        head.relative = self._who_clause(head)
        if self.chance(0.25):
            clause = self.be(head)
            clause.predicate = self.state_of(head)
            return Sentence(clause)
        clause, _ = self.action(subject=head, verb=self.verb_of_people(), plain=True)
        clause.tense = "present" if clause.verb.aspect == "state" else self.pick(("present", "perfect"))
        return Sentence(clause)

    def _who_clause(self, head: NounPhrase) -> Clause:
        if self.chance(0.3):
            clause = self.be(Relative(head))
            clause.predicate = self.state_of(head)
            return clause
        clause, _ = self.action(subject=Relative(head), verb=self.verb_of_people(), plain=True)
        if clause.verb.aspect != "state" and self.chance(0.3):
            clause.tense = "perfect"
        return clause

    def _that_clause(self, head: NounPhrase, avoid: Verb) -> Clause:
        others = [verb for verb, _ in self.lexicon.verbs_for[head.noun] if verb is not avoid]
        verb = self.pick(others) if others else avoid
        clause = Clause(self.someone(), verb)
        clause.accusative = clause.front = Relative(head)
        if verb.aspect != "state" and self.chance(0.6):
            clause.tense = "perfect"
        return clause

    def infinitive(self) -> Sentence:
        """An infinitive: "He tries to open the window.", "She stops laughing.", "... in order to buy bread."."""
        draw = self.random()
        kind = "in order to" if draw < 0.25 else "to" if draw < 0.85 else "ing"
        if kind == "in order to":
            clause, _ = self.action(verb=self.pick(self.lexicon.by_kind["dir"]), subject=self.someone(), plain=True)
        else:
            verb, frame = self.pick(self.lexicon.by_kind[kind])
            clause = Clause(self.subject(frame, plain=True), verb)
        aimed = self.verb_of_will(lasting=kind == "ing")
        while aimed[0].name in _NO_AIM:
            aimed = self.verb_of_will(lasting=kind == "ing")
        aim, _ = self.action(verb=aimed, subject=clause.subject, plain=True)
        clause.complement = Complement(kind, aim)
        clause.tense = self.pick(("present", "present", "perfect"))
        if clause.verb.english.base == "hope":
            clause.tense = "present"
        return Sentence(clause)

    def exists(self) -> Sentence:
        """What there is: "There are many cows in the village."."""
        place, nouns = self.pick(self.lexicon.found_in)
        noun = self.pick(nouns)
        plural = self.chance(0.5)
        determiner = self.pick(("many", "some", self.pick(COUNTS), "no") if plural else ("a", "a", "no"))
        clause = Clause(Pronoun("there"), self.lexicon.by_kind["exist"][0][0])
        clause.accusative, clause.place = NounPhrase(noun, determiner, plural, self.adjectives(noun)), place
        clause.tense = "future" if self.chance(0.15) else "present"
        asks = determiner not in ("no", "some") and self.chance(0.35)
        return Sentence(clause, "question" if asks else "statement")

    def clock_time(self) -> Sentence:
        """The time of day: "It is half past seven."."""
        clause = self.be(Pronoun("it"))
        clause.predicate = self.pick(CLOCK_TIMES)
        return Sentence(clause)

    def weather(self) -> Sentence:
        """The weather: "Tomorrow it will snow in Vienna."."""
        clause = Clause(Pronoun("it"), self.pick(self.lexicon.by_kind["weather"])[0])
        clause.tense = self.pick(("present", "present", "past", "future"))
        if clause.tense == "present" and self.chance(0.5):
            clause.focus = self.lexicon.focus[self.pick(("often", "rarely", "never", "sometimes", "always"))]
        elif clause.tense == "present" and self.chance(0.4):
            clause.progressive = True
        else:
            clause.time = self.day(clause.tense)
        clause.place = self.pick(self.lexicon.places_of["visit"]) if self.chance(0.6) else None
        if clause.time is not None and self.chance(0.5):
            clause.front = clause.time
        return Sentence(clause)

    def joined(self) -> Sentence:
        """Two main clauses: "Anna works in the garden, and her brother reads a book."."""
        first, second = self.statement(plain=True), self.statement(plain=True)
        for clause in (first, second):
            if clause.tense != "past":
                clause.time = None
        return Sentence(first, conjunction="and" if self.chance(0.7) else "but", joined=Sentence(second))

    def long_sentence(self) -> Sentence:
        """Two sentences joined, each of a kind that occurs alone: the "long" split."""
        draw = self.random()
        first = self.subordinate() if draw < 0.5 else self.relative() if draw < 0.75 else self.simple()
        second = self.subordinate() if self.chance(0.5) else self.simple()
        first.conjunction, first.joined = ("and" if self.chance(0.7) else "but"), second
        return first


def same_subject(subject: Phrase, noun: object) -> bool:
    """Whether a subject is built on this noun."""
    return isinstance(subject, NounPhrase) and subject.noun is noun
