"""The phrases grammar against sentence pairs written by hand."""

from typing import Any

import pytest

from keras_transformer.text.datasets.phrases.english import english_sentence
from keras_transformer.text.datasets.phrases.german import german_sentence
from keras_transformer.text.datasets.phrases.lexicon import load_lexicon
from keras_transformer.text.datasets.phrases.numbers import clock
from keras_transformer.text.datasets.phrases.tree import (
    Clause,
    Comparison,
    Complement,
    NounPhrase,
    Pair,
    Prepositional,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)
from keras_transformer.text.datasets.phrases.words import Adjective, Adverb, Name, Verb

pytestmark = pytest.mark.backend_independent

LEX = load_lexicon()
ANNA, PETER = Name("Anna", "f"), Name("Peter", "m")
ME, YOU, HE, SHE, WE, THEY, WHO = (Pronoun(word) for word in ("I", "you", "he", "she", "we", "they", "who"))


def verb(name: str, german: str = "") -> Verb:
    found = [v for v in LEX.verbs if v.name == name and german in (v.german.prefix + v.german.infinitive, "")]
    return found[0]


def phrasal(base: str, particle: str) -> Verb:
    return next(v for v in LEX.verbs if (v.english.base, v.english.particle) == (base, particle))


def adj(name: str) -> Adjective:
    return next(a for a in LEX.adjectives if a.english == name)


def n(name: str, determiner: str = "the", *adjectives: str, **rest: Any) -> NounPhrase:
    return NounPhrase(LEX.by_name[name], determiner, adjectives=tuple(map(adj, adjectives)), **rest)


def ns(name: str, determiner: str = "the", *adjectives: str, **rest: Any) -> NounPhrase:
    return n(name, determiner, *adjectives, plural=True, **rest)


def at(english: str, german: str, noun: str, case: str = "d") -> Prepositional:
    return Prepositional(english, german, case, n(noun))


def clause(subject: Any, what: str | Verb, *, front: str = "", **slots: Any) -> Clause:
    slots = {key: LEX.modals[value] if key == "modal" else value for key, value in slots.items()}
    made = Clause(subject, verb(what) if isinstance(what, str) else what, **slots)
    made.front = getattr(made, front) if front else None
    return made


def main(*args: Any, mood: str = "statement", **slots: Any) -> Sentence:
    return Sentence(clause(*args, **slots), mood)


def ask(*args: Any, **slots: Any) -> Sentence:
    return main(*args, mood="question", **slots)


def wh(english: str, german: str) -> Adverb:
    return Adverb(english, german)


def relative(head: NounPhrase, role: str, subject: Any, what: str, **slots: Any) -> NounPhrase:
    pronoun = Relative(head)
    if role == "subject":
        head.relative = clause(pronoun, what, **slots)
    else:
        head.relative = clause(subject, what, front=role, **{role: pronoun}, **slots)
    return head


TODAY, TOMORROW, YESTERDAY = wh("today", "heute"), wh("tomorrow", "morgen"), wh("yesterday", "gestern")
OFTEN, NEVER, ALREADY = wh("often", "oft"), wh("never", "nie"), wh("already", "schon")
YET = wh("yet", "noch")
IT_RAINS = Clause(Pronoun("it"), verb("rain"))
PAST, PERFECT, FUTURE = {"tense": "past"}, {"tense": "perfect"}, {"tense": "future"}

