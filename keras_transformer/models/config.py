"""The hyper-parameters of a Transformer, in the paper's names, and the presets that set them."""

from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from keras_transformer.errors import InputError, did_you_mean


class TransformerConfig(BaseModel):
    """Every number that shapes a Transformer; the defaults are the paper's base model.

    Example:
        >>> config = TransformerConfig(vocab_size=37000)
        >>> config.position, config.activation, config.norm, config.attention_neighbours  # the four atoms
        ('sinusoidal', 'relu', 'post', None)
        >>> config.d_model, config.num_heads, config.head_sizes
        (512, 8, (64, 64))

    Reference:
        Vaswani et al. 2017, table 3.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocab_size: int = Field(gt=3, description="V, symbols of the target, and of the source unless that has its own")
    source_vocab_size: int | None = Field(None, gt=3, description="symbols of a source vocabulary of its own")
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
    position: Literal["sinusoidal", "learned", "rotary", "none"] = Field(
        "sinusoidal", description="how the order of the tokens comes in"
    )
    max_positions: int = Field(512, ge=1, description="positions there are if they are learned; no others read it")
    attention_neighbours: int | None = Field(
        None,
        ge=2,
        multiple_of=2,
        description="r: self-attention sees r/2 on each side, in the decoder r before",
    )
    activation: Literal["relu", "gelu", "swiglu", "geglu"] = Field("relu", description="of the feed-forward network")
    norm: Literal["post", "pre"] = Field("post", description="LayerNorm after the sum, or on each sub-layer's input")
    tie_embeddings: Literal["three-way", "decoder", "none"] = Field(
        "three-way", description="one matrix for source, target and softmax; for target and softmax; or three"
    )
    initializer: Literal["glorot", "normal"] = Field("glorot", description="first weights: Glorot, or N(0, 0.02^2)")
    scheduled_sampling: float = Field(
        0.0, ge=0, lt=1, description="share of target inputs that are the model's own predictions, in training"
    )
    scheduled_sampling_steps: int = Field(0, ge=0, description="updates in which that share rises from 0")
    remat: bool = Field(False, description="in training, compute each layer a second time instead of keeping it")
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
        if self.position == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model={self.d_model} is odd, and sinusoidal positions need an even size")
        if self.position == "rotary" and self.head_sizes[0] % 2:
            raise ValueError(f"d_k={self.head_sizes[0]} is odd, and rotary positions need an even size; set key_dim")
        if self.tie_embeddings == "three-way" and self.source_vocab_size not in (None, self.vocab_size):
            raise ValueError(
                f"source_vocab_size={self.source_vocab_size} and vocab_size={self.vocab_size} cannot share one matrix; "
                "set tie_embeddings=decoder or none"
            )
        specials = (self.pad_id, self.bos_id, self.eos_id)
        if len(set(specials)) < 3 or max(specials) >= min(self.vocab_size, self.source_symbols):
            raise ValueError(
                f"pad_id, bos_id, eos_id = {specials} must be three different ids below vocab_size={self.vocab_size}"
            )
        return self

    @property
    def head_sizes(self) -> tuple[int, int]:
        """(d_k, d_v) with the defaults filled in."""
        key_dim = self.key_dim or self.d_model // self.num_heads
        return key_dim, self.value_dim or key_dim

    @property
    def source_symbols(self) -> int:
        """Size of the source's vocabulary."""
        return self.source_vocab_size or self.vocab_size


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
        >>> {"base", "big", "tiny", "table3/A1", "table3/E"} <= set(preset_names())
        True
    """
    files = resources.files("keras_transformer.presets").iterdir()
    names = {f.name.removesuffix(".yaml") for f in files if f.name.endswith(".yaml")} - {"recipes", "table3"}
    return sorted(names | {f"table3/{row}" for row in table3()})


def load_preset(name: str) -> dict[str, Any]:
    """A preset's sections, as in its YAML file.

    Args:
        name: "base", "big" or "tiny"; or "table3/A1" to "table3/E", the rows of the paper's table 3 in its order:
            base with what the row changes.

    Returns:
        A dictionary of sections: `model`, `tokenizer`, `training`, `decoding`.

    Raises:
        InputError: there is no such preset.

    Example:
        >>> load_preset("base")["model"]["d_model"]
        512
        >>> load_preset("table3/B1")["model"]["key_dim"]
        16
    """
    if name not in preset_names():
        raise InputError(f"there is no preset {name!r}.{did_you_mean(name, preset_names())}")
    if not name.startswith("table3/"):
        return _read(name)
    sections, row = _read("base"), table3()[name.removeprefix("table3/")]
    for section in ("model", "training"):
        sections[section] |= row.get(section, {})
    return sections


def table3() -> dict[str, dict[str, Any]]:
    """The rows of the paper's table 3: what each changes in base, and the figures the paper prints.

    Returns:
        By row, A1 to E: `model` and `training`, the changed settings; `paper`, a dictionary of `perplexity`, `bleu`
        and, where it is printed, `parameters` in millions.

    Example:
        >>> table3()["C1"]["model"], table3()["C1"]["paper"]["parameters"]
        ({'num_encoder_layers': 2, 'num_decoder_layers': 2}, 36)
    """
    return _read("table3")


def _read(name: str) -> dict[str, Any]:
    text = resources.files("keras_transformer.presets").joinpath(f"{name}.yaml").read_text("utf-8")
    sections: dict[str, Any] = yaml.safe_load(text)
    return sections
