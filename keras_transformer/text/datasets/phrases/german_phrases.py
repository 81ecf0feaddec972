"""German phrases: determiner, adjective and noun that agree, prepositions with their case."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.german_forms import (
    ADJECTIVE_ENDINGS,
    CONTRACTIONS,
    DECLENSION_OF,
    DETERMINERS,
    PRONOUNS,
    RELATIVES,
)
from keras_transformer.text.datasets.phrases.numbers import COUNTS, COUNTS_GERMAN
from keras_transformer.text.datasets.phrases.tree import NounPhrase, Pair, Phrase, Prepositional, Pronoun
from keras_transformer.text.datasets.phrases.words import Adverb, Name

__all__ = ["noun_phrase", "prepositional"]

_NUMBERS = dict(zip(COUNTS, COUNTS_GERMAN, strict=True))
_IT = {"m": {"n": "er", "a": "ihn", "d": "ihm"}, "f": {"n": "sie", "a": "sie", "d": "ihr"}}


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


def prepositional(part: Prepositional | Adverb) -> str:
    """Spell an adverbial; preposition and article melt together where they must: im, zur, ins."""
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
