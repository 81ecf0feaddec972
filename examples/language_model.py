"""The decoder alone, without cross-attention, as a language model that writes German with a cache.

Usage: python examples/language_model.py --sentences 6000 --epochs 4
"""

import argparse

import keras
import numpy as np
from keras import ops

import keras_transformer as kt
from keras_transformer.layers import TokenEmbedding, causal_mask
from keras_transformer.models import TransformerDecoder

LENGTH = 32


@keras.saving.register_keras_serializable(package="examples")
class LanguageModel(keras.Model):
    """Token ids (B, T) -> logits (B, T, V) of the next token; rotary positions, pre-norm."""

    def __init__(self, vocab_size: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.embedding = TokenEmbedding(vocab_size, 64)
        self.decoder = TransformerDecoder(
            num_layers=2, num_heads=4, key_dim=16, d_ff=128, dropout=0.1, cross_attention=False, norm="pre", rotary=True
        )

    def call(self, ids, training=None):
        mask = causal_mask(ops.shape(ids)[1])
        return self.embedding.logits(self.decoder(self.embedding(ids), attention_mask=mask, training=training))

    def write(self, count: int, tokenizer, temperature: float, seed: int) -> list[str]:
        """Sample sentences token by token; each step reads one position and the cache of those before."""
        rng, ended = np.random.default_rng(seed), np.zeros(count, bool)
        ids = np.full((1, count), tokenizer.bos_id, "int32")  # one "sentence", as many hypotheses as wanted
        cache, written = self.decoder.init_cache(None, None, beam_size=count, length=LENGTH, batch_size=1), []
        for index in range(LENGTH):
            x, cache = self.decoder.step(self.embedding(ids), index, cache)
            logits = ops.convert_to_numpy(self.embedding.logits(x))[0] / temperature  # (count, V)
            logits[:, [tokenizer.pad_id, tokenizer.bos_id]] = -np.inf
            ids = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)[None].astype("int32")
            written.append(ids[0])
            ended |= ids[0] == tokenizer.eos_id
            if ended.all():
                break
        return tokenizer.decode(np.stack(written, axis=1).tolist())

    def get_config(self):
        return {**super().get_config(), "vocab_size": self.vocab_size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()

    keras.utils.set_random_seed(1)
    data = kt.datasets.load("phrases")
    train, valid = data.train.targets[: options.sentences], data.valid.targets
    tokenizer = kt.Tokenizer.train([train], vocab_size=1000)

    def batches(sentences: list[str]) -> dict[str, np.ndarray]:
        """Inputs, targets shifted by one, and weights that leave out padding."""
        table = np.zeros((len(sentences), LENGTH + 1), "int32")
        for row, pieces in zip(table, tokenizer.encode(sentences), strict=True):
            line = [tokenizer.bos_id, *pieces, tokenizer.eos_id][: LENGTH + 1]
            row[: len(line)] = line
        target_out = table[:, 1:]
        return {"x": table[:, :-1], "y": target_out, "sample_weight": (target_out != 0).astype("float32")}

    model = LanguageModel(tokenizer.vocab_size)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, weighted_metrics=[kt.Perplexity()])
    model.fit(**batches(train), batch_size=64, epochs=options.epochs, verbose=2)
    perplexity = model.evaluate(**batches(valid), batch_size=64, verbose=0, return_dict=True)["perplexity"]
    print(*model.write(5, tokenizer, temperature=0.7, seed=1), sep="\n")
    print(f"perplexity on unseen sentences, of {tokenizer.vocab_size} symbols: {perplexity:.2f}")


if __name__ == "__main__":
    main()
