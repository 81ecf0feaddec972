"""Two text files to a translator with stock `compile` and `fit`. Line N of one translates line N of the other.

Usage: python examples/train_your_own.py a.en a.de --epochs 10 --sentence "The dog sleeps."
"""

import argparse

import keras_transformer as kt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--vocab-size", type=int, default=2000)
    parser.add_argument("--sentence", default="The dog sleeps.")
    options = parser.parse_args()

    corpus = kt.ParallelCorpus(options.source, options.target)
    held_out = max(1, len(corpus) // 50)
    tokenizer = kt.Tokenizer.train([options.source, options.target], vocab_size=options.vocab_size)
    train = kt.token_batches(corpus[held_out:], tokenizer, tokens_per_batch=2048, seed=1)
    valid = kt.token_batches(corpus[:held_out], tokenizer, tokens_per_batch=2048, seed=None)

    model = kt.Transformer.from_preset("tiny", vocab_size=tokenizer.vocab_size, dropout=0.1)
    schedule = kt.TransformerSchedule(model.config.d_model, warmup_steps=300, peak_learning_rate=3e-3)
    model.compile(
        optimizer=kt.paper_adam(schedule),
        loss=kt.LabelSmoothedCrossEntropy(0.1),
        weighted_metrics=[kt.TokenAccuracy(), kt.Perplexity()],
    )
    model.fit(train, epochs=options.epochs, validation_data=valid)
    model.save("model.keras")
    print(kt.Translator(model, tokenizer, beam_size=4, length_penalty=0.6)([options.sentence]))


if __name__ == "__main__":
    main()
