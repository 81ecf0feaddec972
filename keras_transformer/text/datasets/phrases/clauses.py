"""Random choice of clauses: a verb, what it governs, a tense and the adverbials that go with them."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.choose import PhraseChooser, is_person, same_noun
from keras_transformer.text.datasets.phrases.lexicon_other import FOR_PEOPLE, WITH_PEOPLE
from keras_transformer.text.datasets.phrases.numbers import COUNTS
from keras_transformer.text.datasets.phrases.tree import Clause, NounPhrase, Phrase, Prepositional
from keras_transformer.text.datasets.phrases.words import Adverb, Frame, Verb

__all__ = ["ClauseChooser"]

_MODALS = ("can", "may", "have to", "want to", "should", "would like to")
# Kinds of frames with their cumulative odds.
_KINDS = (
    ("a", 0.52),
    ("i", 0.66),
    ("da", 0.71),
    ("dat", 0.73),
    ("d", 0.78),
    ("p", 0.86),
    ("dir", 0.92),
    ("loc", 0.94),
    ("stand", 0.955),
    ("lie", 0.97),
    ("put", 1.0),
)
_ENJOYED = frozenset(("i", "a", "p", "dir"))
_NOT_ENJOYED = frozenset(("steal", "throw", "apologise", "complain", "put", "go", "leave", "hide", "turn"))
# Nobody wants to or is told to do these.
_NOT_MEANT = frozenset(
    (
        *("lose", "find", "forget", "see", "hear", "fall", "cry", "meet", "steal", "smile", "hurry", "win"),
        *("get to know", "end", "depart", "look forward"),
    )
)
_GENERAL = frozenset(("like", "love", "know", "understand"))  # of the thing as such: "likes books"
_PARTICULAR = frozenset(("person", "animal", "building", "room", "area", "part"))  # the others: "eats apples"
_WITH = frozenset(name.replace("_", " ") for name in WITH_PEOPLE.split())
_FOR = frozenset(name.replace("_", " ") for name in FOR_PEOPLE.split())
_NARROW = frozenset(("already", "again", "yet"))  # they would be taken to belong to the place
_UNCOUNTED = frozenset(("every", "all", "many", "some"))


def _happens(verb: Verb) -> bool:
    """Whether a verb is something that happens to people rather than something they decide to do."""
    return verb.name in _NOT_MEANT or verb.english.base in _NOT_MEANT


class ClauseChooser(PhraseChooser):
    """Draws clauses. ``plain`` clauses are short: they have no adjectives and few adverbials."""

    def verb(self) -> tuple[Verb, Frame]:
        """Draw a verb with one of its frames."""
        draw = self.random()
        for kind, limit in _KINDS:
            if draw < limit:
                return self.pick(self.lexicon.by_kind[kind])
        raise AssertionError

    def verb_of_people(self) -> tuple[Verb, Frame]:
        """Draw a verb that people can be the subject of."""
        verb, frame = self.verb()
        while frame.subjects[0] != "person":
            verb, frame = self.verb()
        return verb, frame

    def verb_of_will(self, *, lasting: bool = False) -> tuple[Verb, Frame]:
        """Draw something that people decide to do; ``lasting`` asks for what takes time."""
        verb, frame = self.verb_of_people()
        while verb.aspect == "state" or _happens(verb) or (lasting and verb.aspect != "activity"):
            verb, frame = self.verb_of_people()
        return verb, frame

    def action(
        self, *, verb: tuple[Verb, Frame] | None = None, subject: Phrase | None = None, plain: bool = False
    ) -> tuple[Clause, Frame]:
        """Draw a clause in the present with subject and objects, without adverbials."""
        word, frame = verb or self.verb()
        clause = Clause(subject or self.subject(frame, plain=plain), word)
        self._complete(clause, frame, plain)
        return clause, frame

    def _complete(self, clause: Clause, frame: Frame, plain: bool) -> None:
        kind, who, base = frame.kind, clause.subject, clause.verb.english.base
        if kind == "a":
            clause.accusative = self._direct(clause, frame, plain)
        elif kind in ("da", "dat"):
            clause.dative = self.somebody_else(who)
            clause.accusative = self.object(frame, who, plain=True)
            clause.says_to = kind == "dat"
        elif kind == "d":
            clause.dative = self.object(frame, who, plain=plain, definite=True)
        elif kind == "p":
            english, german, case = frame.preposition
            clause.oblique = Prepositional(english, german, case, self.object(frame, who, plain=plain, definite=True))
        elif kind == "dir":
            clause.oblique = self.pick(self.lexicon.goals_of[base])
        elif kind == "loc":
            clause.oblique = self.pick(self.lexicon.places_of[base])
        elif kind in ("lie", "stand", "put"):
            self._position(clause, frame)

    def _direct(self, clause: Clause, frame: Frame, plain: bool) -> Phrase:
        general = clause.verb.english.base in _GENERAL
        if frame.has_parts and self.chance(0.2):
            return self.noun_phrase(self.pick(self.lexicon.by_class["part"]))
        thing = self.object(frame, clause.subject, plain=plain, definite=general)
        if general and isinstance(thing, NounPhrase) and thing.determiner == "the" and self.chance(0.3):
            noun = thing.noun
            if not noun.classes & {"part", "area"}:
                return NounPhrase(noun, "", not noun.is_mass, thing.adjectives)
        return thing

    def _position(self, clause: Clause, frame: Frame) -> None:
        lexicon, thing = self.lexicon, clause.subject
        if frame.kind == "put":
            thing = clause.accusative = self.object(frame, clause.subject, plain=True)
            positions = lexicon.putting
        elif frame.kind == "lie":
            positions = lexicon.lying
        else:
            classes = thing.noun.classes if isinstance(thing, NounPhrase) else ()
            positions = next(
                (lexicon.standing[c] for c in ("furniture", "vehicle") if c in classes), lexicon.standing["person"]
            )
        clause.oblique = position = self.pick(positions)
        while same_noun(thing, position.phrase):
            clause.oblique = position = self.pick(positions)

    def inflect(self, clause: Clause, frame: Frame, *, past: bool = True) -> None:
        """Draw tense, modal verb, negation and the adverbials that fit them."""
        aspect = clause.verb.aspect
        past_odds, perfect_odds = (0.0, 0.0) if aspect == "state" else (0.13 * past, 0.22)
        if clause.verb.english.base == "have":
            past_odds = 0.15 * past
        draw = self.random()
        if draw < past_odds:
            clause.tense = "past"
            clause.time = self.time("past")
        elif draw < past_odds + perfect_odds:
            self._perfect(clause)
        elif draw < past_odds + perfect_odds + 0.12:
            clause.tense = "future"
            clause.time = self.time("future") if self.chance(0.6) else None
        elif draw > 0.8 and self._can_be_meant(clause):
            self._modal(clause, past)
        else:
            self._present(clause, frame)
        repeated = clause.time is not None and clause.time.english.startswith("every")
        if clause.focus is None and not clause.negated and not repeated and self._can_be_negated(clause):
            clause.negated = self.chance(0.15)

    def _can_be_meant(self, clause: Clause) -> bool:
        verb = clause.verb
        return verb.aspect != "state" and not _happens(verb) and is_person(clause.subject)

    def _can_be_negated(self, clause: Clause) -> bool:
        """Keep "not" away from what is counted, where its scope would be unclear."""
        return not any(
            isinstance(phrase, NounPhrase)
            and phrase.owner is None
            and (phrase.determiner in _UNCOUNTED or (phrase.plural and phrase.determiner in COUNTS))
            for phrase in (clause.subject, clause.accusative, clause.dative)
        )

    def _perfect(self, clause: Clause) -> None:
        clause.tense = "perfect"
        draw, focus = self.random(), self.lexicon.focus
        if draw < 0.25:
            clause.focus = focus["already"]
        elif draw < 0.4 and self._can_be_negated(clause):
            clause.focus = focus[self.pick(("often", "never", "again"))]
        elif draw < 0.48 and self._can_be_negated(clause):
            clause.focus, clause.negated = focus["yet"], True

    def _modal(self, clause: Clause, past: bool) -> None:
        clause.modal = self.lexicon.modals[self.pick(_MODALS)]
        if past and clause.modal.past and clause.modal.english != "may" and self.chance(0.2):
            clause.tense, clause.time = "past", self.time("past")
        elif self.chance(0.25):
            clause.time = self.time("present")

    def _present(self, clause: Clause, frame: Frame) -> None:
        draw, verb = self.random(), clause.verb
        activity = verb.aspect == "activity" and is_person(clause.subject)
        if activity and draw < 0.17:
            clause.progressive = True
        elif activity and draw < 0.27:
            if frame.kind in _ENJOYED and verb.english.base not in _NOT_ENJOYED and not _happens(verb):
                self._like(clause)
        elif frame.subjects[0] in ("event", "line"):
            clause.time = self.time("present") if draw < 0.8 else None
        elif verb.aspect != "state" and draw < 0.5 and self._can_be_negated(clause):
            clause.focus = self.pick(self.lexicon.adverbs["frequency"])
        elif verb.aspect != "state" and draw < 0.75:
            clause.time = self.time("present")

    def _like(self, clause: Clause) -> None:
        clause.likes = True
        thing = clause.accusative
        if isinstance(thing, NounPhrase) and not thing.noun.classes & _PARTICULAR:
            clause.accusative = NounPhrase(thing.noun, "", not thing.noun.is_mass, thing.adjectives)

    def adverbials(self, clause: Clause) -> None:
        """Draw manner, company, means of transport or place where they suit the verb."""
        name, focus = clause.verb.name, clause.focus
        if not is_person(clause.subject) or (focus is not None and focus.english in _NARROW):
            return
        if focus is None:
            clause.manner = self._manner(clause, name)
        places = self.lexicon.places_of.get(name)
        if places and clause.oblique is None and clause.manner is None and self.chance(0.35):
            clause.place = self.pick(places)

    def _manner(self, clause: Clause, name: str) -> Prepositional | Adverb | None:
        draw = self.random()
        manners = self.lexicon.manners_of.get(name)
        if draw < 0.15:
            indefinite = isinstance(clause.accusative, NounPhrase) and clause.accusative.is_indefinite
            return self.pick(manners) if manners and not indefinite else None
        if draw < 0.25 and name in _WITH:
            return Prepositional("with", "mit", "d", self.somebody_else(clause.subject))
        if draw < 0.3 and name in _WITH:
            return Prepositional("without", "ohne", "a", self.somebody_else(clause.subject))
        if draw < 0.3 and name in _FOR and clause.accusative is not None and not clause.likes:
            return Prepositional("for", "für", "a", self.somebody_else(clause.subject))
        if 0.3 < draw < 0.6 and name == "travel":
            return self.pick(self.lexicon.adverbs["vehicle"])
        return None

    def happening(self, *, plain: bool = False) -> Clause:
        """Draw an action with tense and adverbials."""
        clause, frame = self.action(plain=plain)
        self.inflect(clause, frame)
        if not plain:
            self.adverbials(clause)
        return clause
