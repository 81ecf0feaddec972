"""A plain training loop over `torch.nn.Transformer`."""

import math
from typing import Any

import torch
from torch import nn

from benchmarks.peers.torch_common import smoothed_loss, steps
from benchmarks.protocol import Steps, serve
from benchmarks.sizes import PAD

LONGEST = 512


class Translation(nn.Module):
    """Embeddings shared three ways, sinusoidal positions, `nn.Transformer`."""

    def __init__(self, size: dict[str, Any]) -> None:
        super().__init__()
        d_model, layers = size["d_model"], size["layers"]
        self.embedding = nn.Embedding(size["vocab_size"], d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.register_buffer("positions", sinusoids(d_model))
        self.dropout = nn.Dropout(size["dropout"])
        self.transformer = nn.Transformer(
            d_model, size["heads"], layers, layers, size["d_ff"], size["dropout"], batch_first=True
        )
        for layer in [*self.transformer.encoder.layers, *self.transformer.decoder.layers]:
            layer.dropout.p = 0.0  # inside the feed-forward network
            layer.self_attn.dropout = 0.0
            if hasattr(layer, "multihead_attn"):
                layer.multihead_attn.dropout = 0.0

    def forward(self, source: torch.Tensor, target_in: torch.Tensor) -> torch.Tensor:
        padding = source == PAD
        causal = nn.Transformer.generate_square_subsequent_mask(target_in.shape[1])
        x = self.transformer(
            self.embed(source),
            self.embed(target_in),
            tgt_mask=causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return x @ self.embedding.weight.T

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        return self.dropout(x + self.positions[: ids.shape[1]])


def sinusoids(d_model: int) -> torch.Tensor:
    angles = torch.arange(LONGEST)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def start(settings: dict[str, Any]) -> Steps:
    torch.manual_seed(1)
    model = Translation(settings["size"])
    return steps(
        model, settings, lambda batch: smoothed_loss(model(batch["source"], batch["target_in"]), batch["target_out"])
    )


if __name__ == "__main__":
    serve(start)
