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


def _words(side: list[str]) -> Counter[str]:
    return Counter(word.strip(",.?!") for sentence in side for word in sentence.split())


def _print_counts(pairs: int, seed: int) -> None:
    lexicon = load_lexicon()
    print(f"nouns {len(lexicon.nouns)}, verbs {len(lexicon.verbs)}, adjectives {len(lexicon.adjectives)}")
    splits = generate(pairs, seed)
    drawn = 0
    seen: set[tuple[str, str]] = set()
    for pair in islice(sentences(seed), pairs):
        drawn += 1
        seen.add(pair)
    print(f"{drawn:,} sentences drawn, {len(seen):,} different")
    for language, index in (("English", 0), ("German", 1)):
        side = [pair[index] for pair in splits.train]
        counts = _words(side)
        total = sum(counts.values())
        rare = sum(count < 20 for count in counts.values())
        print(
            f"{language}: {total / len(side):.2f} words a sentence, at most {max(s.count(' ') + 1 for s in side)}, "
            f"{len(counts):,} word forms, {rare:,} of them fewer than 20 times in {pairs:,} pairs"
        )


def main() -> None:
    """Parse the command line and print."""
    parser = argparse.ArgumentParser(description="Print samples of the phrases corpus.")
    parser.add_argument("--n", type=int, default=20, help="how many pairs to print")
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus")
    parser.add_argument("--long", action="store_true", help="print sentences of the long split")
    parser.add_argument("--counts", action="store_true", help="print sizes instead of samples")
    options = parser.parse_args()
    if options.counts:
        _print_counts(50_000, options.seed)
        return
    stream = long_sentences(options.seed) if options.long else sentences(options.seed)
    for english, german in islice(stream, options.n):
        print(f"{english}\t{german}")


if __name__ == "__main__":
    main()
