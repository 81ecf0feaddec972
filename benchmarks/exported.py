"""A trained run in the forms that decoding workers read: Marian's weights, a SavedModel, CTranslate2 models."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops

import keras_transformer as kt
from benchmarks.protocol import serve
from benchmarks.sizes import BOS, EOS, PAD
from keras_transformer.layers.positions import sinusoids
from keras_transformer.layers.residual import EPSILON
from keras_transformer.training import Run

POSITIONS = 512


def array(values: Any) -> np.ndarray:
    return np.ascontiguousarray(ops.convert_to_numpy(values), "float32")


def marian_weights(model: Any) -> dict[str, np.ndarray]:
    """Our weights by MarianMT's names; its matrices are (outputs, inputs), one for queries, keys and values each."""
    config = model.config
    positions = array(sinusoids(np.arange(POSITIONS), config.d_model))
    weights = {"model.shared.weight": array(model.embedding.embeddings)}
    for side, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        weights[f"model.{side}.embed_positions.weight"] = positions
        for number, layer in enumerate(stack.layers):
            name = f"model.{side}.layers.{number}"
            own = layer.self_attention
            weights |= _attention(f"{name}.self_attn", [own.self_projection], own)
            weights |= _norm(f"{name}.self_attn_layer_norm", layer.self_attention_residual)
            if side == "decoder":
                cross = layer.cross_attention
                weights |= _attention(f"{name}.encoder_attn", [cross.query_projection, cross.memory_projection], cross)
                weights |= _norm(f"{name}.encoder_attn_layer_norm", layer.cross_attention_residual)
            for short, dense in (("fc1", layer.feed_forward.inner), ("fc2", layer.feed_forward.outer)):
                weights |= {f"{name}.{short}.weight": array(dense.kernel).T, f"{name}.{short}.bias": array(dense.bias)}
            weights |= _norm(f"{name}.final_layer_norm", layer.feed_forward_residual)
    return weights


def _attention(name: str, projections: list[Any], attention: Any) -> dict[str, np.ndarray]:
    side_by_side = np.concatenate([array(layer.kernel) for layer in projections], axis=1)
    parts = np.split(side_by_side, 3, axis=1)
    weights = {f"{name}.{letter}_proj.weight": part.T for letter, part in zip("qkv", parts, strict=True)}
    if attention.output_projection.use_bias:
        biases = np.split(np.concatenate([array(layer.bias) for layer in projections]), 3)
        weights |= {f"{name}.{letter}_proj.bias": part for letter, part in zip("qkv", biases, strict=True)}
        weights[f"{name}.out_proj.bias"] = array(attention.output_projection.bias)
    return weights | {f"{name}.out_proj.weight": array(attention.output_projection.kernel).T}


def _norm(name: str, residual: Any) -> dict[str, np.ndarray]:
    return {f"{name}.weight": array(residual.norm.gamma), f"{name}.bias": array(residual.norm.beta)}


def write_marian(model: Any, folder: Path) -> None:
    """weights.npz; details.json, the sizes; logits.npz, a batch and our logits of it, to compare with."""
    config = model.config
    np.savez(folder / "weights.npz", **marian_weights(model))
    size = {"layers": config.num_encoder_layers, "heads": config.num_heads}
    size |= {name: getattr(config, name) for name in ("d_model", "d_ff", "vocab_size")}
    (folder / "details.json").write_text(json.dumps({"size": size, "epsilon": EPSILON}))
    random = np.random.default_rng(0)
    source, target_in = (random.integers(4, config.vocab_size, (3, 9)).astype("int32") for _ in range(2))
    source[1, 5:], source[:, -1], target_in[:, 0] = PAD, EOS, BOS
    source[1, 4:] = [EOS, *[PAD] * 4]
    logits = array(model((source, target_in), training=False))
    np.savez(folder / "logits.npz", source=source, target_in=target_in, logits=logits)


class Exports:
    """Writes what is asked for on each round."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.folder = Path(settings["weights"])
        self.folder.mkdir(parents=True, exist_ok=True)
        self.translator = Run(settings["run"]).translator(beam_size=4, length_penalty=0.6)
        self.about = {"backend": keras.backend.backend(), "parameters": self.translator.model.count_params()}

    def round(self, form: str) -> dict[str, Any]:
        if form == "marian":
            write_marian(self.translator.model, self.folder)
        elif form == "saved_model":
            kt.export_saved_model(self.translator, self.folder / "saved_model" / "1", overwrite=True)
        else:
            kind = form.removeprefix("ctranslate2-")
            kt.export_ctranslate2(self.translator, self.folder / form, kind, overwrite=True)
        return {}


if __name__ == "__main__":
    serve(Exports)
