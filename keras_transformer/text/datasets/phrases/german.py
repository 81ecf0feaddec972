"""German word order and agreement: from a tree to a sentence.

The order of the parts between the two halves of the verb is fixed: pronouns, time, definite objects, adverbs such
as "oft", "nicht", indefinite objects, manner, place, then what belongs most closely to the verb.
"""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.german_forms import (
    ADJECTIVE_ENDINGS,
    CONTRACTIONS,
    DECLENSION_OF,
    DETERMINERS,
    PRONOUNS,
    REFLEXIVES,
    RELATIVES,
)
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
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, GermanVerb, Name

__all__ = ["german_sentence"]

_NUMBERS = {
    "two": "zwei",
    "three": "drei",
    "four": "vier",
    "five": "fünf",
    "six": "sechs",
    "seven": "sieben",
    "eight": "acht",
    "nine": "neun",
    "ten": "zehn",
    "eleven": "elf",
    "twelve": "zwölf",
}
_HAVE = ("habe", "hast", "hat", "haben", "habt", "haben")
_BE = ("bin", "bist", "ist", "sind", "seid", "sind")
_WILL = ("werde", "wirst", "wird", "werden", "werdet", "werden")
_IT = {"m": {"n": "er", "a": "ihn", "d": "ihm"}, "f": {"n": "sie", "a": "sie", "d": "ihr"}}
_AND = {"and": "und", "but": "aber"}
_NEGATED_FIRST = frozenset(("yet", "again"))  # "noch nicht", "wieder nicht", but "nicht oft"


def _determiner(phrase: NounPhrase, case: str, negated: bool) -> tuple[str, str]:
    """Return the German determiner (or empty) and the declension of the adjectives after it."""
    if isinstance(phrase.owner, Name):
        return phrase.owner.text + "s", "strong"
    word = "the" if phrase.owner is not None else phrase.determiner
    if negated and phrase.is_indefinite:
        word = "no"
    table = DETERMINERS.get(word)
    text = table[case][phrase.gender] if table is not None else _NUMBERS.get(word, "")
    return text, DECLENSION_OF.get(word, "strong")


def _noun_words(phrase: NounPhrase, case: str, negated: bool) -> list[str]:
    text, declension = _determiner(phrase, case, negated)
    words = [text] if text else []
    if phrase.adjectives:
        ending = ADJECTIVE_ENDINGS[declension][case][phrase.gender]
        words += [adjective.stem + ending for adjective in phrase.adjectives]
    noun = phrase.noun
    words.append(noun.plural[case] if phrase.plural else noun.singular[case])
    if phrase.owner is not None and not isinstance(phrase.owner, Name):
        words.append(noun_phrase(phrase.owner, "g"))
    return words


def noun_phrase(phrase: Phrase, case: str, negated: bool = False) -> str:
    """Spell a phrase in a case; its relative clause is left to the clause it stands in.

    Args:
        phrase: The phrase.
        case: "n", "a", "d" or "g".
        negated: Whether an indefinite phrase becomes "kein".

    Returns:
        The words.
    """
    if isinstance(phrase, NounPhrase):
        return " ".join(_noun_words(phrase, case, negated))
    if isinstance(phrase, Pronoun):
        if phrase.word == "it" and phrase.gender in _IT:
            return _IT[phrase.gender][case]
        return PRONOUNS[phrase.word][case]
    if isinstance(phrase, Name):
        return phrase.text
    if isinstance(phrase, Pair):
        return f"{noun_phrase(phrase.first, case)} und {noun_phrase(phrase.second, case)}"
    return RELATIVES[case][phrase.gender]


def _prepositional(part: Prepositional | Adverb) -> str:
    if isinstance(part, Adverb):
        return part.german
    phrase = part.phrase
    if isinstance(phrase, Pronoun) and phrase.word == "what":  # worauf, womit
        return "wo" + ("r" if part.german[0] in "aeiouäöü" else "") + part.german
    text = noun_phrase(phrase, part.case)
    if isinstance(phrase, NounPhrase) and phrase.determiner == "the" and not isinstance(phrase.owner, Name):
        article, _, rest = text.partition(" ")
        contraction = CONTRACTIONS.get((part.german, article))
        if contraction:
            return f"{contraction} {rest}"
    return f"{part.german} {text}"


def _predicate(part: Adjective | Comparison | NounPhrase | Adverb, negated: bool) -> str:
    if isinstance(part, (Adjective, Adverb)):
        return part.german
    if isinstance(part, NounPhrase):
        return noun_phrase(part, "n", negated)
    if part.equal:
        return f"so {part.adjective.german} wie {noun_phrase(part.other, 'n')}"
    return f"{part.adjective.german_comparative} als {noun_phrase(part.other, 'n')}"


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
        and (phrase.determiner in _NUMBERS or phrase.determiner in ("many", "some"))
    )


def _objects(clause: Clause, kein: bool) -> tuple[list[str], list[str], list[str]]:
    """Return pronoun objects, definite objects and indefinite ones, in order."""
    pronouns: list[str] = []
    definite: list[str] = []
    indefinite: list[str] = []
    accusative, dative, front = clause.accusative, clause.dative, clause.front
    if isinstance(accusative, Pronoun) and accusative is not front:
        pronouns.append(noun_phrase(accusative, "a"))
    if dative is not None and dative is not front:
        if isinstance(dative, Pronoun):
            pronouns.append(noun_phrase(dative, "d"))
        else:
            (definite if _is_definite(dative) else indefinite).append(noun_phrase(dative, "d"))
    if accusative is not None and accusative is not front and not isinstance(accusative, Pronoun):
        target = definite if _is_definite(accusative) and not indefinite else indefinite
        target.append(noun_phrase(accusative, "a", kein))
    return pronouns, definite, indefinite


def _middle(clause: Clause) -> tuple[list[str], list[str]]:
    """Return the pronouns (they go right after the subject) and the rest of the middle of the clause."""
    front = clause.front
    kein = _negation_is_kein(clause)
    pronouns, definite, indefinite = _objects(clause, kein)
    words = [clause.time.german] if clause.time is not None and clause.time is not front else []
    if clause.progressive:
        words.append("gerade")
    words += definite
    words += _focus_words(clause, "nicht" if clause.negated and not kein else "")
    words += indefinite
    words += [
        _prepositional(part)
        for part in (clause.manner, clause.place, clause.oblique)
        if part is not None and part is not front
    ]
    if clause.predicate is not None:
        words.append(_predicate(clause.predicate, kein))
    return pronouns, words


def _extraposed(clause: Clause, subject_too: bool) -> list[str]:
    """Relative and complement clauses that follow the closing half of the verb."""
    words: list[str] = []
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
        return _prepositional(front)
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
        words += ["," if sentence.conjunction == "but" else "", _AND[sentence.conjunction]]
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
