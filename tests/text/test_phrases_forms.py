"""German morphology of the phrases grammar against tables written out by hand."""

import pytest

from keras_transformer.text.datasets.phrases.english import noun_phrase as english_phrase
from keras_transformer.text.datasets.phrases.german_forms import verb_forms
from keras_transformer.text.datasets.phrases.german_phrases import noun_phrase, prepositional
from keras_transformer.text.datasets.phrases.lexicon import load_lexicon
from keras_transformer.text.datasets.phrases.numbers import clock, in_english, in_german
from keras_transformer.text.datasets.phrases.tree import NounPhrase, Prepositional
from keras_transformer.text.datasets.phrases.words import Verb

pytestmark = pytest.mark.backend_independent

LEX = load_lexicon()
OLD = next(adjective for adjective in LEX.adjectives if adjective.english == "old")

# Determiner, noun, plural: nominative, accusative, dative, genitive.
DECLENSIONS = {
    ("the", "dog", False): "der alte Hund, den alten Hund, dem alten Hund, des alten Hundes",
    ("the", "cat", False): "die alte Katze, die alte Katze, der alten Katze, der alten Katze",
    ("the", "book", False): "das alte Buch, das alte Buch, dem alten Buch, des alten Buches",
    ("the", "book", True): "die alten Bücher, die alten Bücher, den alten Büchern, der alten Bücher",
    ("a", "dog", False): "ein alter Hund, einen alten Hund, einem alten Hund, eines alten Hundes",
    ("a", "cat", False): "eine alte Katze, eine alte Katze, einer alten Katze, einer alten Katze",
    ("a", "book", False): "ein altes Buch, ein altes Buch, einem alten Buch, eines alten Buches",
    ("my", "dog", False): "mein alter Hund, meinen alten Hund, meinem alten Hund, meines alten Hundes",
    ("her", "cat", False): "ihre alte Katze, ihre alte Katze, ihrer alten Katze, ihrer alten Katze",
    ("our", "book", False): "unser altes Buch, unser altes Buch, unserem alten Buch, unseres alten Buches",
    ("your", "book", True): "deine alten Bücher, deine alten Bücher, deinen alten Büchern, deiner alten Bücher",
    ("no", "dog", False): "kein alter Hund, keinen alten Hund, keinem alten Hund, keines alten Hundes",
    ("no", "cat", True): "keine alten Katzen, keine alten Katzen, keinen alten Katzen, keiner alten Katzen",
    ("this", "dog", False): "dieser alte Hund, diesen alten Hund, diesem alten Hund, dieses alten Hundes",
    ("this", "book", False): "dieses alte Buch, dieses alte Buch, diesem alten Buch, dieses alten Buches",
    ("this", "cat", True): "diese alten Katzen, diese alten Katzen, diesen alten Katzen, dieser alten Katzen",
    ("every", "cat", False): "jede alte Katze, jede alte Katze, jeder alten Katze, jeder alten Katze",
    ("all", "book", True): "alle alten Bücher, alle alten Bücher, allen alten Büchern, aller alten Bücher",
    ("which", "dog", False): "welcher alte Hund, welchen alten Hund, welchem alten Hund, welches alten Hundes",
    ("", "wine", False): "alter Wein, alten Wein, altem Wein, alten Weines",
    ("", "milk", False): "alte Milch, alte Milch, alter Milch, alter Milch",
    ("", "bread", False): "altes Brot, altes Brot, altem Brot, alten Brotes",
    ("", "book", True): "alte Bücher, alte Bücher, alten Büchern, alter Bücher",
    ("three", "cat", True): "drei alte Katzen, drei alte Katzen, drei alten Katzen, drei alter Katzen",
    ("many", "book", True): "viele alte Bücher, viele alte Bücher, vielen alten Büchern, vieler alter Bücher",
    ("some", "dog", True): "einige alte Hunde, einige alte Hunde, einigen alten Hunden, einiger alter Hunde",
    ("the", "student", False): "der alte Student, den alten Studenten, dem alten Studenten, des alten Studenten",
    ("a", "boy", False): "ein alter Junge, einen alten Jungen, einem alten Jungen, eines alten Jungen",
    ("the", "name", False): "der alte Name, den alten Namen, dem alten Namen, des alten Namens",
}

