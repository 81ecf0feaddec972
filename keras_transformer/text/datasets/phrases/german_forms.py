"""German morphology: noun cases, article and adjective endings, verb forms."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.words import GermanVerb

__all__ = [
    "ADJECTIVE_ENDINGS",
    "CONTRACTIONS",
    "DECLENSION_OF",
    "DETERMINERS",
    "PRONOUNS",
    "REFLEXIVES",
    "noun_cases",
    "verb_forms",
]

CASES = "nadg"
GENDERS = "mfnp"  # p: plural, where German makes no difference of gender


def _table(*rows: str) -> dict[str, dict[str, str]]:
    """Make ``table[case][gender]`` from four rows of four endings; ``-`` is an empty ending."""
    cells = [[cell.strip("-") for cell in row.split()] for row in rows]
    return {case: dict(zip(GENDERS, row, strict=True)) for case, row in zip(CASES, cells, strict=True)}


def _prefixed(stem: str, endings: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {c: {g: stem + ending for g, ending in row.items()} for c, row in endings.items()}


_DEFINITE = _table("der die das die", "den die das die", "dem der dem den", "des der des der")
_DER_WORD = _table("er e es e", "en e es e", "em er em en", "es er es er")
_EIN_WORD = _table("- e - e", "en e - e", "em er em en", "es er es er")

# English determiner -> German table. "no" serves the negation of "a" and of bare nouns.
DETERMINERS: dict[str, dict[str, dict[str, str]]] = {
    "the": _DEFINITE,
    "this": _prefixed("dies", _DER_WORD),
    "every": _prefixed("jed", _DER_WORD),
    "which": _prefixed("welch", _DER_WORD),
    "all": _prefixed("all", _DER_WORD),
    "many": _prefixed("viel", _DER_WORD),
    "some": _prefixed("einig", _DER_WORD),
    "how many": _prefixed("wie viel", _DER_WORD),
    "a": _prefixed("ein", _EIN_WORD),
    "no": _prefixed("kein", _EIN_WORD),
    "my": _prefixed("mein", _EIN_WORD),
    "your": _prefixed("dein", _EIN_WORD),
    "his": _prefixed("sein", _EIN_WORD),
    "her": _prefixed("ihr", _EIN_WORD),
    "our": _prefixed("unser", _EIN_WORD),
    "their": _prefixed("ihr", _EIN_WORD),
}

ADJECTIVE_ENDINGS = {
    "weak": _table("e e e en", "en e e en", "en en en en", "en en en en"),
    "mixed": _table("er e es en", "en e es en", "en en en en", "en en en en"),
    "strong": _table("er e es e", "en e es e", "em er em en", "en er en er"),
}
DECLENSION_OF = {
    **dict.fromkeys(("the", "this", "every", "which", "all"), "weak"),
    **dict.fromkeys(("a", "no", "my", "your", "his", "her", "our", "their"), "mixed"),
}  # every other determiner, numbers and no determiner at all: strong

# Preposition and definite article that melt together.
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
    ("bei", "dem"): "beim",
    ("in", "das"): "ins",
    ("an", "das"): "ans",
}

PRONOUNS = {
    "I": {"n": "ich", "a": "mich", "d": "mir"},
    "you": {"n": "du", "a": "dich", "d": "dir"},
    "he": {"n": "er", "a": "ihn", "d": "ihm"},
    "she": {"n": "sie", "a": "sie", "d": "ihr"},
    "it": {"n": "es", "a": "es", "d": "ihm"},
    "we": {"n": "wir", "a": "uns", "d": "uns"},
    "they": {"n": "sie", "a": "sie", "d": "ihnen"},
    "who": {"n": "wer", "a": "wen", "d": "wem"},
    "what": {"n": "was", "a": "was"},
    "there": {"n": "es"},
}
RELATIVES = {**_DEFINITE, "d": {**_DEFINITE["d"], "p": "denen"}}
REFLEXIVES = ("mich", "dich", "sich", "uns", "euch", "sich")


def noun_cases(nominative: str, genitive: str, plural: str, gender: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the singular and the plural of a noun by case.

    A masculine noun is weak when its genitive does not end in -s; all its other cases are then the genitive form.

    Args:
        nominative: Nominative singular.
        genitive: Genitive singular.
        plural: Nominative plural, or ``-`` for a mass noun.
        gender: "m", "f" or "n".

    Returns:
        Two dictionaries with keys "n", "a", "d", "g"; the second is empty for a mass noun.

    Example:
        >>> noun_cases("Student", "Studenten", "Studenten", "m")[0]["d"]
        'Studenten'
        >>> noun_cases("Kind", "Kindes", "Kinder", "n")[1]["d"]
        'Kindern'
    """
    oblique = nominative
    if gender == "m" and not genitive.endswith("s"):
        oblique = genitive
    elif gender == "m" and genitive == nominative + "ns":  # der Name, des Namens, den Namen
        oblique = nominative + "n"
    singular = {"n": nominative, "a": oblique, "d": oblique, "g": genitive}
    if plural == "-":
        return singular, {}
    dative = plural if plural[-1] in "ns" else plural + "n"
    return singular, {"n": plural, "a": plural, "d": dative, "g": plural}


