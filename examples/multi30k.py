"""English captions into German, or French, in half an hour on two cores: Multi30k, from the data to the scores.

Usage: python examples/multi30k.py --target de --out runs/multi30k

The same as `keras-transformer train --dataset multi30k --preset tiny` and `evaluate --split test_2016`, in Python, with
a picture of the run. Stopped or killed, it goes on when it is started again. Settings may follow, as for the command:
training.max_steps=2000.
"""

import argparse
from pathlib import Path

import keras_transformer as kt
from keras_transformer.diagnostics.curves import plot_training, read_metrics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="de", choices=("de", "fr"))
    parser.add_argument("--out", type=Path, default=Path("runs/multi30k"))
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()

    data = {"dataset": "multi30k", "source": "en", "target": options.target}
    result = kt.train(kt.resolve_config("tiny", data=data, overrides=options.settings), options.out)
    if result.interrupted:
        raise SystemExit(result.exit_code)

    for line in read_metrics(options.out):
        if line["kind"] == "validation":
            print(
                f"{line['seconds'] / 60:5.1f} minutes  BLEU {line['bleu']:5.2f}  chrF {line['chrf']:5.2f}  (validation)"
            )
    test = kt.datasets.load("multi30k", source="en", target=options.target).test["test_2016"]
    scores = kt.evaluate_translations(kt.Run(options.out).translator()(list(test.sources)), list(test.targets))
    print(f"test_2016 after {result.seconds / 60:.1f} minutes:\n{scores.table()}")
    plot_training(options.out, options.out / "curve.png")


if __name__ == "__main__":
    main()
