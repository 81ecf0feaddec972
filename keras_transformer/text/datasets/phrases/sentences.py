"""Random choice of whole sentences: one method per construction."""

from __future__ import annotations

from collections.abc import Callable

from keras_transformer.text.datasets.phrases.clauses import ClauseChooser
from keras_transformer.text.datasets.phrases.numbers import CLOCK_TIMES, COUNTS
from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Complement,
    NounPhrase,
    Phrase,
    Prepositional,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)
from keras_transformer.text.datasets.phrases.words import Adverb, Frame, Verb

__all__ = ["CONSTRUCTIONS", "SentenceChooser"]

_WHERE = Adverb("where", "wo")
_WHITHER = Adverb("where", "wohin")
_WHEN = Adverb("when", "wann")
_WHY = Adverb("why", "warum")
_HOW_OFTEN = Adverb("how often", "wie oft")
_NOT_COMMANDED = frozenset(("lose", "find", "steal", "meet", "like", "get", "win", "see", "fall", "hear", "need"))
_NOT_DONE_ON_PURPOSE = frozenset(("lose", "find", "forget", "see", "hear", "fall", "smile", "cry", "meet", "steal"))


class SentenceChooser(ClauseChooser):
    """Draws sentences; ``CONSTRUCTIONS`` lists what it can make and how often."""

    def simple(self) -> Sentence:
        """As in: "The teacher reads a book in the garden."."""
        return Sentence(self.statement())

    def fronted(self) -> Sentence:
        """As in: "Tomorrow my brother will sell his car." Time or place first, so German inverts."""
        clause, frame = self.action()
        self.inflect(clause, frame)
        self.adverbials(clause)
        if clause.time is None and clause.place is None:
            clause.time = self.time(clause.tense) if clause.tense != "perfect" else None
            if clause.progressive or clause.tense == "perfect" or clause.verb.aspect == "state":
                clause.time = None
        clause.front = clause.place if clause.time is None else clause.time
        return Sentence(clause)

    def question(self) -> Sentence:
        """As in: "Does the girl help her mother?"."""
        clause = self.statement()
        clause.negated = False
        if clause.focus is not None and clause.focus.english == "yet":
            clause.focus = None
        return Sentence(clause, "question")

    def _who(self) -> Clause:
        """Ask for the subject: "Who reads the book?"."""
        clause, frame = self.action(subject=Pronoun("who"), verb=self._verb_of_people())
        self._lightly(clause, frame)
        return clause

    def _verb_of_people(self) -> tuple[Verb, Frame]:
        verb, frame = self.verb()
        while frame.subjects[0] != "person":
            verb, frame = self.verb()
        return verb, frame

    def _lightly(self, clause: Clause, frame: Frame) -> None:
        """Inflect without negation and without "yet"."""
        self.inflect(clause, frame)
        clause.negated = False
        if clause.focus is not None and clause.focus.english == "yet":
            clause.focus = None

    def _whom(self) -> Clause:
        """Ask for an object: "What does he read?", "Who do you help?", "Who are you waiting for?"."""
        verb, frame = self._verb_of_people()
        while frame.kind not in ("a", "d", "p"):
            verb, frame = self._verb_of_people()
        clause, _ = self.action(verb=(verb, frame), plain=True)
        people = "person" in frame.objects[0].classes or "person" in frame.objects[-1].classes
        asked: Phrase = Pronoun("who" if people else "what")
        which = frame.kind == "a" and self.chance(0.35)
        if which:
            noun = self.pick(frame.objects)
            plural = not noun.is_mass and self.chance(0.4)
            determiner = "how many" if plural and self.chance(0.5) else "which"
            asked = NounPhrase(noun, determiner, plural)
        if frame.kind == "a":
            clause.accusative = clause.front = asked
        elif frame.kind == "d":
            clause.dative = clause.front = asked
        else:
            english, german, case = frame.preposition
            clause.oblique = clause.front = Prepositional(english, german, case, asked)
        self._lightly(clause, frame)
        clause.likes = False
        if frame.kind == "a":
            clause.accusative = clause.front = asked
        return clause

    def _adverbial_question(self) -> Clause:
        """Ask when, where, why or how often."""
        clause, frame = self.action(plain=True)
        asked = self.pick((_WHEN, _WHEN, _WHY, _WHERE, _WHERE, _HOW_OFTEN))
        if asked is _WHERE:
            verb = self.pick(self.lexicon.by_kind[self.pick(("dir", "loc", "pos"))])
            clause, frame = self.action(verb=verb, plain=True)
            asked = _WHITHER if frame.kind == "dir" else _WHERE
            clause.oblique = None
        self._tense_for(clause, asked)
        if asked is _WHERE or asked is _WHITHER:
            clause.oblique = asked
        else:
            clause.time = asked
        clause.front = asked
        if asked is _WHY and clause.tense == "present":
            clause.negated = self.chance(0.3)
        return clause

    def _tense_for(self, clause: Clause, asked: Adverb) -> None:
        draw = self.random()
        if clause.verb.aspect == "state":
            return
        if draw < 0.25 and asked is not _HOW_OFTEN:
            clause.tense = "future"
        elif draw < 0.4 and asked is not _WHEN:
            clause.tense = "perfect"
        elif draw < 0.55 and self.is_person(clause.subject):
            clause.modal = self.lexicon.modals[self.pick(("have to", "want to", "can", "should"))]

    def wh_question(self) -> Sentence:
        """As in: "Where does Anna live?"."""
        draw = self.random()
        make = self._who if draw < 0.3 else self._whom if draw < 0.65 else self._adverbial_question
        return Sentence(make(), "question")

    def command(self) -> Sentence:
        """As in: "Please open the window!" or "Let us go to the cinema!"."""
        subject = Pronoun("you")
        mood = "command" if self.chance(0.7) else "proposal"
        if mood == "proposal":
            subject = Pronoun("we")
        verb, frame = self.verb()
        while (
            verb.english.base in _NOT_COMMANDED
            or verb.aspect == "state"
            or verb.german.reflexive
            or frame.subjects[0] != "person"
            or "transport" in frame.subjects
        ):
            verb, frame = self.verb()
        clause, _ = self.action(verb=(verb, frame), subject=subject)
        if mood == "command":
            clause.negated = self.chance(0.15)
        polite = mood == "command" and not clause.negated and self.chance(0.4)
        return Sentence(clause, mood, polite=polite)

    def _reason(self, who: Phrase, main: Clause) -> Clause:
        """A state that explains or contradicts the main clause, about the same person or the thing acted on."""
        thing = main.accusative
        tense = "past" if main.tense in ("past", "perfect") else "present"
        if isinstance(thing, NounPhrase) and not thing.noun.is_alive and self.lexicon.fitting[thing.noun]:
            word = "they" if thing.plural else "it"
            clause = self._be(Pronoun(word, thing.gender))
            clause.predicate = self.state_of(thing)
        elif self.chance(0.75):
            clause = self._be(self.again(who))
            clause.predicate = self.pick(self.lexicon.of_people)
        else:
            clause, _ = self.action(subject=self.again(who), plain=True, verb=self._verb_of_people())
            clause.modal = self.lexicon.modals[self.pick(("have to", "want to", "can"))]
        clause.tense = tense
        clause.negated = self.chance(0.15)
        return clause

    def again(self, phrase: Phrase) -> Phrase:
        """Return the pronoun for a person named before."""
        if isinstance(phrase, Pronoun):
            return phrase
        return Pronoun({"m": "he", "f": "she"}.get(phrase.gender, "they"))

    def _someone(self) -> Phrase:
        """A person whose pronoun is certain."""
        while True:
            phrase = self.subject(self.lexicon.by_kind["be"][0][1], plain=True)
            if not (isinstance(phrase, NounPhrase) and phrase.noun.english in ("child", "girl")):
                return phrase

    def _main(self) -> Clause:
        verb, frame = self._verb_of_people()
        clause, _ = self.action(verb=(verb, frame), subject=self._someone(), plain=True)
        draw = self.random()
        if verb.aspect == "state":
            return clause
        if draw < 0.25:
            clause.tense = "perfect"
        elif draw < 0.4:
            clause.tense = "future"
        elif draw < 0.55:
            clause.modal = self.lexicon.modals[self.pick(("can", "have to", "want to", "should"))]
        return clause

    def subordinate(self) -> Sentence:
        """As in: "She stays at home because she is ill." The subordinate clause goes first one time in three."""
        main = self._main()
        english, german = self.pick((("because", "weil"), ("because", "weil"), ("although", "obwohl")))
        if self.chance(0.35):
            return self._temporal(main)
        reason = self._reason(main.subject, main)
        if self._points_back(reason) or self.chance(0.65):
            return Sentence(main, after=Subordinate(english, german, reason))
        reason.subject, main.subject = main.subject, reason.subject
        return Sentence(main, before=Subordinate(english, german, reason))

    def _points_back(self, clause: Clause) -> bool:
        return isinstance(clause.subject, Pronoun) and clause.subject.word in ("it", "they")

    def _temporal(self, main: Clause) -> Sentence:
        """With if, while, before, until, as soon as."""
        if main.tense == "perfect":
            main.tense = "present"
        english, german = self.pick(
            (("if", "wenn"), ("while", "während"), ("before", "bevor"), ("until", "bis"), ("as soon as", "sobald"))
        )
        if self.chance(0.25):
            clause = Clause(Pronoun("it"), self.pick(self.lexicon.by_kind["weather"])[0])
            if english == "before":
                english, german = "if", "wenn"
        else:
            subject = self.again(main.subject) if self.chance(0.5) else self._someone()
            verb, frame = self._verb_of_people()
            while verb.aspect == "state":
                verb, frame = self._verb_of_people()
            clause, _ = self.action(verb=(verb, frame), subject=subject, plain=True)
        if self.chance(0.6):
            return Sentence(main, after=Subordinate(english, german, clause))
        if (
            isinstance(clause.subject, Pronoun)
            and not isinstance(main.subject, Pronoun)
            and clause.subject.word != "it"
        ):
            clause.subject, main.subject = main.subject, clause.subject
        return Sentence(main, before=Subordinate(english, german, clause))

    def content_clause(self) -> Sentence:
        """As in: "I know that the train has already arrived.", "Do you know where Anna lives?"."""
        kind = "that" if self.chance(0.5) else "whether"
        verb, frame = self.pick(self.lexicon.by_kind[kind])
        clause = Clause(self.subject(frame, plain=True), verb)
        if kind == "that":
            clause.complement = Complement("that", self.statement(plain=True))
            return Sentence(clause)
        if self.chance(0.4):
            clause.complement = Complement("whether", self.statement(plain=True))
        else:
            clause.complement = Complement("wh", self.wh_question().clause)
        asks = verb.english.base == "know" and self.chance(0.4)
        clause.negated = verb.english.base == "know" and not asks and self.chance(0.5)
        return Sentence(clause, "question" if asks else "statement")

    def relative(self) -> Sentence:
        """As in: "The man who lives in Berlin sells the car.", "I know the song that she sings."."""
        if self.chance(0.5):
            noun = self.pick(self.lexicon.by_class["person"])
            head = NounPhrase(noun, "my" if "family" in noun.classes else "the", self.chance(0.2))
            head.relative = self._who_clause(head)
            clause, frame = self.action(subject=head, verb=self._verb_of_people(), plain=True)
            clause.tense = "present" if clause.verb.aspect == "state" else self.pick(("present", "perfect"))
            return Sentence(clause)
        clause, frame = self.action(verb=self.pick(self.lexicon.by_kind["a"]), plain=True)
        noun = self.pick(frame.objects)
        if "sky" in noun.classes or "family" in noun.classes:
            return self.simple()
        head = NounPhrase(noun, self.pick(("the", "the", "a")) if not noun.is_mass else "the")
        head.relative = self._who_clause(head) if "person" in noun.classes else self._that_clause(head, clause.verb)
        clause.accusative = head
        clause.tense = "present" if clause.verb.aspect == "state" else self.pick(("present", "perfect"))
        return Sentence(clause)

    def _who_clause(self, head: NounPhrase) -> Clause:
        if self.chance(0.3):
            clause = self._be(Relative(head))
            clause.predicate = self.state_of(head)
            return clause
        clause, _ = self.action(subject=Relative(head), verb=self._verb_of_people(), plain=True)
        if clause.verb.aspect != "state" and self.chance(0.3):
            clause.tense = "perfect"
        return clause

    def _that_clause(self, head: NounPhrase, avoid: Verb) -> Clause:
        verb, _ = self.pick(self.lexicon.verbs_for[head.noun])
        for _ in range(5):
            if verb is not avoid:
                break
            verb, _ = self.pick(self.lexicon.verbs_for[head.noun])
        clause = Clause(self._someone(), verb)
        clause.accusative = clause.front = Relative(head)
        if verb.aspect != "state" and self.chance(0.6):
            clause.tense = "perfect"
        return clause

    def infinitive(self) -> Sentence:
        """As in: "He tries to open the window.", "She has stopped smoking.", "We travel to Rome in order to ..."."""
        draw = self.random()
        if draw < 0.25:
            return self._purpose()
        kind = "to" if draw < 0.85 else "ing"
        verb, frame = self.pick(self.lexicon.by_kind[kind])
        clause = Clause(self.subject(frame, plain=True), verb)
        clause.complement = Complement(kind, self._purposeful(clause.subject, kind))
        clause.tense = self.pick(("present", "present", "perfect"))
        if clause.verb.english.base in ("hope", "want"):
            clause.tense = "present"
        return Sentence(clause)

    def _purposeful(self, subject: Phrase, kind: str = "to") -> Clause:
        verb, frame = self._verb_of_people()
        while (
            verb.aspect == "state"
            or verb.english.base in _NOT_DONE_ON_PURPOSE
            or (kind == "ing" and verb.aspect == "event")
        ):
            verb, frame = self._verb_of_people()
        clause, _ = self.action(verb=(verb, frame), subject=subject, plain=True)
        return clause

    def _purpose(self) -> Sentence:
        verb, frame = self.pick(self.lexicon.by_kind["dir"])
        clause, _ = self.action(verb=(verb, frame), subject=self._someone(), plain=True)
        clause.tense = self.pick(("present", "perfect", "future"))
        clause.complement = Complement("in order to", self._purposeful(clause.subject))
        return Sentence(clause)

    def exists(self) -> Sentence:
        """As in: "There are many cows in the village."."""
        place, nouns = self.pick(self.lexicon.found_in)
        noun = self.pick(nouns)
        draw = self.random()
        plural = draw < 0.5
        determiner = self.pick(("many", "some", self.pick(COUNTS), "no")) if plural else self.pick(("a", "a", "no"))
        thing = NounPhrase(noun, determiner, plural, self.adjectives(noun))
        clause = Clause(Pronoun("there"), self.lexicon.by_kind["exist"][0][0])
        clause.accusative, clause.place = thing, self.at(place)
        if self.chance(0.15):
            clause.tense = "future"
        asks = determiner != "no" and self.chance(0.25)
        return Sentence(clause, "question" if asks else "statement")

    def clock_time(self) -> Sentence:
        """As in: "It is half past seven."."""
        clause = self._be(Pronoun("it"))
        clause.predicate = self.pick(CLOCK_TIMES)
        return Sentence(clause)

    def weather(self) -> Sentence:
        """As in: "Tomorrow it will snow in Vienna."."""
        clause = Clause(Pronoun("it"), self.pick(self.lexicon.by_kind["weather"])[0])
        tense = self.pick(("present", "present", "past", "future"))
        clause.tense = tense
        if tense == "present" and self.chance(0.5):
            clause.focus = self.pick([self.focus(word) for word in ("often", "rarely", "never", "sometimes", "always")])
        elif tense == "present" and self.chance(0.4):
            clause.progressive = True
        else:
            clause.time = self.time(tense)
        clause.place = self.at(self.pick(self.lexicon.places_of["visit"])) if self.chance(0.6) else None
        if clause.time is not None and self.chance(0.5):
            clause.front = clause.time
        return Sentence(clause)

    def joined(self) -> Sentence:
        """As in: "Anna works in the garden, and her brother reads a book."."""
        first, second = self.statement(plain=True), self.statement(plain=True)
        for clause in (first, second):
            if clause.time is not None and clause.tense != "past":
                clause.time = None
        return Sentence(first, conjunction="and" if self.chance(0.7) else "but", joined=Sentence(second))

    def long_sentence(self) -> Sentence:
        """Draw two or three clauses joined, each of a kind that occurs alone: the "long" split."""
        draw = self.random()
        first = self.subordinate() if draw < 0.5 else self.relative() if draw < 0.75 else self.simple()
        second = self.subordinate() if self.chance(0.5) else self.simple()
        first.conjunction, first.joined = ("and" if self.chance(0.7) else "but"), second
        return first

    def sentence(self) -> Sentence:
        """Draw a construction, then a sentence of it."""
        draw = self.random()
        for name, limit in _LIMITS:
            if draw < limit:
                make: Callable[[], Sentence] = getattr(self, name)
                return make()
        raise AssertionError


# Construction -> share in percent.
CONSTRUCTIONS = {
    "simple": 38,
    "fronted": 12,
    "question": 8,
    "wh_question": 8,
    "command": 3,
    "subordinate": 10,
    "content_clause": 6,
    "relative": 4,
    "infinitive": 4,
    "exists": 2,
    "clock_time": 0.5,
    "weather": 1,
    "joined": 3.5,
}


def _limits() -> tuple[tuple[str, float], ...]:
    total, running, limits = sum(CONSTRUCTIONS.values()), 0.0, []
    for name, share in CONSTRUCTIONS.items():
        running += share / total
        limits.append((name, running))
    limits[-1] = (limits[-1][0], 1.0)
    return tuple(limits)


_LIMITS = _limits()
