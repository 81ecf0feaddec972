"""Random choice of questions and commands."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.descriptions import DescriptionChooser
from keras_transformer.text.datasets.phrases.tree import Clause, NounPhrase, Phrase, Prepositional, Pronoun, Sentence
from keras_transformer.text.datasets.phrases.words import Adverb, Frame, Verb

__all__ = ["QuestionChooser"]

_WHERE = Adverb("where", "wo")
_WHITHER = Adverb("where", "wohin")
_WHEN = Adverb("when", "wann")
_WHY = Adverb("why", "warum")
_HOW_OFTEN = Adverb("how often", "wie oft")
_ASKED = (_WHEN, _WHEN, _WHY, _WHERE, _WHERE, _HOW_OFTEN)


class QuestionChooser(DescriptionChooser):
    """Draws questions and commands."""

    def question(self) -> Sentence:
        """A yes-no question: "Does the girl help her mother?"."""
        clause = self.statement()
        self._affirm(clause)
        return Sentence(clause, "question")

    def wh_question(self) -> Sentence:
        """A question with a question word: "Where does Anna live?"."""
        draw = self.random()
        make = self._who if draw < 0.3 else self._whom if draw < 0.65 else self._adverbial
        return Sentence(make(), "question")

    def _affirm(self, clause: Clause) -> None:
        clause.negated = False
        if clause.focus is not None and clause.focus.english == "yet":
            clause.focus = None

    def _who(self) -> Clause:
        """Ask for the subject: "Who reads the book?"."""
        clause, frame = self.action(subject=Pronoun("who"), verb=self.verb_of_people())
        self.inflect(clause, frame)
        self._affirm(clause)
        return clause

    def _whom(self) -> Clause:
        """Ask for an object: "What does he read?", "Who do you help?", "Who are you waiting for?"."""
        verb, frame = self.verb_of_people()
        while frame.kind not in ("a", "d", "p"):
            verb, frame = self.verb_of_people()
        clause, _ = self.action(verb=(verb, frame), plain=True)
        self.inflect(clause, frame)
        self._affirm(clause)
        clause.likes = False
        asked = self._asked(frame)
        if frame.kind == "a":
            clause.accusative = clause.front = asked
        elif frame.kind == "d":
            clause.dative = clause.front = asked
        else:
            english, german, case = frame.preposition
            clause.oblique = clause.front = Prepositional(english, german, case, asked)
        return clause

    def _asked(self, frame: Frame) -> Phrase:
        noun = self.pick(frame.objects)
        if frame.kind == "a" and self.chance(0.35) and not noun.classes & {"part"}:
            plural = not noun.is_mass and "single" not in noun.classes and self.chance(0.4)
            return NounPhrase(noun, "how many" if plural and self.chance(0.5) else "which", plural)
        return Pronoun("who" if "person" in noun.classes or frame.kind == "d" else "what")

    def _adverbial(self) -> Clause:
        """Ask when, where, why or how often."""
        asked = self.pick(_ASKED)
        verb: tuple[Verb, Frame] | None = None
        if asked is _WHERE:
            verb = self.pick(self.lexicon.by_kind[self.pick(("dir", "loc", "stand", "lie"))])
        clause, frame = self.action(verb=verb, plain=True)
        if clause.verb.aspect == "state" and asked is not _WHERE:
            asked = _WHY
        if asked is _WHERE:
            asked = _WHITHER if frame.kind == "dir" else _WHERE
            clause.oblique = asked
        else:
            clause.time = asked
        clause.front = asked
        self._tense_for(clause, asked)
        if asked is _WHY and clause.tense == "present" and clause.modal is None:
            clause.negated = self._can_be_negated(clause) and self.chance(0.3)
        return clause

    def _tense_for(self, clause: Clause, asked: Adverb) -> None:
        draw = self.random()
        if clause.verb.aspect == "state":
            return
        if draw < 0.25 and asked is not _HOW_OFTEN:
            clause.tense = "future"
        elif draw < 0.4 and asked is not _WHEN:
            clause.tense = "perfect"
        elif draw < 0.55 and self._can_be_meant(clause):
            modals = ("have to", "should") if asked is _HOW_OFTEN else ("have to", "want to", "can", "should")
            clause.modal = self.lexicon.modals[self.pick(modals)]

    def command(self) -> Sentence:
        """A command or a proposal: "Please open the window!", "Let us go to the cinema!"."""
        mood = "command" if self.chance(0.7) else "proposal"
        verb, frame = self.verb_of_will()
        while not self._can_be_commanded(verb, frame):
            verb, frame = self.verb_of_will()
        subject = Pronoun("you" if mood == "command" else "we")
        clause, _ = self.action(verb=(verb, frame), subject=subject)
        if mood == "command" and self._can_be_negated(clause):
            clause.negated = self.chance(0.2)
        polite = mood == "command" and not clause.negated and self.chance(0.4)
        return Sentence(clause, mood, polite=polite)

    def _can_be_commanded(self, verb: Verb, frame: Frame) -> bool:
        return not verb.german.reflexive and frame.subjects == ("person",) and verb.english.base != "drive"
