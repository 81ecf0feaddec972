"""Write two text files to try things on: N English sentences and, line by line, their German translations.

Usage: python examples/write_phrases.py a.en a.de --pairs 20000
"""

import argparse
from pathlib import Path

import keras_transformer as kt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--pairs", type=int, default=20_000)
    options = parser.parse_args()

    corpus = kt.datasets.load("phrases").train[: options.pairs]
    options.source.write_text("".join(f"{line}\n" for line in corpus.sources), encoding="utf-8")
    options.target.write_text("".join(f"{line}\n" for line in corpus.targets), encoding="utf-8")
    print(f"{len(corpus):,} pairs, the first: {corpus[0]}")


if __name__ == "__main__":
    main()