# Infinitive -> ich, du, er, wir, sie; participle; auxiliary; imperative.
CONJUGATIONS = {
    "lesen": "lese liest liest lesen lesen gelesen haben lies",
    "sehen": "sehe siehst sieht sehen sehen gesehen haben sieh",
    "geben": "gebe gibst gibt geben geben gegeben haben gib",
    "nehmen": "nehme nimmst nimmt nehmen nehmen genommen haben nimm",
    "essen": "esse isst isst essen essen gegessen haben iss",
    "helfen": "helfe hilfst hilft helfen helfen geholfen haben hilf",
    "treffen": "treffe triffst trifft treffen treffen getroffen haben triff",
    "sprechen": "spreche sprichst spricht sprechen sprechen gesprochen haben sprich",
    "vergessen": "vergesse vergisst vergisst vergessen vergessen vergessen haben vergiss",
    "empfehlen": "empfehle empfiehlst empfiehlt empfehlen empfehlen empfohlen haben empfiehl",
    "stehlen": "stehle stiehlst stiehlt stehlen stehlen gestohlen haben stiehl",
    "fahren": "fahre fährst fährt fahren fahren gefahren sein fahr",
    "schlafen": "schlafe schläfst schläft schlafen schlafen geschlafen haben schlaf",
    "laufen": "laufe läufst läuft laufen laufen gelaufen sein lauf",
    "tragen": "trage trägst trägt tragen tragen getragen haben trag",
    "waschen": "wasche wäschst wäscht waschen waschen gewaschen haben wasch",
    "verlassen": "verlasse verlässt verlässt verlassen verlassen verlassen haben verlass",
    "bleiben": "bleibe bleibst bleibt bleiben bleiben geblieben sein bleib",
    "schließen": "schließe schließt schließt schließen schließen geschlossen haben schließ",
    "schwimmen": "schwimme schwimmst schwimmt schwimmen schwimmen geschwommen sein schwimm",
    "einladen": "lade lädst lädt laden laden eingeladen haben lade",
    "aufstehen": "stehe stehst steht stehen stehen aufgestanden sein steh",
    "anfangen": "fange fängst fängt fangen fangen angefangen haben fang",
    "arbeiten": "arbeite arbeitest arbeitet arbeiten arbeiten gearbeitet haben arbeite",
    "öffnen": "öffne öffnest öffnet öffnen öffnen geöffnet haben öffne",
    "zeichnen": "zeichne zeichnest zeichnet zeichnen zeichnen gezeichnet haben zeichne",
    "wohnen": "wohne wohnst wohnt wohnen wohnen gewohnt haben wohn",
    "lernen": "lerne lernst lernt lernen lernen gelernt haben lern",
    "tanzen": "tanze tanzt tanzt tanzen tanzen getanzt haben tanz",
    "reisen": "reise reist reist reisen reisen gereist sein reis",
    "lächeln": "lächle lächelst lächelt lächeln lächeln gelächelt haben lächle",
    "füttern": "füttere fütterst füttert füttern füttern gefüttert haben füttere",
    "sein": "bin bist ist sind sind gewesen sein sei",
    "haben": "habe hast hat haben haben gehabt haben hab",
    "werden": "werde wirst wird werden werden geworden sein werde",
    "wissen": "weiß weißt weiß wissen wissen gewusst haben wisse",
    "mögen": "mag magst mag mögen mögen gemocht haben mög",
}


def german_verb(infinitive: str) -> Verb:
    return next(v for v in LEX.verbs if v.german.prefix + v.german.infinitive == infinitive)


