"""The hyper-parameters of a Transformer, in the paper's names, and the presets that set them."""

from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from keras_transformer.errors import InputError, did_you_mean


class TransformerConfig(BaseModel):
    """Every number that shapes a Transformer; the defaults are the paper's base model.

    Example:
        >>> config = TransformerConfig(vocab_size=37000)
        >>> config.d_model, config.num_heads, config.head_sizes
        (512, 8, (64, 64))

    Reference:
        Vaswani et al. 2017, table 3.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocab_size: int = Field(gt=3, description="V, symbols shared by source and target")
    num_encoder_layers: int = Field(6, ge=1, description="N of the encoder")
    num_decoder_layers: int = Field(6, ge=1, description="N of the decoder")
    d_model: int = Field(512, ge=2, description="size of embeddings and of every sub-layer's output")
    d_ff: int = Field(2048, ge=1, description="inner size of the feed-forward network")
    num_heads: int = Field(8, ge=1, description="h")
    key_dim: int | None = Field(None, ge=1, description="d_k; d_model / h if null")
    value_dim: int | None = Field(None, ge=1, description="d_v; d_k if null")
    dropout: float = Field(0.1, ge=0, lt=1, description="P_drop, on sub-layer outputs and embedding sums")
    attention_dropout: float = Field(0.0, ge=0, lt=1, description="on attention weights")
    activation_dropout: float = Field(0.0, ge=0, lt=1, description="inside the feed-forward network")
    use_bias: bool = Field(False, description="biases in the attention projections")
    pad_id: int = Field(0, ge=0, description="id of padding")
    bos_id: int = Field(1, ge=0, description="id that starts a target")
    eos_id: int = Field(2, ge=0, description="id that ends a source and a target")

    @model_validator(mode="after")
    def _check(self) -> "TransformerConfig":
        if self.key_dim is None and self.d_model % self.num_heads:
            raise ValueError(
                f"d_model={self.d_model} is not divisible by num_heads={self.num_heads}: "
                "choose num_heads that divides d_model, or set key_dim"
            )
        if self.d_model % 2:
            raise ValueError(f"d_model={self.d_model} is odd, and sinusoidal positions need an even size")
        specials = (self.pad_id, self.bos_id, self.eos_id)
        if len(set(specials)) < 3 or max(specials) >= self.vocab_size:
            raise ValueError(
                f"pad_id, bos_id, eos_id = {specials} must be three different ids below vocab_size={self.vocab_size}"
            )
        return self

    @property
    def head_sizes(self) -> tuple[int, int]:
        """(d_k, d_v) with the defaults filled in."""
        key_dim = self.key_dim or self.d_model // self.num_heads
        return key_dim, self.value_dim or key_dim


def make_config(**fields: Any) -> TransformerConfig:
    """A TransformerConfig, or one sentence that says what is wrong.

    Args:
        **fields: fields of TransformerConfig.

    Returns:
        The checked configuration.

    Raises:
        InputError: an unknown field, a value out of range, or values that do not fit together.

    Example:
        >>> make_config(vocab_size=100, d_model=10, num_heads=4)
        Traceback (most recent call last):
        keras_transformer.errors.InputError: the model's settings are wrong: d_model=10 is not divisible by
        num_heads=4: choose num_heads that divides d_model, or set key_dim.
    """
    for name in fields:
        if name not in TransformerConfig.model_fields:
            raise InputError(f"the model has no setting {name!r}.{did_you_mean(name, TransformerConfig.model_fields)}")
    try:
        return TransformerConfig(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        detail = f"{where}={first['input']!r}: {message}" if where else message
        raise InputError(f"the model's settings are wrong: {detail}.") from None


def preset_names() -> list[str]:
    """Names that `load_preset` takes.

    Example:
        >>> {"base", "big", "tiny"} <= set(preset_names())
        True
    """
    files = resources.files("keras_transformer.presets").iterdir()
    return sorted(f.name.removesuffix(".yaml") for f in files if f.name.endswith(".yaml") and f.name != "recipes.yaml")


def load_preset(name: str) -> dict[str, Any]:
    """A preset's sections, as in its YAML file.

    Args:
        name: `base`, `big` or `tiny`.

    Returns:
        A dictionary of sections: `model`, `tokenizer`, `training`, `decoding`.

    Raises:
        InputError: there is no such preset.

    Example:
        >>> load_preset("base")["model"]["d_model"]
        512
    """
    if name not in preset_names():
        raise InputError(f"there is no preset {name!r}.{did_you_mean(name, preset_names())}")
    text = resources.files("keras_transformer.presets").joinpath(f"{name}.yaml").read_text("utf-8")
    sections: dict[str, Any] = yaml.safe_load(text)
    return sections
