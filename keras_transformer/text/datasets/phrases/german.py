"""German word order and agreement: from a tree to a sentence.

The order of the parts between the two halves of the verb is fixed: pronouns and names, time, definite objects,
adverbs such as "oft", "nicht", manner, place, then what belongs most closely to the verb. An indefinite object
follows the place.
"""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.german_forms import REFLEXIVES
from keras_transformer.text.datasets.phrases.german_phrases import noun_phrase, prepositional
from keras_transformer.text.datasets.phrases.numbers import COUNTS
from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Comparison,
    Complement,
    NounPhrase,
    Phrase,
    Prepositional,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, GermanVerb, Name

__all__ = ["german_sentence"]

_HAVE = ("habe", "hast", "hat", "haben", "habt", "haben")
_BE = ("bin", "bist", "ist", "sind", "seid", "sind")
_WILL = ("werde", "wirst", "wird", "werden", "werdet", "werden")
_AND = {"and": "und", "but": "aber"}
_NEGATED_FIRST = frozenset(("yet", "again"))  # "noch nicht", "wieder nicht", but "nicht oft"


def _predicate(part: Adjective | Comparison | NounPhrase | Adverb, negated: bool) -> str:
    if isinstance(part, (Adjective, Adverb)):
        return part.german
    if isinstance(part, NounPhrase):
        return noun_phrase(part, "n", negated)
    return f"so {part.adjective.german}" if part.equal else part.adjective.german_comparative


def _compared_with(part: object) -> list[str]:
    """What is compared with goes after the closing half of the verb: "weil er älter ist als ich"."""
    if not isinstance(part, Comparison):
        return []
    return ["wie" if part.equal else "als", noun_phrase(part.other, "n")]


def _verb_group(clause: Clause) -> tuple[str, list[str]]:
    """Return the finite verb and what closes the clause: prefix, participle or infinitive."""
    verb, person, tense = clause.verb.german, clause.subject.person, clause.tense
    infinitive = verb.prefix + verb.infinitive
    if clause.modal is not None:
        return (clause.modal.past if tense == "past" else clause.modal.present)[person], [infinitive]
    if tense == "future":
        return _WILL[person], [infinitive]
    if tense == "perfect" or (tense == "past" and not verb.past):
        return (_BE if verb.auxiliary == "sein" else _HAVE)[person], [verb.participle]
    finite = (verb.past if tense == "past" else verb.present)[person]
    return finite, [verb.prefix] if verb.prefix else []


def _negation_is_kein(clause: Clause) -> bool:
    if not clause.negated or clause.likes:
        return False
    if clause.focus is not None and clause.focus.english not in _NEGATED_FIRST:
        return False
    target = clause.accusative if clause.accusative is not None else clause.predicate
    return isinstance(target, NounPhrase) and target.is_indefinite


def _focus_words(clause: Clause, negation: str) -> list[str]:
    """Order "gern", "oft", "noch" and "nicht" among themselves."""
    focus = clause.focus
    words = ["gern"] if clause.likes else []
    if focus is None:
        return [negation, *words]
    if focus.english in _NEGATED_FIRST:
        return [focus.german, negation, *words]
    return [negation, focus.german, *words]


def _is_definite(phrase: Phrase) -> bool:
    return not (isinstance(phrase, NounPhrase) and phrase.is_indefinite) and not _is_counted(phrase)


def _is_counted(phrase: Phrase) -> bool:
    return (
        isinstance(phrase, NounPhrase)
        and phrase.owner is None
        and (phrase.determiner in COUNTS or phrase.determiner in ("many", "some", "no"))
    )


def _objects(clause: Clause, kein: bool) -> tuple[list[str], list[str], list[str]]:
    """Return the objects in three groups: pronouns and names, other definite objects, indefinite objects."""
    early: list[str] = []
    definite: list[str] = []
    indefinite: list[str] = []
    accusative, dative, front = clause.accusative, clause.dative, clause.front
    if isinstance(accusative, Pronoun) and accusative is not front:
        early.append(noun_phrase(accusative, "a"))
    if dative is not None and dative is not front:
        group = early if isinstance(dative, (Pronoun, Name)) else definite if _is_definite(dative) else indefinite
        group.append(noun_phrase(dative, "d"))
    if accusative is not None and accusative is not front and not isinstance(accusative, Pronoun):
        group = early if isinstance(accusative, Name) else definite if _is_definite(accusative) else indefinite
        group.append(noun_phrase(accusative, "a", kein))
    return early, definite, indefinite


def _middle(clause: Clause) -> tuple[list[str], list[str]]:
    """Return the pronouns and names, which go right after the subject, and the rest of the middle of the clause."""
    front = clause.front
    kein = _negation_is_kein(clause)
    early, definite, indefinite = _objects(clause, kein)
    words = [clause.time.german] if clause.time is not None and clause.time is not front else []
    if clause.progressive:
        words.append("gerade")
    words += definite
    words += _focus_words(clause, "nicht" if clause.negated and not kein else "")
    manner = [prepositional(clause.manner)] if clause.manner is not None else []
    place = [prepositional(clause.place)] if clause.place is not None and clause.place is not front else []
    words += [*place, *indefinite, *manner] if indefinite else [*manner, *place]
    if clause.oblique is not None and clause.oblique is not front:
        words.append(prepositional(clause.oblique))
    if clause.predicate is not None:
        words.append(_predicate(clause.predicate, kein))
    return early, words