@pytest.mark.parametrize("key", DECLENSIONS, ids=str)
def test_determiner_adjective_and_noun_agree_in_every_case(key: tuple[str, str, bool]) -> None:
    determiner, noun, plural = key
    phrase = NounPhrase(LEX.by_name[noun], determiner, plural, (OLD,))
    assert [noun_phrase(phrase, case) for case in "nadg"] == DECLENSIONS[key].split(", ")


@pytest.mark.parametrize("infinitive", CONJUGATIONS)
def test_verb_has_the_forms_a_grammar_book_gives(infinitive: str) -> None:
    german = german_verb(infinitive).german
    forms = [german.present[person] for person in (0, 1, 2, 3, 5)]
    assert [*forms, german.participle, german.auxiliary, german.imperative] == CONJUGATIONS[infinitive].split()


@pytest.mark.parametrize(
    ("english", "present", "past"),
    [
        ("can", "kann kannst kann können können", "konnte konntest konnte konnten konnten"),
        ("may", "darf darfst darf dürfen dürfen", "durfte durftest durfte durften durften"),
        ("have to", "muss musst muss müssen müssen", "musste musstest musste mussten mussten"),
        ("want to", "will willst will wollen wollen", "wollte wolltest wollte wollten wollten"),
        ("should", "sollte solltest sollte sollten sollten", ""),
        ("would like to", "möchte möchtest möchte möchten möchten", ""),
    ],
)
def test_modal_verbs(english: str, present: str, past: str) -> None:
    modal = LEX.modals[english]
    assert [modal.present[person] for person in (0, 1, 2, 3, 5)] == present.split()
    assert [modal.past[person] for person in (0, 1, 2, 3, 5)] == past.split() if past else modal.past == ()


def test_every_noun_has_plausible_forms() -> None:
    for noun in LEX.nouns:
        assert noun.gender in "mfn"
        assert noun.singular["n"][0].isupper()
        if noun.gender == "f":
            assert set(noun.singular.values()) == {noun.singular["n"]}, noun.english
        elif noun.singular["g"][-1] != "s":
            assert noun.gender == "m"
            assert noun.singular["g"].endswith("n"), noun.english
            assert noun.singular["d"] == noun.singular["g"] == noun.plural["n"], noun.english
        if not noun.is_mass:
            assert noun.plural["d"][-1] in "ns", noun.english
            assert noun.plural["n"] == noun.plural["a"] == noun.plural["g"]
            assert noun.english_plural not in ("", noun.english), noun.english


def test_every_lemma_is_one_word_of_the_other_language() -> None:
    nouns = {noun.english: noun.singular["n"] for noun in LEX.nouns}
    adjectives = {adjective.english: adjective.german for adjective in LEX.adjectives}
    assert len(nouns) == len(set(nouns.values())) == len(LEX.nouns)
    assert len(adjectives) == len(set(adjectives.values())) == len(LEX.adjectives)


def test_lexicon_holds_several_hundred_lemmas() -> None:
    adverbs = {adverb.english for group in LEX.adverbs.values() for adverb in group}
    assert len(LEX.nouns) + len(LEX.verbs) + len(LEX.adjectives) + len(adverbs) > 400


def test_participles_of_separable_verbs_keep_the_prefix() -> None:
    for verb in LEX.verbs:
        prefix = verb.german.prefix
        assert verb.german.participle.startswith(prefix)
        if prefix and verb.german.infinitive != "bereiten":
            assert verb.german.participle.startswith((prefix + "ge", "teilge", "kennenge")), verb.german


def test_reflexive_and_separable_verbs_are_read_from_one_spelling() -> None:
    verb = verb_forms("sich aus|ruhen", "ausgeruht")
    assert (verb.reflexive, verb.prefix, verb.infinitive, verb.present[2]) == (True, "aus", "ruhen", "ruht")


