"""`torch.nn.Transformer` with the weights of one of our models: an independent implementation to compare with."""

import math

import numpy as np
import torch
from torch import nn


def torch_logits(model, source: np.ndarray, target_in: np.ndarray, dtype=torch.float64) -> np.ndarray:
    """Logits (B, T, V) that torch's own Transformer computes from `model`'s weights."""
    config = model.config
    weights = {v.path.split("/", 1)[1]: np.array(v.numpy() if hasattr(v, "numpy") else v) for v in model.variables}
    shape = {
        "batch_first": True,
        "norm_first": config.norm == "pre",
        "activation": config.activation,
        "dropout": 0.0,
        "layer_norm_eps": 1e-6,
        "dtype": dtype,
    }
    sizes = (config.d_model, config.num_heads, config.d_ff)
    last = [nn.LayerNorm(config.d_model, eps=1e-6, dtype=dtype) if config.norm == "pre" else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*sizes, **shape), config.num_encoder_layers, last[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(*sizes, **shape), config.num_decoder_layers, last[1])
    stack = nn.Transformer(
        *sizes[:2], custom_encoder=encoder, custom_decoder=decoder, batch_first=True, dtype=dtype
    ).eval()
    for side, layers in (("encoder", encoder.layers), ("decoder", decoder.layers)):
        for i, layer in enumerate(layers):
            _copy_layer(
                {k[len(f"{side}/layer_{i}/") :]: v for k, v in weights.items() if k.startswith(f"{side}/layer_{i}/")},
                layer,
            )

        if config.norm == "pre":
            _put(last[side == "decoder"].weight, weights[f"{side}/final_norm/gamma"])
            _put(last[side == "decoder"].bias, weights[f"{side}/final_norm/beta"])

    table = torch.tensor(weights["embedding/embeddings"], dtype=dtype)
    source, target_in = torch.tensor(source).long(), torch.tensor(target_in).long()
    hidden = stack(
        _embed(source, table, config.d_model),
        _embed(target_in, table, config.d_model),
        tgt_mask=torch.triu(torch.ones(target_in.shape[1], target_in.shape[1], dtype=torch.bool), diagonal=1),
        src_key_padding_mask=source == config.pad_id,
        memory_key_padding_mask=source == config.pad_id,
    )
    return (hidden @ table.T).detach().numpy()


def _embed(ids, table, d_model):
    length = ids.shape[1]
    position = torch.arange(length, dtype=torch.float64)[:, None]
    div = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    encoding = torch.zeros(length, d_model, dtype=torch.float64)
    encoding[:, 0::2], encoding[:, 1::2] = torch.sin(position * div), torch.cos(position * div)
    return table[ids] * math.sqrt(d_model) + encoding.to(table.dtype)


def _put(parameter, array):
    with torch.no_grad():
        parameter.copy_(torch.tensor(array))


def _copy_layer(weights: dict[str, np.ndarray], layer: nn.Module) -> None:
    def attention(name, module):
        if f"{name}/qkv/kernel" in weights:
            kernel, bias = weights[f"{name}/qkv/kernel"], weights.get(f"{name}/qkv/bias")
        else:
            kernel = np.concatenate([weights[f"{name}/q/kernel"], weights[f"{name}/kv/kernel"]], axis=1)
            bias = None
            if f"{name}/q/bias" in weights:
                bias = np.concatenate([weights[f"{name}/q/bias"], weights[f"{name}/kv/bias"]])
        _put(module.in_proj_weight, kernel.T)
        _put(module.in_proj_bias, np.zeros(kernel.shape[1]) if bias is None else bias)
        _put(module.out_proj.weight, weights[f"{name}/output/kernel"].T)
        _put(module.out_proj.bias, weights.get(f"{name}/output/bias", np.zeros(kernel.shape[0])))

    attention("self_attention", layer.self_attn)
    norms = ["self_attention_residual"]
    if hasattr(layer, "multihead_attn"):
        attention("cross_attention", layer.multihead_attn)
        norms.append("cross_attention_residual")
    norms.append("feed_forward_residual")
    for i, name in enumerate(norms, start=1):
        _put(getattr(layer, f"norm{i}").weight, weights[f"{name}/norm/gamma"])
        _put(getattr(layer, f"norm{i}").bias, weights[f"{name}/norm/beta"])
    _put(layer.linear1.weight, weights["feed_forward/inner/kernel"].T)
    _put(layer.linear1.bias, weights["feed_forward/inner/bias"])
    _put(layer.linear2.weight, weights["feed_forward/outer/kernel"].T)
    _put(layer.linear2.bias, weights["feed_forward/outer/bias"])
