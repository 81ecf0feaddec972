"""The three best translations of a sentence by a run that `keras-transformer train` or `quickstart` made.

Usage: python examples/translate.py runs/quickstart "The old dog sleeps."
"""

import argparse

import keras_transformer as kt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("sentence")
    options = parser.parse_args()

    translator = kt.Run(options.run).translator(n_best=3)
    for hypothesis in translator.translate([options.sentence])[0]:
        print(f"{hypothesis.score:8.4f}  {hypothesis.text}")


if __name__ == "__main__":
    main()
