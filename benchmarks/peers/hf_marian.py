"""Hugging Face MarianMT: training, and `generate` with the weights of our model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import MarianConfig, MarianMTModel

from benchmarks.peers.torch_common import precision_context, smoothed_loss, steps
from benchmarks.protocol import Steps, serve, versions
from benchmarks.sizes import BOS, EOS, PAD
from benchmarks.translating import Sentences, by_length

BATCH = 128


def make_model(size: dict[str, Any]) -> MarianMTModel:
    """The same architecture; Marian's attention projections have biases besides."""
    layers, heads, d_ff = size["layers"], size["heads"], size["d_ff"]
    config = MarianConfig(
        vocab_size=size["vocab_size"],
        d_model=size["d_model"],
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=d_ff,
        decoder_ffn_dim=d_ff,
        dropout=size["dropout"],
        activation_function="relu",
        scale_embedding=True,
        init_std=size["d_model"] ** -0.5,
        max_position_embeddings=512,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
    )
    return MarianMTModel(config)


def train(settings: dict[str, Any]) -> Steps:
    model = make_model(settings["size"])

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        visible = (batch["source"] != PAD).long()
        output = model(
            input_ids=batch["source"], attention_mask=visible, decoder_input_ids=batch["target_in"], use_cache=False
        )
        return smoothed_loss(output.logits, batch["target_out"])

    return steps(model, settings, loss, "transformers")


def load_weights(model: MarianMTModel, path: Path, epsilon: float) -> None:
    """Our weights, by the names `benchmarks.weights` gave them."""
    weights = dict(np.load(path))
    state = {name: torch.from_numpy(array) for name, array in weights.items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    tied = {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"}
    expected = tied | {"final_logits_bias"}
    wrong = [name for name in missing if name not in expected and not name.endswith("_proj.bias")]
    if wrong or unexpected:
        raise ValueError(f"weights do not fit: missing {wrong}, unexpected {unexpected}")
    model.tie_weights()
    with torch.no_grad():
        model.final_logits_bias.zero_()
        for name in missing:
            if name.endswith("_proj.bias"):
                model.get_parameter(name).zero_()
    for module in model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = epsilon


class Generation:
    """`generate` over length-sorted batches, text to text."""

    def __init__(self, settings: dict[str, Any]) -> None:
        folder = Path(settings["weights"])
        details = json.loads((folder / "details.json").read_text(encoding="utf-8"))
        self.model = make_model({**details["size"], "dropout": 0.0}).eval()
        load_weights(self.model, folder / "weights.npz", details["epsilon"])
        self.difference = self.compare(folder / "logits.npz")
        self.sentences = Sentences(settings)
        self.precision = settings["precision"]
        self.about = {
            "versions": versions("torch", "transformers"),
            "layout": f"generate, batch {BATCH}, logits within {self.difference:.0e} of ours",
        }
        self.translate(self.sentences.lines[:BATCH])

    def compare(self, path: Path) -> float:
        """Largest difference of the logits of a batch from those of our model."""
        with np.load(path) as data, torch.no_grad():
            source, target_in = (torch.from_numpy(data[name]).long() for name in ("source", "target_in"))
            logits = self.model(source, (source != PAD).long(), target_in).logits.numpy()
            difference = float(np.abs(logits - data["logits"])[data["target_in"] != PAD].max())
        if difference > 1e-3:
            raise ValueError(f"the converted model's logits differ from ours by {difference}")
        return difference

    def translate(self, lines: list[str]) -> list[str]:
        rows = [[*ids, EOS] for ids in self.sentences.tokenizer.encode(lines)]
        outputs = [""] * len(rows)
        for places in by_length(rows, BATCH):
            width = max(len(rows[place]) for place in places)
            source = torch.full((len(places), width), PAD)
            for row, place in enumerate(places):
                source[row, : len(rows[place])] = torch.tensor(rows[place])
            with torch.inference_mode(), precision_context(self.precision):
                found = self.model.generate(
                    input_ids=source,
                    attention_mask=(source != PAD).long(),
                    num_beams=4,
                    length_penalty=0.6,
                    max_new_tokens=width + 50,
                    suppress_tokens=[PAD, BOS],
                )
            for place, ids in zip(places, found.tolist(), strict=True):
                outputs[place] = self.sentences.tokenizer.decode([index for index in ids if index > EOS])
        return outputs

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translate, by_length(self.sentences.pieces(), BATCH))


def start(settings: dict[str, Any]) -> Any:
    torch.manual_seed(1)
    return Generation(settings) if settings["what"] == "decode" else train(settings)


if __name__ == "__main__":
    serve(start)