def test_english_articles_and_plurals() -> None:
    names = ("an apple", "a pear", "an umbrella", "children", "knives", "tomatoes", "policemen", "stories", "buses")
    phrases = [
        NounPhrase(LEX.by_name["apple"], "a"),
        NounPhrase(LEX.by_name["pear"], "a"),
        NounPhrase(LEX.by_name["umbrella"], "a"),
        *(NounPhrase(LEX.by_name[n], "", True) for n in ("child", "knife", "tomato", "policeman", "story", "bus")),
    ]
    assert tuple(map(english_phrase, phrases)) == names
    assert english_phrase(NounPhrase(LEX.by_name["pear"], "a", adjectives=(OLD,))) == "an old pear"


def test_third_person_of_english_verbs() -> None:
    third = {verb.english.base: verb.english.third for verb in LEX.verbs}
    expected = {"go": "goes", "watch": "watches", "wash": "washes", "carry": None, "try": "tries", "play": "plays"}
    expected |= {"have": "has", "be": "is", "cry": "cries", "tidy": "tidies", "read": "reads", "buy": "buys"}
    assert all(third[base] == form for base, form in expected.items() if form)


@pytest.mark.parametrize(
    ("preposition", "case", "noun", "determiner", "expected"),
    [
        ("in", "d", "garden", "the", "im Garten"),
        ("an", "d", "lake", "the", "am See"),
        ("zu", "d", "station", "the", "zum Bahnhof"),
        ("zu", "d", "bridge", "the", "zur Brücke"),
        ("von", "d", "book", "the", "vom Buch"),
        ("bei", "d", "doctor", "the", "beim Arzt"),
        ("in", "a", "cinema", "the", "ins Kino"),
        ("an", "a", "window", "the", "ans Fenster"),
        ("in", "a", "garden", "the", "in den Garten"),
        ("in", "d", "kitchen", "the", "in der Küche"),
        ("auf", "a", "bed", "the", "auf das Bett"),
        ("in", "d", "garden", "this", "in diesem Garten"),
        ("von", "d", "book", "my", "von meinem Buch"),
    ],
)
def test_prepositions_melt_into_the_article_where_they_must(
    preposition: str, case: str, noun: str, determiner: str, expected: str
) -> None:
    phrase = NounPhrase(LEX.by_name[noun], determiner)
    assert prepositional(Prepositional("", preposition, case, phrase)) == expected


@pytest.mark.parametrize(
    ("number", "english", "german"),
    [
        (1, "one", "eins"),
        (7, "seven", "sieben"),
        (16, "sixteen", "sechzehn"),
        (17, "seventeen", "siebzehn"),
        (20, "twenty", "zwanzig"),
        (21, "twenty-one", "einundzwanzig"),
        (36, "thirty-six", "sechsunddreißig"),
        (60, "sixty", "sechzig"),
        (77, "seventy-seven", "siebenundsiebzig"),
        (99, "ninety-nine", "neunundneunzig"),
        (100, "one hundred", "einhundert"),
        (365, "three hundred and sixty-five", "dreihundertfünfundsechzig"),
    ],
)
def test_numbers(number: int, english: str, german: str) -> None:
    assert (in_english(number), in_german(number)) == (english, german)


@pytest.mark.parametrize(
    ("hour", "minute", "english", "german"),
    [
        (1, 0, "one o'clock", "ein Uhr"),
        (8, 0, "eight o'clock", "acht Uhr"),
        (7, 30, "half past seven", "halb acht"),
        (12, 30, "half past twelve", "halb eins"),
        (3, 15, "a quarter past three", "Viertel nach drei"),
        (12, 45, "a quarter to one", "Viertel vor eins"),
        (5, 10, "ten past five", "zehn nach fünf"),
        (5, 50, "ten to six", "zehn vor sechs"),
    ],
)
def test_clock(hour: int, minute: int, english: str, german: str) -> None:
    time = clock(hour, minute)
    assert (time.english, time.german) == (english, german)