# fmt: off
GOLD: list[tuple[str, str, Sentence]] = [
    ("The teacher reads a book.", "Der Lehrer liest ein Buch.",
     main(n("teacher"), "read", accusative=n("book", "a"))),
    ("Today the teacher reads the book.", "Heute liest der Lehrer das Buch.",
     main(n("teacher"), "read", accusative=n("book"), time=TODAY, front="time")),
    ("She often visits her grandmother.", "Sie besucht ihre Großmutter oft.",
     main(SHE, "visit", accusative=n("grandmother", "her"), focus=OFTEN)),
    ("I have never seen the old bear.", "Ich habe den alten Bären nie gesehen.",
     main(ME, "see", accusative=n("bear", "the", "old"), focus=NEVER, **PERFECT)),
    ("Yesterday my brother sold his car.", "Gestern hat mein Bruder sein Auto verkauft.",
     main(n("brother", "my"), "sell", accusative=n("car", "his"), time=YESTERDAY, front="time", **PAST)),
    ("We will travel to Munich tomorrow.", "Wir werden morgen nach München reisen.",
     main(WE, "travel", oblique=wh("to Munich", "nach München"), time=TOMORROW, **FUTURE)),
    ("He does not have a dog.", "Er hat keinen Hund.", main(HE, "have", accusative=n("dog", "a"), negated=True)),
    ("She does not buy red shoes.", "Sie kauft keine roten Schuhe.",
     main(SHE, "buy", accusative=ns("shoe", "", "red"), negated=True)),
    ("They do not drink milk.", "Sie trinken keine Milch.",
     main(THEY, "drink", accusative=n("milk", ""), negated=True)),
    ("Peter does not read the letter.", "Peter liest den Brief nicht.",
     main(PETER, "read", accusative=n("letter"), negated=True)),
    ("I do not know Anna.", "Ich kenne Anna nicht.", main(ME, "know", accusative=ANNA, negated=True)),
    ("Anna is not tired.", "Anna ist nicht müde.", main(ANNA, "be", predicate=adj("tired"), negated=True)),
    ("He has not written the letter yet.", "Er hat den Brief noch nicht geschrieben.",
     main(HE, "write", accusative=n("letter"), focus=YET, negated=True, **PERFECT)),
    ("We have not found a key yet.", "Wir haben noch keinen Schlüssel gefunden.",
     main(WE, "find", accusative=n("key", "a"), focus=YET, negated=True, **PERFECT)),
    ("I get up at seven o'clock.", "Ich stehe um sieben Uhr auf.",
     main(ME, "get up", time=wh("at seven o'clock", "um sieben Uhr"))),
    ("The child has fallen asleep.", "Das Kind ist eingeschlafen.", main(n("child"), "fall asleep", **PERFECT)),
    ("Anna is calling her sister.", "Anna ruft gerade ihre Schwester an.",
     main(ANNA, "call", accusative=n("sister", "her"), progressive=True)),
    ("Paul picks her up.", "Paul holt sie ab.", main(Name("Paul", "m"), phrasal("pick", "up"), accusative=SHE)),
    ("You have to tidy up the kitchen.", "Du musst die Küche aufräumen.",
     main(YOU, phrasal("tidy", "up"), accusative=n("kitchen"), modal="have to")),
    ("I want to become a doctor.", "Ich will Arzt werden.",
     main(ME, "become", predicate=wh("a doctor", "Arzt"), modal="want to")),
    ("May I open the window?", "Darf ich das Fenster öffnen?", ask(ME, "open", accusative=n("window"), modal="may")),
    ("Would you like to dance?", "Möchtest du tanzen?", ask(YOU, "dance", modal="would like to")),
    ("You should not smoke.", "Du solltest nicht rauchen.", main(YOU, "smoke", modal="should", negated=True)),
    ("She could not swim yesterday.", "Sie konnte gestern nicht schwimmen.",
     main(SHE, "swim", modal="can", negated=True, time=YESTERDAY, **PAST)),
    ("The children had to wait.", "Die Kinder mussten warten.", main(ns("child"), "wait", modal="have to", **PAST)),
    ("They like to eat apples.", "Sie essen gern Äpfel.", main(THEY, "eat", accusative=ns("apple", ""), likes=True)),
    ("Peter does not like to work.", "Peter arbeitet nicht gern.", main(PETER, "work", likes=True, negated=True)),
    ("The man gives his son the bicycle.", "Der Mann gibt seinem Sohn das Fahrrad.",
     main(n("man"), "give", dative=n("son", "his"), accusative=n("bicycle"))),
    ("She has explained the question to us.", "Sie hat uns die Frage erklärt.",
     main(SHE, "explain", dative=WE, accusative=n("question"), says_to=True, **PERFECT)),
    ("I help the old farmers.", "Ich helfe den alten Bauern.", main(ME, "help", dative=ns("farmer", "the", "old"))),
    ("Does he trust the student?", "Vertraut er dem Studenten?", ask(HE, "trust", dative=n("student"))),
    ("The dog has followed them.", "Der Hund ist ihnen gefolgt.", main(n("dog"), "follow", dative=THEY, **PERFECT)),
    ("This house belongs to my uncle.", "Dieses Haus gehört meinem Onkel.",
     main(n("house", "this"), "belong to", dative=n("uncle", "my"))),
    ("We are waiting for the train.", "Wir warten gerade auf den Zug.",
     main(WE, "wait", oblique=at("for", "auf", "train", "a"), progressive=True)),
    ("I look forward to the party.", "Ich freue mich auf die Party.",
     main(ME, "look forward", oblique=at("to", "auf", "party", "a"))),
    ("Today the woman remembers the wedding.", "Heute erinnert sich die Frau an die Hochzeit.",
     main(n("woman"), "remember", oblique=at("", "an", "wedding", "a"), time=TODAY, front="time")),
    ("The key lies under the bed.", "Der Schlüssel liegt unter dem Bett.",
     main(n("key"), "lie", oblique=at("under", "unter", "bed"))),
    ("He puts the key under the bed.", "Er legt den Schlüssel unter das Bett.",
     main(HE, verb("put", "legen"), accusative=n("key"), oblique=at("under", "unter", "bed", "a"))),
    ("They drive to the airport.", "Sie fahren zum Flughafen.",
     main(THEY, "drive", oblique=at("to", "zu", "airport"))),
    ("She goes to the cinema.", "Sie geht ins Kino.", main(SHE, "go", oblique=at("to", "in", "cinema", "a"))),
    ("He works in the garden.", "Er arbeitet im Garten.", main(HE, "work", place=at("in", "in", "garden"))),
    ("We swim at the lake.", "Wir schwimmen am See.", main(WE, "swim", place=at("at", "an", "lake"))),
    ("In the library I have read many books.", "In der Bibliothek habe ich viele Bücher gelesen.",
     main(ME, "read", accusative=ns("book", "many"), place=at("in", "in", "library"), front="place", **PERFECT)),
    ("Who has stolen the money?", "Wer hat das Geld gestohlen?", ask(WHO, "steal", accusative=n("money"), **PERFECT)),
    ("Who do you love?", "Wen liebst du?", ask(YOU, "love", accusative=WHO, front="accusative")),
    ("Who did the boy help yesterday?", "Wem hat der Junge gestern geholfen?",
     ask(n("boy"), "help", dative=WHO, front="dative", time=YESTERDAY, **PAST)),
    ("What is she buying?", "Was kauft sie gerade?",
     ask(SHE, "buy", accusative=Pronoun("what"), front="accusative", progressive=True)),
    ("What are you dreaming of?", "Wovon träumst du gerade?",
     ask(YOU, "dream", oblique=Prepositional("of", "von", "d", Pronoun("what")), front="oblique", progressive=True)),
    ("Who does he think of?", "An wen denkt er?",
     ask(HE, "think", oblique=Prepositional("of", "an", "a", WHO), front="oblique")),
    ("Where does Anna live?", "Wo wohnt Anna?", ask(ANNA, "live", oblique=wh("where", "wo"), front="oblique")),
    ("Where will they go?", "Wohin werden sie gehen?",
     ask(THEY, "go", oblique=wh("where", "wohin"), front="oblique", **FUTURE)),
    ("When did the concert begin?", "Wann hat das Konzert begonnen?",
     ask(n("concert"), "begin", time=wh("when", "wann"), front="time", **PAST)),
    ("Why does he not sleep?", "Warum schläft er nicht?",
     ask(HE, "sleep", time=wh("why", "warum"), front="time", negated=True)),
    ("Which coat does the judge wear?", "Welchen Mantel trägt der Richter?",
     ask(n("judge"), "wear", accusative=n("coat", "which"), front="accusative")),
    ("How many eggs do you need?", "Wie viele Eier brauchst du?",
     ask(YOU, "need", accusative=ns("egg", "how many"), front="accusative")),
    ("Read the letter!", "Lies den Brief!", main(YOU, "read", accusative=n("letter"), mood="command")),
    ("Please give me the cup!", "Bitte gib mir die Tasse!",
     Sentence(clause(YOU, "give", dative=ME, accusative=n("cup")), "command", polite=True)),
    ("Do not throw away the flowers!", "Wirf die Blumen nicht weg!",
     main(YOU, phrasal("throw", "away"), accusative=ns("flower"), negated=True, mood="command")),
    ("Let us go home!", "Lass uns nach Hause gehen!",
     main(WE, "go", oblique=wh("home", "nach Hause"), mood="proposal")),
    ("She stays at home because she is ill.", "Sie bleibt zu Hause, weil sie krank ist.",
     Sentence(clause(SHE, "stay", oblique=wh("at home", "zu Hause")), after=Subordinate("because", "weil",
     clause(SHE, "be", predicate=adj("ill"))))),
    ("If it rains, we watch TV.", "Wenn es regnet, sehen wir fern.",
     Sentence(clause(WE, "watch TV"), before=Subordinate("if", "wenn", IT_RAINS))),
    ("He sold the lamp although it was beautiful.", "Er hat die Lampe verkauft, obwohl sie schön war.",
     Sentence(clause(HE, "sell", accusative=n("lamp"), **PAST), after=Subordinate("although", "obwohl",
     clause(Pronoun("it", "f"), "be", predicate=adj("beautiful"), **PAST)))),
    ("I know that the train has already arrived.", "Ich weiß, dass der Zug schon angekommen ist.",
     main(ME, verb("know", "wissen"), complement=Complement("that", clause(n("train"), "arrive", focus=ALREADY,
     **PERFECT)))),
    ("Do you know whether he gets up?", "Weißt du, ob er aufsteht?",
     ask(YOU, verb("know", "wissen"), complement=Complement("whether", clause(HE, "get up")))),
    ("She asks where I have put the keys.", "Sie fragt, wohin ich die Schlüssel gelegt habe.",
     main(SHE, "ask", complement=Complement("wh", clause(ME, verb("put", "legen"), accusative=ns("key"),
     oblique=wh("where", "wohin"), front="oblique", **PERFECT)))),
    ("The man who lives in Berlin knows the actress.", "Der Mann, der in Berlin wohnt, kennt die Schauspielerin.",
     main(relative(n("man"), "subject", None, "live", oblique=wh("in Berlin", "in Berlin")), "know",
     accusative=n("actress"))),
    ("I have lost the ring that you like.", "Ich habe den Ring verloren, den du magst.",
     main(ME, "lose", accusative=relative(n("ring"), "accusative", YOU, "like"), **PERFECT)),
    ("We greet the women who you help.", "Wir grüßen die Frauen, denen du hilfst.",
     main(WE, "greet", accusative=relative(ns("woman"), "dative", YOU, "help"))),
    ("He tries to wake up.", "Er versucht, aufzuwachen.",
     main(HE, "try", complement=Complement("to", clause(HE, "wake up")))),
    ("They stop laughing.", "Sie hören auf, zu lachen.",
     main(THEY, "stop", complement=Complement("ing", clause(THEY, "laugh")))),
    ("She has travelled to Italy in order to learn the language.",
     "Sie ist nach Italien gereist, um die Sprache zu lernen.",
     main(SHE, "travel", oblique=wh("to Italy", "nach Italien"), complement=Complement("in order to", clause(SHE,
     "learn", accusative=n("language"))), **PERFECT)),
    ("There is no theatre in the village.", "Es gibt im Dorf kein Theater.",
     main(Pronoun("there"), LEX.by_kind["exist"][0][0], accusative=n("theatre", "no"), place=at("in", "in",
     "village"))),
    ("Are there many tourists in the city?", "Gibt es in der Stadt viele Touristen?",
     ask(Pronoun("there"), LEX.by_kind["exist"][0][0], accusative=ns("tourist", "many"), place=at("in", "in",
     "city"))),
    ("It is half past seven.", "Es ist halb acht.", main(Pronoun("it"), "be", predicate=clock(7, 30))),
    ("It is a quarter to one.", "Es ist Viertel vor eins.", main(Pronoun("it"), "be", predicate=clock(12, 45))),
    ("Anna is older than the boss.", "Anna ist älter als der Chef.",
     main(ANNA, "be", predicate=Comparison(adj("old"), n("boss")))),
    ("The tower is as old as the church.", "Der Turm ist so alt wie die Kirche.",
     main(n("tower"), "be", predicate=Comparison(adj("old"), n("church"), equal=True))),
    ("I believe that Anna is cleverer than the thief.", "Ich glaube, dass Anna klüger ist als der Dieb.",
     main(ME, "believe", complement=Complement(
         "that", clause(ANNA, "be", predicate=Comparison(adj("clever"), n("thief")))))),
    ("He looks happy.", "Er sieht glücklich aus.", main(HE, "look", predicate=adj("happy"))),
    ("The doctor's daughter plays with Anna's cat.", "Die Tochter des Arztes spielt mit Annas Katze.",
     main(n("daughter", "", owner=n("doctor")), "play", oblique=Prepositional("with", "mit", "d", n("cat", "",
     owner=ANNA)))),
    ("I have forgotten the name of the hotel.", "Ich habe den Namen des Hotels vergessen.",
     main(ME, verb("forget"), accusative=n("name", "the", owner=n("hotel")), **PERFECT)),
    ("Anna and Peter hurry.", "Anna und Peter beeilen sich.", main(Pair(ANNA, PETER), "hurry")),
    ("The room is cold, and we go to the beach.", "Das Zimmer ist kalt, und wir gehen an den Strand.",
     Sentence(clause(n("room"), "be", predicate=adj("cold")), conjunction="and", joined=main(WE, "go",
     oblique=at("to", "an", "beach", "a")))),
    ("He wants to work, but his friends would like to play.", "Er will arbeiten, aber seine Freunde möchten spielen.",
     Sentence(clause(HE, "work", modal="want to"), conjunction="but", joined=main(ns("friend", "his"), "play",
     modal="would like to"))),
]
# fmt: on


@pytest.mark.parametrize(("english", "german", "sentence"), GOLD, ids=[row[0] for row in GOLD])
def test_both_sides_are_what_a_person_would_write(english: str, german: str, sentence: Sentence) -> None:
    assert (english_sentence(sentence), german_sentence(sentence)) == (english, german)
