"""Print samples of the phrases corpus, or what it consists of.

python -m keras_transformer.text.datasets.phrases --n 50 --seed 3
python -m keras_transformer.text.datasets.phrases --counts
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice

from keras_transformer.text.datasets.phrases.generator import generate, long_sentences, sentences
from keras_transformer.text.datasets.phrases.lexicon import load_lexicon
from keras_transformer.text.datasets.phrases.lexicon_places import FIXED_PLACES
from keras_transformer.text.datasets.phrases.parse import rows
from keras_transformer.text.datasets.phrases.sentences import CONSTRUCTIONS


def _words(side: list[str]) -> Counter[str]:
    return Counter(word.strip(",.?!") for sentence in side for word in sentence.split())


def _print_lexicon() -> None:
    lexicon = load_lexicon()
    adverbs = {adverb.english for group in lexicon.adverbs.values() for adverb in group}
    places = {row[0] for row in rows(FIXED_PLACES)}
    sizes = {
        "nouns": len(lexicon.nouns),
        "verbs": len(lexicon.verbs),
        "adjectives": len(lexicon.adjectives),
        "adverbs and times": len(adverbs),
        "names": len(lexicon.names),
        "modal verbs": len(lexicon.modals),
        "towns, countries and other fixed places": len(places),
    }
    print(f"lexicon: {', '.join(f'{name} {size}' for name, size in sizes.items())}; {sum(sizes.values())} in all")
    print(f"constructions: {', '.join(f'{name} {share:g} %' for name, share in CONSTRUCTIONS.items())}")


def _print_corpus(pairs: int, seed: int) -> None:
    drawn = list(islice(sentences(seed), 4 * pairs))
    first, second = set(drawn[: 2 * pairs]), drawn[2 * pairs :]
    recaptured = max(sum(pair in first for pair in second), 1)
    print(
        f"{pairs:,} pairs drawn: {len(set(drawn[:pairs])):,} different; "
        f"within reach: at least {len(first) * len(second) // recaptured:,} (capture and recapture)"
    )
    splits = generate(pairs, seed)
    for language, index in (("English", 0), ("German", 1)):
        counts = _words([pair[index] for pair in splits.train])
        mean = sum(counts.values()) / pairs
        long = sum(_words([pair[index] for pair in splits.long]).values()) / len(splits.long)
        print(f"{language}: {mean:.2f} words a sentence ({long:.2f} in long), {len(counts):,} word forms")


def main() -> None:
    """Parse the command line and print."""
    parser = argparse.ArgumentParser(description="Print samples of the phrases corpus.")
    parser.add_argument("--n", type=int, default=20, help="how many pairs to print")
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus")
    parser.add_argument("--long", action="store_true", help="print sentences of the long split")
    parser.add_argument("--counts", action="store_true", help="print sizes instead of samples")
    options = parser.parse_args()
    if options.counts:
        _print_lexicon()
        _print_corpus(50_000, options.seed)
        return
    stream = long_sentences(options.seed) if options.long else sentences(options.seed)
    for english, german in islice(stream, options.n):
        print(f"{english}\t{german}")


if __name__ == "__main__":
    main()