_IRREGULAR_PRESENT = {
    "sein": "bin bist ist sind seid sind",
    "haben": "habe hast hat haben habt haben",
    "werden": "werde wirst wird werden werdet werden",
    "wissen": "weiß weißt weiß wissen wisst wissen",
    "mögen": "mag magst mag mögen mögt mögen",
}
_SIMPLE_PAST = {
    "sein": "war warst war waren wart waren",
    "haben": "hatte hattest hatte hatten hattet hatten",
}
_IRREGULAR_IMPERATIVE = {"sein": "sei", "haben": "hab", "werden": "werde", "wissen": "wisse"}


def _needs_e(stem: str) -> bool:
    """Whether -st and -t need an e before them: du arbeitest, es regnet, er zeichnet, but du wohnst, er lernt."""
    if stem[-1] in "td":
        return True
    if stem[-1] not in "mn" or len(stem) < 3 or stem[-2] in "aeiouäöülrmn":
        return False
    return not (stem[-2] == "h" and stem[-3] in "aeiouäöü")


def _present(infinitive: str, du: str, er: str) -> tuple[str, ...]:
    if infinitive in _IRREGULAR_PRESENT:
        return tuple(_IRREGULAR_PRESENT[infinitive].split())
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    ich = stem[:-2] + "le" if infinitive.endswith("eln") else stem + "e"
    linking = "e" if _needs_e(stem) else ""
    regular_du = stem + ("t" if stem[-1] in "sßzx" else linking + "st")
    third = stem + linking + "t"
    return ich, du or regular_du, er or third, infinitive, third, infinitive


def _imperative(infinitive: str, er: str) -> str:
    if infinitive in _IRREGULAR_IMPERATIVE:
        return _IRREGULAR_IMPERATIVE[infinitive]
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    if er and "i" in er and "i" not in stem:  # e becomes i: lies, gib, nimm
        return er[:-1]
    if er and "ie" in er and "ie" not in stem:
        return er[:-1]
    if infinitive.endswith("eln"):
        return stem[:-2] + "le"
    return stem + "e" if _needs_e(stem) or infinitive.endswith("ern") else stem


def verb_forms(spelling: str, participle: str) -> GermanVerb:
    """Build all forms of a verb from the line of the lexicon.

    Args:
        spelling: Infinitive, with ``|`` after a separable prefix and "sich " before a reflexive verb, then the du
            and er forms of the present after commas where they are irregular: "fahren,fährst,fährt".
        participle: Past participle, with "/sein" where the perfect is formed with sein.

    Returns:
        The verb.

    Example:
        >>> verb = verb_forms("auf|stehen", "aufgestanden/sein")
        >>> verb.present[2], verb.prefix, verb.imperative, verb.auxiliary
        ('steht', 'auf', 'steh', 'sein')
    """
    reflexive = spelling.startswith("sich ")
    infinitive, _, irregular = spelling.removeprefix("sich ").partition(",")
    prefix, _, infinitive = infinitive.rpartition("|")
    du, _, er = irregular.partition(",")
    er = er or (du if irregular else "")
    participle, _, auxiliary = participle.partition("/")
    return GermanVerb(
        infinitive=infinitive,
        prefix=prefix,
        reflexive=reflexive,
        present=_present(infinitive, du, er),
        past=tuple(_SIMPLE_PAST.get(infinitive, "").split()),
        participle=participle,
        auxiliary=auxiliary or "haben",
        imperative=_imperative(infinitive, er),
    )