def _extraposed(clause: Clause, subject_too: bool) -> list[str]:
    """What follows the closing half of the verb: comparisons, relative clauses, complement clauses."""
    words = _compared_with(clause.predicate)
    parts: list[Phrase | None] = [clause.accusative, clause.dative]
    if isinstance(clause.oblique, Prepositional):
        parts.append(clause.oblique.phrase)
    if subject_too:
        parts.insert(0, clause.subject)
    for phrase in parts:
        if isinstance(phrase, NounPhrase) and phrase.relative is not None:
            words += [",", *clause_words(phrase.relative, "last"), ","]
    if clause.complement is not None:
        words += _complement(clause.complement)
    return words


def _front(clause: Clause) -> str:
    front = clause.front
    if isinstance(front, (Prepositional, Adverb)):
        return prepositional(front)
    assert front is not None
    return noun_phrase(front, "n" if front is clause.subject else "d" if front is clause.dative else "a")


def _reflexive(clause: Clause) -> str:
    return REFLEXIVES[clause.subject.person] if clause.verb.german.reflexive else ""


def _subject_block(clause: Clause, pronouns: list[str]) -> list[str]:
    """The subject after the finite verb or the conjunction; "sich" goes before a subject that is not a pronoun."""
    subject = noun_phrase(clause.subject, "n")
    reflexive = _reflexive(clause)
    if isinstance(clause.subject, (Pronoun, Relative)):
        return [subject, reflexive, *pronouns]
    return [reflexive, subject, *pronouns]


def clause_words(clause: Clause, order: str) -> list[str]:
    """Spell a clause.

    Args:
        clause: The clause.
        order: Place of the finite verb: "second", "first" or "last".

    Returns:
        The words, some of them several joined by spaces, some of them commas, some empty.
    """
    finite, closing = _verb_group(clause)
    pronouns, middle = _middle(clause)
    fronted = clause.front is not None and clause.front is not clause.subject
    if order == "last":
        start = [_front(clause)] if fronted else []
        if not closing or closing[0] != clause.verb.german.prefix:
            closing = [*closing, finite]
        else:
            closing = [closing[0] + finite]
        words = [*start, *_subject_block(clause, pronouns), *middle, *closing]
    elif order == "first" or fronted:
        start = [_front(clause)] if fronted else []
        words = [*start, finite, *_subject_block(clause, pronouns), *middle, *closing]
    else:
        words = [noun_phrase(clause.subject, "n")]
        if isinstance(clause.subject, NounPhrase) and clause.subject.relative is not None:
            words += [",", *clause_words(clause.subject.relative, "last"), ","]
        words += [finite, _reflexive(clause), *pronouns, *middle, *closing]
    subject_in_place = order == "second" and not fronted
    return words + _extraposed(clause, not subject_in_place)


def _infinitive(clause: Clause) -> list[str]:
    verb: GermanVerb = clause.verb.german
    pronouns, middle = _middle(clause)
    marked = f"{verb.prefix}zu{verb.infinitive}" if verb.prefix else f"zu {verb.infinitive}"
    return [_reflexive(clause), *pronouns, *middle, marked, *_extraposed(clause, False)]


def _complement(complement: Complement) -> list[str]:
    clause, kind = complement.clause, complement.kind
    if kind in ("to", "ing"):
        return [",", *_infinitive(clause), ","]
    if kind == "in order to":
        return [",", "um", *_infinitive(clause), ","]
    conjunction = {"that": "dass", "whether": "ob"}.get(kind, "")
    return [",", conjunction, *clause_words(clause, "last"), ","]


def _command(clause: Clause) -> list[str]:
    verb = clause.verb.german
    pronouns, middle = _middle(clause)
    return [verb.imperative, *pronouns, *middle, verb.prefix, *_extraposed(clause, False)]


def _proposal(clause: Clause) -> list[str]:
    verb = clause.verb.german
    pronouns, middle = _middle(clause)
    infinitive = verb.prefix + verb.infinitive
    return ["lass", "uns", *pronouns, *middle, infinitive, *_extraposed(clause, False)]


def _subordinate(part: Subordinate) -> list[str]:
    return [part.german, *clause_words(part.clause, "last")]


def _sentence_words(sentence: Sentence) -> list[str]:
    words: list[str] = []
    if sentence.before is not None:
        words += [*_subordinate(sentence.before), ","]
    if sentence.mood == "command":
        words += ["bitte" if sentence.polite else "", *_command(sentence.clause)]
    elif sentence.mood == "proposal":
        words += _proposal(sentence.clause)
    else:
        asks = sentence.mood == "question" and sentence.clause.front is None
        asks_subject = isinstance(sentence.clause.subject, Pronoun) and sentence.clause.subject.word in ("who", "what")
        asks_subject = asks_subject or getattr(sentence.clause.subject, "determiner", "") in ("which", "how many")
        first = (asks and not asks_subject) or sentence.before is not None
        words += clause_words(sentence.clause, "first" if first else "second")
    if sentence.after is not None:
        words += [",", *_subordinate(sentence.after), ","]
    if sentence.joined is not None:
        words += [",", _AND[sentence.conjunction]]
        words += _sentence_words(sentence.joined)
    return words


_MARKS = {"statement": ".", "question": "?", "command": "!", "proposal": "!"}


def german_sentence(sentence: Sentence) -> str:
    """Spell a sentence in German.

    Args:
        sentence: The tree.

    Returns:
        The sentence with capital letter and final mark.
    """
    text = " ".join(filter(None, _sentence_words(sentence)))
    text = text.replace(" ,", ",").replace(",,", ",").rstrip(",")
    return text[0].upper() + text[1:] + _MARKS[sentence.mood]
