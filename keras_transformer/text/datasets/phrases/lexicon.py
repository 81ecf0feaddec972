"""The lexicon of the phrases grammar, built once and indexed by what the grammar asks it for."""

from __future__ import annotations

from functools import lru_cache

from keras_transformer.text.datasets.phrases import lexicon_other as data
from keras_transformer.text.datasets.phrases import lexicon_places as places
from keras_transformer.text.datasets.phrases.lexicon_nouns import NOUNS
from keras_transformer.text.datasets.phrases.lexicon_verbs import VERBS
from keras_transformer.text.datasets.phrases.parse import (
    adverb_pairs,
    parse_adjective,
    parse_modal,
    parse_noun,
    parse_verb,
    rows,
    select,
    table,
)
from keras_transformer.text.datasets.phrases.tree import NounPhrase, Prepositional
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Frame, Modal, Name, Noun, Verb

__all__ = ["Lexicon", "Where", "load_lexicon"]

Where = Prepositional | Adverb


class Lexicon:
    """Everything the grammar draws from.

    Attributes:
        nouns: Every noun.
        by_name: English singular -> noun.
        by_class: Meaning class -> its nouns.
        parts: Noun such as "price" -> the nouns that have one.
        jobs: Gender -> professions.
        sold: Nouns with a price.
        adjectives: Every adjective.
        fitting: Noun -> the adjectives that can describe it.
        described_by: Adjective -> the nouns that it can describe.
        describable: Nouns that some adjective can describe.
        of_people: Adjectives for people.
        looks: Adjectives for how people look.
        motives: Adjectives that are a reason for people to do something.
        moods: Adjectives of states that come and go.
        skills: Adjectives for people at work.
        reasons: Noun -> adjectives that are a reason to want it or not to.
        welcome: Adjectives that are a reason to want a thing.
        verbs: Every verb with its frames.
        by_kind: Kind of frame -> the (verb, frame) pairs of that kind.
        verbs_for: Noun -> the (verb, frame) pairs that can have it as accusative object.
        modals: English base form -> modal verb.
        names: First names.
        adverbs: "present", "future", "past" (times), "frequency", "focus", "manner", "vehicle".
        focus: English word -> frequency or focus adverb.
        manners_of: English verb -> the manner adverbs that suit it.
        places_of: English verb -> where it is done.
        goals_of: English verb -> where it leads.
        found_in: Places, each with the nouns found there.
        standing: Where furniture, vehicles and people stand.
        lying: Where small things are.
        putting: Where small things are put.
    """

    def __init__(self) -> None:
        self.names = tuple(Name(word[:-2], word[-1]) for word in data.NAMES.split())
        self.modals: dict[str, Modal] = {modal.english: modal for modal in map(parse_modal, rows(data.MODALS))}
        self._index_nouns()
        self._index_adjectives()
        self._index_verbs()
        self._index_adverbs()
        self._index_places()

    def _index_nouns(self) -> None:
        self.nouns = tuple(parse_noun(row) for row in rows(NOUNS))
        self.by_name: dict[str, Noun] = {noun.english: noun for noun in self.nouns}
        classes = sorted({name for noun in self.nouns for name in noun.classes})
        self.by_class = {name: tuple(noun for noun in self.nouns if name in noun.classes) for name in classes}
        self.sold = select(data.SOLD, self.by_class)
        self.jobs = {gender: tuple(n for n in self.by_class["job"] if n.gender == gender) for gender in "mf"}
        self.parts = {
            self.by_name[part]: tuple(
                noun
                for name in names
                for noun in (self.by_class[name] if name in self.by_class else (self.by_name[name],))
            )
            for part, names in table(data.PARTS).items()
        }

    def _index_adjectives(self) -> None:
        self.adjectives: tuple[Adjective, ...] = tuple(parse_adjective(row) for row in rows(data.ADJECTIVES))
        self.fitting = {n: tuple(a for a in self.adjectives if a.classes & n.classes) for n in self.nouns}
        self.described_by = {a: tuple(n for n in self.nouns if a.classes & n.classes) for a in self.adjectives}
        self.describable = tuple(noun for noun in self.nouns if self.fitting[noun])
        self.of_people = tuple(adjective for adjective in self.adjectives if "person" in adjective.classes)
        self.looks = self._named(data.LOOKS)
        self.motives = self._named(data.MOTIVES)
        self.moods = frozenset(self._named(data.MOODS))
        self.skills = frozenset(self._named(data.SKILLS))
        self.welcome = frozenset(self._named(data.WELCOME))
        reasons = self.welcome.union(self._named(data.UNWELCOME))
        self.reasons = {noun: tuple(a for a in fitting if a in reasons) for noun, fitting in self.fitting.items()}

    def _named(self, names: str) -> tuple[Adjective, ...]:
        wanted = names.split()
        return tuple(adjective for adjective in self.adjectives if adjective.english in wanted)

    def _index_verbs(self) -> None:
        self.verbs = tuple(parse_verb(row, self.by_class) for row in rows(VERBS))
        self.by_kind: dict[str, tuple[tuple[Verb, Frame], ...]] = {}
        for verb in self.verbs:
            for frame in verb.frames:
                self.by_kind[frame.kind] = (*self.by_kind.get(frame.kind, ()), (verb, frame))
        actions = self.by_kind["a"]
        self.verbs_for = {n: tuple(pair for pair in actions if n in pair[1].objects) for n in self.nouns}

    def _index_adverbs(self) -> None:
        times = {"present": data.TIMES_PRESENT, "future": data.TIMES_FUTURE, "past": data.TIMES_PAST}
        vehicles = [word.split(":") for word in data.VEHICLES_BY.split()]
        self.adverbs: dict[str, tuple[Adverb, ...]] = {
            **{tense: tuple(Adverb(*row) for row in rows(text)) for tense, text in times.items()},
            "frequency": adverb_pairs(data.FREQUENCIES),
            "focus": adverb_pairs(data.FOCUS),
            "manner": adverb_pairs(data.MANNERS),
            "vehicle": tuple(Adverb(f"by {en}", "mit " + de.replace(",", " ")) for en, de in vehicles),
        }
        self.focus = {adverb.english: adverb for adverb in (*self.adverbs["frequency"], *self.adverbs["focus"])}
        manners = {adverb.english: adverb for adverb in self.adverbs["manner"]}
        self.manners_of = {
            verb: tuple(manners[name] for name in names) for verb, names in table(data.MANNERS_OF).items()
        }

    def _index_places(self) -> None:
        here: dict[str, tuple[Where, ...]] = {}
        goals: dict[str, tuple[Where, ...]] = {}
        for name, static, goal in rows(places.PLACES):
            english, german = static.split()
            phrase = NounPhrase(self.by_name[name])
            here[name] = (Prepositional(english, german, "d", phrase),)
            goals[name] = (Prepositional("to", goal, "d" if goal == "zu" else "a", phrase),)
        for english, german, english_goal, german_goal in rows(places.FIXED_PLACES):
            here[english] = (Adverb(english, german),)
            goals[english_goal.removeprefix("to ")] = (Adverb(english_goal, german_goal),)
        towns = [row[0] for row in rows(places.FIXED_PLACES) if row[0].startswith("in ")]
        here["@town"] = tuple(where for town in towns for where in here[town])
        here["@country"] = tuple(where for town in towns if town[3:] in places.COUNTRIES for where in here[town])
        goals["@town"] = tuple(where for town in towns for where in goals[town[3:]])
        self.places_of = {v: tuple(w for name in p for w in here[name]) for v, p in table(places.PLACES_OF).items()}
        self.goals_of = {v: tuple(w for name in p for w in goals[name]) for v, p in table(places.GOALS_OF).items()}
        self.found_in = tuple(
            (where, tuple(self.by_name[noun] for noun in found))
            for name, found in table(places.FOUND_IN).items()
            for where in here[name]
        )
        indoors, outdoors = (self._positions(text, "d") for text in (places.INDOORS, places.OUTDOORS))
        self.standing = {"furniture": indoors, "vehicle": outdoors, "person": indoors + outdoors}
        self.lying = self._positions(places.LYING, "d")
        self.putting = self._positions(places.LYING, "a")

    def _positions(self, text: str, case: str) -> tuple[Prepositional, ...]:
        german = places.POSITIONS
        return tuple(
            Prepositional(name.replace("_", " "), german[name], case, NounPhrase(self.by_name[noun]))
            for noun, names in rows(text)
            for name in names.split()
        )


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """Build the lexicon (once per process).

    Returns:
        The lexicon.

    Example:
        >>> load_lexicon().by_name["book"].plural["d"]
        'Büchern'
    """
    return Lexicon()
