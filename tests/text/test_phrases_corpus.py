"""The phrases corpus: deterministic, disjoint, a function from English to German, and large."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest

from keras_transformer.errors import InputError
from keras_transformer.text.datasets import load
from keras_transformer.text.datasets.phrases.english import english_sentence
from keras_transformer.text.datasets.phrases.generator import (
    LONGEST,
    SHORTEST,
    Splits,
    generate,
    long_sentences,
    sentences,
)
from keras_transformer.text.datasets.phrases.german import german_sentence
from keras_transformer.text.datasets.phrases.sentences import CONSTRUCTIONS, SentenceChooser

pytestmark = pytest.mark.backend_independent


@pytest.fixture(scope="module")
def splits() -> Splits:
    return generate(20_000, seed=1)


@pytest.fixture(scope="module")
def many() -> list[tuple[str, str]]:
    return list(islice(sentences(seed=7), 200_000))


def words(sentence: str) -> int:
    return len(sentence.split())


def test_one_english_sentence_has_one_german_translation(many: list[tuple[str, str]]) -> None:
    german: dict[str, str] = {}
    for source, target in many:
        assert german.setdefault(source, target) == target


def test_few_german_sentences_have_two_english_translations(many: list[tuple[str, str]]) -> None:
    english: dict[str, set[str]] = {}
    for source, target in many:
        english.setdefault(target, set()).add(source)
    ambiguous = sum(len(sources) > 1 for sources in english.values())
    assert ambiguous < 0.005 * len(english)  # such as "sie", her or them


def test_more_than_a_million_different_pairs_are_within_reach(many: list[tuple[str, str]]) -> None:
    """Estimate the number of pairs from how many of the second half were in the first (Lincoln and Petersen)."""
    half = len(many) // 2
    first, second = set(many[:half]), many[half:]
    assert len(set(many[:50_000])) > 48_000
    recaptured = sum(pair in first for pair in second)
    assert len(first) * len(second) / recaptured > 1_000_000


def test_the_same_seed_gives_the_same_corpus_in_another_process_with_another_hash_seed() -> None:
    code = (
        "import hashlib; from keras_transformer.text.datasets.phrases.generator import generate; "
        "print(hashlib.sha256(repr(generate(2000, 3)).encode()).hexdigest())"
    )
    digests = set()
    for hash_seed in ("0", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout.strip().splitlines()[-1])
    assert len(digests) == 1


def test_another_seed_gives_another_corpus() -> None:
    assert generate(50, seed=1) != generate(50, seed=2)


def test_held_out_splits_do_not_depend_on_the_number_of_training_pairs(splits: Splits) -> None:
    assert generate(10, seed=1)[1:] == splits[1:]


def test_no_sentence_is_in_two_splits_or_twice_in_one(splits: Splits) -> None:
    for side in (0, 1):
        everything = [pair[side] for split in splits for pair in split]
        assert len(everything) == len(set(everything)) == 20_000 + 500 + 500 + 300


def test_lengths(splits: Splits) -> None:
    for pair in (*splits.train, *splits.valid, *splits.test):
        assert all(SHORTEST <= words(side) <= LONGEST for side in pair)
    longest = [max(words(pair[side]) for pair in splits.train) for side in (0, 1)]
    for pair in splits.long:
        assert words(pair[0]) > longest[0]
        assert words(pair[1]) > longest[1]
    assert 7 <= sum(words(pair[0]) for pair in splits.train) / len(splits.train) <= 8


def test_long_sentences_have_no_words_that_training_lacks(splits: Splits) -> None:
    for side in (0, 1):
        known = {word.strip(",.?!").lower() for pair in splits.train for word in pair[side].split()}
        long = [word.strip(",.?!").lower() for pair in splits.long for word in pair[side].split()]
        assert sum(word not in known for word in long) < 0.01 * len(long)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_every_construction_gives_sentences(construction: str) -> None:
    chooser = SentenceChooser(random.Random(5))
    pairs = set()
    for _ in range(40):
        sentence = getattr(chooser, construction)()
        english, german = english_sentence(sentence), german_sentence(sentence)
        pairs.add((english, german))
        assert english[-1] == german[-1]
    assert len(pairs) > 15


COVERED = {
    "genitive": (" of the ", " des "),
    "name's": ("Anna's ", "Annas "),
    "separable, split": (" up ", " auf."),
    "perfect with sein": (" has gone ", " ist "),
    "simple past": (" yesterday.", " gestern "),
    "future": (" will ", " wird "),
    "kein": (" does not ", " kein"),
    "nicht": (" does not ", " nicht "),
    "gern": (" likes to ", " gern "),
    "gerade": (" is ", " gerade "),
    "dass": (" that ", ", dass "),
    "weil": (" because ", ", weil "),
    "obwohl": ("Although ", "Obwohl "),
    "wenn": (" if ", ", wenn "),
    "ob": (" whether ", ", ob "),
    "relative": (" who ", ", der "),
    "um zu": (" in order to ", ", um "),
    "comparison": (" than ", " als "),
    "equality": (" as ", " so "),
    "contraction": (" to the ", " zum "),
    "half hour": ("half past ", "halb "),
    "reflexive": (" looks forward to ", " sich "),
    "wohin": ("Where ", "Wohin "),
    "wem": ("Who ", "Wem "),
    "es gibt": ("There are ", "Es gibt "),
    "command": ("Please ", "Bitte "),
    "proposal": ("Let us ", "Lass uns "),
    "modal": (" has to ", " muss "),
    "modal past": (" could ", " konnte "),
    "möchte": (" would like to ", " möchte"),
}


@pytest.mark.parametrize("feature", COVERED)
def test_feature_occurs(feature: str, splits: Splits) -> None:
    english, german = COVERED[feature]
    assert any(english in source and german in target for source, target in splits.train)


def articles(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for english, _ in pairs:
        tokens = english.rstrip(".?!").lower().split()
        yield from ((one, two) for one, two in pairwise(tokens) if one in ("a", "an"))


def test_english_articles_fit_the_next_word(splits: Splits) -> None:
    assert all((one == "an") == (two[0] in "aeiou") for one, two in articles(splits.train))


def test_questions_and_statements_end_alike_and_start_with_a_capital(splits: Splits) -> None:
    for split in splits:
        for english, german in split:
            assert english[0].isupper()
            assert german[0].isupper()
            assert english[-1] == german[-1]
            assert not {"  ", " ,", ",,", ",."} & {
                text[i : i + 2] for text in (english, german) for i in range(len(text))
            }


def test_german_main_clause_has_its_verb_second(splits: Splits) -> None:
    """After a fronted time the next word is the finite verb, not the subject."""
    subjects = {"ich", "du", "er", "sie", "wir", "der", "die", "das", "mein", "meine", "Anna", "Peter"}
    for english, german in splits.train:
        if english.startswith(("Yesterday ", "Today ", "Tomorrow ")):
            assert german.split()[1] not in subjects


def test_load_gives_both_directions() -> None:
    forward = load("phrases", pairs=100, seed=4)
    backward = load("phrases", "de", "en", pairs=100, seed=4)
    assert (forward.source_language, forward.target_language) == ("en", "de")
    assert list(backward.train) == [(german, english) for english, german in forward.train]
    assert [*forward.test] == ["test", "long"]
    assert (len(forward.valid), len(forward.test["test"]), len(forward.test["long"])) == (500, 500, 300)


@pytest.mark.parametrize(
    "options", [{"source": "en", "target": "fr"}, {"source": "en", "target": "en"}, {"pairs": 0}, {"pairs": "many"}]
)
def test_bad_options_are_named(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="phrases"):
        load("phrases", **options)


def test_long_stream_is_longer_than_training() -> None:
    assert all(words(side) > LONGEST for pair in islice(long_sentences(2), 200) for side in pair)
