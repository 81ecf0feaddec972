"""English word order and forms: from a tree to a sentence."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Comparison,
    Complement,
    NounPhrase,
    Pair,
    Phrase,
    Prepositional,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Name, Noun

__all__ = ["english_sentence"]

_OBJECTIVE = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_BE = {
    "present": ("am", "are", "is", "are", "are", "are"),
    "past": ("was", "were", "was", "were", "were", "were"),
}
_PAST_MODALS = {"can": "could", "have to": "had to", "want to": "wanted to"}
_THIRD = {"have": "has", "want": "wants", "like": "likes"}
_PAST = {"have": "had", "want": "wanted", "like": "liked"}
_LATE = frozenset(("again", "yet"))  # these stand after the object, other focus adverbs before the verb


def _article(determiner: str, following: str) -> str:
    return "an" if determiner == "a" and following[0] in "aeiou" else determiner


def _noun_words(phrase: NounPhrase, words: list[str]) -> None:
    noun: Noun = phrase.noun
    rest = [adjective.english for adjective in phrase.adjectives]
    rest.append(noun.english_plural if phrase.plural else noun.english)
    owner = phrase.owner
    if isinstance(owner, NounPhrase) and not owner.noun.is_alive:
        words += ["the", *rest, "of", noun_phrase(owner)]
        return
    if owner is not None:
        words.append(noun_phrase(owner) + "'s")
    elif phrase.determiner == "this" and phrase.plural:
        words.append("these")
    elif phrase.determiner:
        words.append(_article(phrase.determiner, rest[0]))
    words += rest


def noun_phrase(phrase: Phrase, subject: bool = False) -> str:
    """Spell a phrase, with its relative clause."""
    if isinstance(phrase, Pronoun):
        return phrase.word if subject else _OBJECTIVE.get(phrase.word, phrase.word)
    if isinstance(phrase, Name):
        return phrase.text
    if isinstance(phrase, Pair):
        return f"{noun_phrase(phrase.first)} and {noun_phrase(phrase.second)}"
    if isinstance(phrase, Relative):
        return "who" if phrase.is_person else "that"
    words: list[str] = []
    _noun_words(phrase, words)
    if phrase.relative is not None:
        words += clause_words(phrase.relative)
    return " ".join(words)


def _adjunct(part: Prepositional | Adverb) -> str:
    if isinstance(part, Adverb):
        return part.english
    return f"{part.english} {noun_phrase(part.phrase)}".strip()


def _predicate(part: Adjective | Comparison | NounPhrase | Adverb) -> str:
    if isinstance(part, (Adjective, Adverb)):
        return part.english
    if isinstance(part, NounPhrase):
        return noun_phrase(part)
    if part.equal:
        return f"as {part.adjective.english} as {noun_phrase(part.other)}"
    return f"{part.adjective.english_comparative} than {noun_phrase(part.other)}"


def _person(clause: Clause) -> int:
    """Return the person that the verb agrees with; after "there" that is what there is."""
    if isinstance(clause.subject, Pronoun) and clause.subject.word == "there" and clause.accusative is not None:
        return clause.accusative.person
    return clause.subject.person


def _lexical(head: str, clause: Clause, base: str, needs_auxiliary: bool) -> tuple[str, list[str]]:
    """Inflect "have to", "want to" or "like to" before a base form."""
    if needs_auxiliary:
        return _do(clause), [head, "to", base]
    if clause.tense == "past":
        return "", [_PAST[head], "to", base]
    return "", [_THIRD[head] if clause.subject.person == 2 else head, "to", base]


def _do(clause: Clause) -> str:
    if clause.tense == "past":
        return "did"
    return "does" if clause.subject.person == 2 else "do"


def _modal_group(clause: Clause, base: str, needs_auxiliary: bool) -> tuple[str, list[str]]:
    modal = clause.modal.english if clause.modal else "like to"
    if modal == "would like to":
        return "would", ["like", "to", base]
    if modal in ("have to", "want to", "like to"):
        return _lexical(modal[:-3], clause, base, needs_auxiliary)
    return (_PAST_MODALS[modal] if clause.tense == "past" else modal), [base]


def _verb_group(clause: Clause, needs_auxiliary: bool) -> tuple[str, list[str]]:
    """Return the verb that goes before the subject in questions (or empty), and the verbs after it."""
    verb, person, tense = clause.verb.english, _person(clause), clause.tense
    if clause.modal is not None or clause.likes:
        return _modal_group(clause, verb.base, needs_auxiliary)
    if tense == "future":
        return "will", [verb.base]
    if tense == "perfect":
        return ("has" if person == 2 else "have"), [verb.participle]
    if clause.progressive:
        return _BE[tense][person], [verb.ing]
    if verb.base == "be":
        return _BE[tense][person], []
    if needs_auxiliary:
        return _do(clause), [verb.base]
    if tense == "past":
        return "", [verb.past]
    return "", [verb.third if person == 2 else verb.base]


def _objects(clause: Clause, front: object) -> list[str]:
    """Objects and the particle: "gives him the book", "picks her up", "explains the plan to us"."""
    particle = clause.verb.english.particle
    accusative, dative = clause.accusative, clause.dative
    words = []
    if dative is not None and dative is not front and not clause.says_to:
        words.append(noun_phrase(dative))
    if accusative is None or accusative is front:
        words.append(particle)
    elif isinstance(accusative, Pronoun):
        words += [noun_phrase(accusative), particle]
    else:
        words += [particle, noun_phrase(accusative)]
    if dative is not None and (clause.says_to or (dative is front and accusative is not None)):
        words += ["to", noun_phrase(dative) if dative is not front else ""]
    return words


def _rest(clause: Clause, front: object) -> list[str]:
    """Everything after the verb; what stands in front is left out, its preposition stays."""
    words = [clause.verb.english.tail, *_objects(clause, front)]
    if clause.predicate is not None:
        words.append(_predicate(clause.predicate))
    oblique = clause.oblique
    if oblique is not None and oblique is not front:
        words.append(_adjunct(oblique))
    elif isinstance(oblique, Prepositional) and isinstance(oblique.phrase, (Pronoun, Relative)):
        words.append(oblique.english)
    if clause.focus is not None and clause.focus.english in _LATE:
        words.append(clause.focus.english)
    words += [_adjunct(p) for p in (clause.manner, clause.place, clause.time) if p is not None and p is not front]
    if clause.complement is not None:
        words += _complement(clause.complement)
    return words


def _complement(complement: Complement) -> list[str]:
    clause = complement.clause
    if complement.kind in ("that", "whether"):
        return [complement.kind, *clause_words(clause)]
    if complement.kind == "wh":
        return clause_words(clause)
    verb = clause.verb.english
    if complement.kind == "ing":
        return [verb.ing, *_rest(clause, None)]
    return [complement.kind, verb.base, *_rest(clause, None)]


def _front(clause: Clause) -> str:
    front = clause.front
    assert front is not None
    if isinstance(front, Prepositional):
        if isinstance(front.phrase, (Pronoun, Relative)):
            return noun_phrase(front.phrase, subject=True)
        return _adjunct(front)
    if isinstance(front, Adverb):
        return front.english
    return noun_phrase(front, subject=True)


def clause_words(clause: Clause, inverted: bool = False) -> list[str]:
    """Spell a clause; ``inverted`` puts the auxiliary before the subject.

    Args:
        clause: The clause.
        inverted: Whether it is a question in which the subject is not the question word.

    Returns:
        The words, some of them several joined by spaces.
    """
    auxiliary, verbs = _verb_group(clause, inverted or clause.negated)
    words = [_front(clause)] if clause.front is not None and clause.front is not clause.subject else []
    subject = noun_phrase(clause.subject, subject=True)
    words += [auxiliary, subject] if inverted else [subject, auxiliary]
    if clause.negated:
        if words[-1] == "can":
            words[-1] = "cannot"
        else:
            words.append("not")
    if clause.focus is not None and clause.focus.english not in _LATE:
        words.append(clause.focus.english)
    words += verbs
    words += _rest(clause, clause.front)
    return [word for word in words if word]


def _command(clause: Clause) -> list[str]:
    return [clause.verb.english.base, *_rest(clause, None)]


def _subordinate(part: Subordinate) -> list[str]:
    return [part.english, *clause_words(part.clause)]


def _sentence_words(sentence: Sentence) -> list[str]:
    clause = sentence.clause
    words: list[str] = []
    if sentence.before is not None:
        words += [*_subordinate(sentence.before), ","]
    if sentence.mood == "command":
        words.append("do not" if clause.negated else "please" if sentence.polite else "")
        words += _command(clause)
    elif sentence.mood == "proposal":
        words += ["let", "us", *_command(clause)]
    else:
        asks_subject = isinstance(clause.subject, Pronoun) and clause.subject.word in ("who", "what")
        asks_subject = asks_subject or getattr(clause.subject, "determiner", "") in ("which", "how many")
        words += clause_words(clause, inverted=sentence.mood == "question" and not asks_subject)
    if sentence.after is not None:
        words += _subordinate(sentence.after)
    if sentence.joined is not None:
        words += [",", sentence.conjunction, *_sentence_words(sentence.joined)]
    return words


_MARKS = {"statement": ".", "question": "?", "command": "!", "proposal": "!"}


def english_sentence(sentence: Sentence) -> str:
    """Spell a sentence in English.

    Args:
        sentence: The tree.

    Returns:
        The sentence with capital letter and final mark.
    """
    text = " ".join(filter(None, _sentence_words(sentence))).replace(" ,", ",")
    return text[0].upper() + text[1:] + _MARKS[sentence.mood]
