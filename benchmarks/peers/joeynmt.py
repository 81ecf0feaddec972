"""JoeyNMT 2.3: its own model and its own loss. Its dropout is in attention too, unless it is taken out."""

import math
from types import SimpleNamespace
from typing import Any

import torch
from joeynmt.model import build_model
from joeynmt.transformer_layers import MultiHeadedAttention, PositionwiseFeedForward
from joeynmt.vocabulary import Vocabulary

from benchmarks.peers.torch_common import steps
from benchmarks.protocol import Steps, serve
from benchmarks.sizes import LABEL_SMOOTHING, PAD


def make_vocabulary(size: int) -> Vocabulary:
    names = {"pad": "<pad>", "bos": "<s>", "eos": "</s>", "unk": "<unk>"}
    ids = {"unk_id": 0, "pad_id": 1, "bos_id": 2, "eos_id": 3}
    specials = SimpleNamespace(
        **{f"{name}_token": token for name, token in names.items()}, **ids, sep_token=None, sep_id=None, lang_tags=[]
    )
    return Vocabulary([f"piece{index}" for index in range(4, size)], specials)


def make_stack(size: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "transformer",
        "num_layers": size["layers"],
        "num_heads": size["heads"],
        "embeddings": {"embedding_dim": size["d_model"], "scale": True, "dropout": size["dropout"]},
        "hidden_size": size["d_model"],
        "ff_size": size["d_ff"],
        "dropout": size["dropout"],
        "layer_norm": "post",
        "activation": "relu",
    }


def start(settings: dict[str, Any]) -> Steps:
    torch.manual_seed(1)
    size = settings["size"]
    vocabulary = make_vocabulary(size["vocab_size"])
    config = {
        "tied_embeddings": True,
        "tied_softmax": True,
        "initializer": "xavier_uniform",
        "embed_initializer": "xavier_uniform",
        "encoder": make_stack(size),
        "decoder": make_stack(size),
    }
    model = build_model(config, vocabulary, vocabulary)
    model.loss_function = ("crossentropy", LABEL_SMOOTHING)
    for module in model.modules():
        if isinstance(module, MultiHeadedAttention):
            module.dropout.p = 0.0
        elif isinstance(module, PositionwiseFeedForward):
            next(layer for layer in module.modules() if isinstance(layer, torch.nn.Dropout)).p = 0.0
    # Its special ids are others: unknown 0, padding 1, begin 2, end 3; ours are padding 0, begin 1, end 2, unknown 3.
    own = torch.arange(size["vocab_size"])
    own[:4] = torch.tensor([1, 2, 3, 0])

    rest = LABEL_SMOOTHING / (size["vocab_size"] - 2)
    entropy = -(1 - LABEL_SMOOTHING) * math.log(1 - LABEL_SMOOTHING) - LABEL_SMOOTHING * math.log(rest)

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        real = batch["target_out"] != PAD
        total, _, _, _ = model(
            return_type="loss",
            src=own[batch["source"]],
            src_mask=(batch["source"] != PAD).unsqueeze(1),
            src_length=(batch["source"] != PAD).sum(1),
            trg_input=own[batch["target_in"]],
            trg=own[batch["target_out"]],
            trg_mask=real.unsqueeze(1),
        )
        return total / real.sum() + entropy  # it counts from the entropy of the smoothed target, the others from 0

    return steps(model, settings, loss, "joeynmt")


if __name__ == "__main__":
    serve(start)
