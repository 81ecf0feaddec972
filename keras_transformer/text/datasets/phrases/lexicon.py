"""The lexicon of the phrases grammar, parsed once into words with all their forms, and indexed by meaning."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from keras_transformer.text.datasets.phrases import lexicon_nouns, lexicon_other, lexicon_verbs
from keras_transformer.text.datasets.phrases.german_forms import noun_cases, verb_forms
from keras_transformer.text.datasets.phrases.words import (
    Adjective,
    Adverb,
    EnglishVerb,
    Frame,
    Modal,
    Name,
    Noun,
    Place,
    Verb,
)

__all__ = ["Lexicon", "load_lexicon"]

_GENDER = {"der": "m", "die": "f", "das": "n"}


class Lexicon(NamedTuple):
    """Everything the grammar draws from.

    Args:
        nouns: Every noun.
        verbs: Every verb with its frames.
        by_kind: Kind of frame -> the (verb, frame) pairs of that kind.
        adjectives: Every adjective.
        fitting: Noun -> the adjectives that can describe it.
        by_class: Meaning class -> its nouns.
        names: First names.
        places: Place nouns with their prepositions.
        fixed_places: (there, to there) as adverbs; the second is None where there is none.
        towns: Going to a town or a country.
        fixed_goals: Going home, to school, to work.
        anchors: Noun that others stand next to -> its prepositions, (English, German).
        modals: English base form -> modal verb.
        adverbs: "present", "future", "past" (times), "frequency", "focus", "manner", "vehicle".
        manners_of: English verb -> the manner adverbs that suit it.
        places_of: English verb -> where it is done.
        verbs_for: Noun -> the (verb, frame) pairs that can have it as accusative object.
        found_in: Place, and the nouns found there.
        focus: English word -> frequency or focus adverb.
        described_by: Adjective -> the nouns that it can describe.
        describable: Nouns that some adjective can describe.
        of_people: Adjectives for people.
        looks: Adjectives for how people look.
        sold: Nouns with a price.
        jobs: Gender -> professions.
    """

    nouns: tuple[Noun, ...]
    verbs: tuple[Verb, ...]
    by_kind: dict[str, tuple[tuple[Verb, Frame], ...]]
    adjectives: tuple[Adjective, ...]
    fitting: dict[Noun, tuple[Adjective, ...]]
    by_class: dict[str, tuple[Noun, ...]]
    names: tuple[Name, ...]
    places: tuple[Place, ...]
    fixed_places: tuple[tuple[Adverb, Adverb | None], ...]
    towns: tuple[Adverb, ...]
    fixed_goals: tuple[Adverb, ...]
    anchors: tuple[tuple[Noun, tuple[tuple[str, str], ...]], ...]
    modals: dict[str, Modal]
    adverbs: dict[str, tuple[Adverb, ...]]
    manners_of: dict[str, tuple[Adverb, ...]]
    places_of: dict[str, tuple[Place | Adverb, ...]]
    verbs_for: dict[Noun, tuple[tuple[Verb, Frame], ...]]
    found_in: tuple[tuple[Place | Adverb, tuple[Noun, ...]], ...]
    focus: dict[str, Adverb]
    described_by: dict[Adjective, tuple[Noun, ...]]
    describable: tuple[Noun, ...]
    of_people: tuple[Adjective, ...]
    looks: tuple[Adjective, ...]
    sold: tuple[Noun, ...]
    jobs: dict[str, tuple[Noun, ...]]


def _rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in text.strip().split("\n")]


def _noun(row: list[str]) -> Noun:
    english, german, classes = row
    singular, _, plural = english.partition("/")
    article, nominative, genitive, german_plural = german.split()
    cases, plural_cases = noun_cases(nominative, genitive, german_plural, _GENDER[article])
    english_plural = (plural or singular + "s") if plural_cases else ""
    return Noun(singular, english_plural, _GENDER[article], cases, plural_cases, frozenset(classes.split()))


def _adjective(row: list[str]) -> Adjective:
    english, german, classes = row
    base, _, comparative = english.partition(" ")
    forms = [*german.split(), "-", ""]
    german_comparative = forms[1].strip("-")
    if german_comparative and not comparative:
        comparative = f"more {base}"
    stem = forms[2].strip("-") or forms[0]
    return Adjective(base, comparative, forms[0], german_comparative, stem, frozenset(classes.split()))


def _third_person(base: str) -> str:
    if base in {"have", "be"}:
        return {"have": "has", "be": "is"}[base]
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _english_verb(text: str) -> tuple[EnglishVerb, str]:
    base, past, participle, ing = text.split()
    aspect = {"!": "state", "~": "event"}.get(base[-1], "activity")
    base, _, particle = base.rstrip("!~").partition("+")
    base, _, tail = base.partition("_")
    past, participle, ing = (form.partition("_")[0] for form in (past, participle, ing))
    tail = tail.replace("_", " ")
    return EnglishVerb(base, _third_person(base), past, participle, ing, tail, particle), aspect


def _objects(classes: str, by_class: dict[str, tuple[Noun, ...]]) -> tuple[Noun, ...]:
    groups = lexicon_other.GROUPS
    names = " ".join(groups.get(name, name) for name in classes.split(",")).split()
    return tuple(dict.fromkeys(noun for name in names for noun in by_class[name]))


def _frame(text: str, by_class: dict[str, tuple[Noun, ...]]) -> Frame:
    head, *rest = text.strip().split(":")
    kind, _, subjects = head.partition("<")
    classes = " ".join(lexicon_other.GROUPS.get(name, name) for name in (subjects or "person").split(","))
    preposition = ("", "", "")
    if kind == "p":
        preposition = (rest[0], rest[1], rest[2])
        rest = rest[3:]
    return Frame(kind, tuple(classes.split()), _objects(rest[0], by_class) if rest else (), preposition)


def _verb(row: list[str], by_class: dict[str, tuple[Noun, ...]]) -> Verb:
    english, german, frames = row
    english_verb, aspect = _english_verb(english)
    spelling, _, participle = german.rpartition(" ")
    parsed = tuple(_frame(frame, by_class) for frame in frames.split(";"))
    return Verb(english_verb, verb_forms(spelling.strip(), participle), aspect, parsed)


def _modal(row: list[str]) -> Modal:
    english, german = row
    _, plural, ich, du, er, past = german.split()
    past_forms = () if past == "-" else (past, past + "st", past, past + "n", past + "t", past + "n")
    return Modal(english, (ich, du, er, plural, plural, plural), past_forms)


def _pairs(text: str) -> tuple[Adverb, ...]:
    return tuple(Adverb(*(part.replace("_", " ") for part in word.split(":"))) for word in text.split())


def _adverbs() -> dict[str, tuple[Adverb, ...]]:
    other = lexicon_other
    times = {"present": other.TIMES_PRESENT, "future": other.TIMES_FUTURE, "past": other.TIMES_PAST}
    vehicles = [word.split(":") for word in other.VEHICLES_BY.split()]
    return {
        **{tense: tuple(Adverb(*row) for row in _rows(text)) for tense, text in times.items()},
        "frequency": _pairs(other.FREQUENCIES),
        "focus": _pairs(other.FOCUS),
        "manner": _pairs(other.MANNERS),
        "vehicle": tuple(Adverb(f"by {en}", "mit " + de.replace(",", " ")) for en, de in vehicles),
    }


def _goal(english: str, german: str, english_goal: str, german_goal: str) -> tuple[Adverb, Adverb | None]:
    return Adverb(english, german), None if english_goal == "-" else Adverb(english_goal, german_goal)


def _table(text: str) -> dict[str, list[str]]:
    rows = [line.partition(":") for line in text.strip().split("\n")]
    return {name.strip().replace("_", " "): [w.replace("_", " ") for w in words.split()] for name, _, words in rows}


def _manners_of(manners: tuple[Adverb, ...]) -> dict[str, tuple[Adverb, ...]]:
    by_name = {adverb.english: adverb for adverb in manners}
    return {verb: tuple(by_name[name] for name in names) for verb, names in _table(lexicon_other.MANNERS_OF).items()}


def _named_places(
    places: tuple[Place, ...], fixed: tuple[tuple[Adverb, Adverb | None], ...]
) -> dict[str, tuple[Place | Adverb, ...]]:
    by_name: dict[str, tuple[Place | Adverb, ...]] = {place.noun.english: (place,) for place in places}
    by_name.update({here.english: (here,) for here, _ in fixed})
    by_name["@town"] = tuple(here for here, _ in fixed if here.english.startswith("in "))
    by_name["@country"] = tuple(here for here in by_name["@town"] if here.english[3:] in lexicon_other.COUNTRIES)
    return by_name


def _places_of(
    places: tuple[Place, ...], fixed: tuple[tuple[Adverb, Adverb | None], ...]
) -> dict[str, tuple[Place | Adverb, ...]]:
    by_name = _named_places(places, fixed)
    table = _table(lexicon_other.PLACES_OF)
    return {verb: tuple(place for name in names for place in by_name[name]) for verb, names in table.items()}


def _places(nouns: dict[str, Noun]) -> tuple[Place, ...]:
    rows = ((name, *static.split(), goal) for name, static, goal in _rows(lexicon_other.PLACES))
    return tuple(Place(nouns[name], english, german, goal) for name, english, german, goal in rows)


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """Parse the lexicon (once per process).

    Returns:
        The lexicon.

    Example:
        >>> lexicon = load_lexicon()
        >>> noun = next(noun for noun in lexicon.nouns if noun.english == "book")
        >>> noun.plural["d"]
        'Büchern'
    """
    nouns = tuple(_noun(row) for row in _rows(lexicon_nouns.NOUNS))
    by_name = {noun.english: noun for noun in nouns}
    classes = sorted({name for noun in nouns for name in noun.classes})
    by_class = {name: tuple(noun for noun in nouns if name in noun.classes) for name in classes}
    verbs = tuple(_verb(row, by_class) for row in _rows(lexicon_verbs.VERBS))
    adjectives = tuple(_adjective(row) for row in _rows(lexicon_other.ADJECTIVES))
    by_kind: dict[str, tuple[tuple[Verb, Frame], ...]] = {}
    for verb in verbs:
        for frame in verb.frames:
            by_kind[frame.kind] = (*by_kind.get(frame.kind, ()), (verb, frame))
    positions = lexicon_other.POSITIONS
    places = _places(by_name)
    fixed_places = tuple(_goal(*row) for row in _rows(lexicon_other.FIXED_PLACES))
    adverbs = _adverbs()
    anchors = tuple(
        (by_name[name], tuple((word, positions[word]) for word in prepositions.replace("_", " ").split(",")))
        for name, prepositions in ((name, ",".join(words.split())) for name, words in _rows(lexicon_other.ANCHORS))
    )
    return Lexicon(
        nouns=nouns,
        verbs=verbs,
        by_kind=by_kind,
        adjectives=adjectives,
        fitting={n: tuple(a for a in adjectives if not a.classes.isdisjoint(n.classes)) for n in nouns},
        by_class=by_class,
        names=tuple(Name(word[:-2], word[-1]) for word in lexicon_other.NAMES.split()),
        places=places,
        fixed_places=fixed_places,
        towns=tuple(goal for here, goal in fixed_places if goal and here.english.startswith("in ")),
        fixed_goals=tuple(goal for here, goal in fixed_places if goal and here.english.startswith("at ")),
        anchors=anchors,
        modals={modal.english: modal for modal in map(_modal, _rows(lexicon_other.MODALS))},
        adverbs=adverbs,
        manners_of=_manners_of(adverbs["manner"]),
        places_of=_places_of(places, fixed_places),
        verbs_for={n: tuple(pair for pair in by_kind["a"] if n in pair[1].objects) for n in nouns},
        found_in=tuple(
            (place, tuple(by_name[noun] for noun in found))
            for name, found in _table(lexicon_other.FOUND_IN).items()
            for place in _named_places(places, fixed_places)[name]
        ),
        focus={adverb.english: adverb for adverb in (*adverbs["frequency"], *adverbs["focus"])},
        described_by={a: tuple(n for n in nouns if not a.classes.isdisjoint(n.classes)) for a in adjectives},
        describable=tuple(n for n in nouns if any(not a.classes.isdisjoint(n.classes) for a in adjectives)),
        of_people=tuple(adjective for adjective in adjectives if "person" in adjective.classes),
        looks=tuple(adjective for adjective in adjectives if adjective.english in lexicon_other.LOOKS),
        sold=_objects(lexicon_other.SOLD, by_class),
        jobs={g: tuple(n for n in by_class["job"] if n.gender == g) for g in "mf"},
    )
