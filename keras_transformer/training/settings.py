"""The sections of a run's configuration: every setting, its unit, its range."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Steps = Annotated[int, Field(ge=1)]
AUTO = "auto"
"""What a run finds out for itself."""
PAPER_TOKENS = 25_000
"""Target tokens of an update (section 5.1), which `tokens_per_batch=auto` reaches."""
Paths = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]


def _tokens(value: Any) -> Any:
    """A number of tokens, or "auto"."""
    if value != AUTO and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"training.tokens_per_batch is {value!r}, expected a whole number of at least 1, or {AUTO}")
    return value


class Section(BaseModel):
    """A part of `RunConfig`: unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TokenizerSettings(Section):
    """The subword vocabulary, shared by source and target or one for each."""

    vocab_size: int = Field(8000, ge=260, description="Entries, the 4 special ids and 256 bytes included.")
    shared: bool = Field(True, description="One vocabulary for both; false needs model.tie_embeddings=decoder or none.")
    source_vocab_size: int | None = Field(None, ge=260, description="Entries of the source's own; None is vocab_size.")

    @model_validator(mode="after")
    def _a_size_for_what_there_is(self) -> Self:
        if self.shared and self.source_vocab_size is not None:
            raise ValueError(
                f"tokenizer.source_vocab_size={self.source_vocab_size} is for a vocabulary of the source alone; "
                "set tokenizer.shared=false, or leave it out"
            )
        return self


class DataSettings(Section):
    """Where the sentence pairs come from: a named data set, or files."""

    dataset: str | None = Field(None, description="Name for `datasets.load`; its valid split is used to validate.")
    options: dict[str, Any] = Field(default_factory=dict, description="Further arguments of `datasets.load`.")
    source: str = Field("en", description="Source language code.")
    target: str = Field("de", description="Target language code.")
    train: Paths = Field((), description="Two files, source and target, line by line; or one TSV file.")
    valid: Paths = Field((), description="As `train`: the pairs to validate with.")
    held_out: int = Field(
        500, ge=0, description="Pairs of data.train kept to validate with if data.valid is not set; a tenth at most."
    )
    max_length: int = Field(256, ge=2, description="Longest side of a pair, in subwords; longer pairs are left out.")
    packed: bool = Field(
        True,
        description="Several pairs in a row, so that little is padding; false if model.attention_neighbours is set.",
    )
    on_bad_line: Literal["refuse", "drop"] = Field("refuse", description="What happens to a line that is wrong.")

    @model_validator(mode="after")
    def _files_come_in_ones_or_twos(self) -> Self:
        for name, files in (("data.train", self.train), ("data.valid", self.valid)):
            if len(files) > 2:
                raise ValueError(f"{name} names {len(files)} files; give two (source, target) or one TSV file")
        if self.dataset and self.train:
            raise ValueError(f"data.dataset={self.dataset} and data.train are both given; give one of them")
        return self


class TrainingSettings(Section):
    """The optimization, and what happens every so many steps."""

    max_steps: Steps = Field(100_000, description="Updates of the weights.")
    max_minutes: float | None = Field(
        None,
        gt=0,
        description="Minutes after which training ends, validations included, counted over restarts.",
    )
    tokens_per_batch: Annotated[int | Literal["auto"], BeforeValidator(_tokens)] = Field(
        4096,
        description="Target tokens in a batch, padding included; auto finds what fits into memory, and with "
        "training.accumulate reaches the paper's 25,000.",
    )
    accumulate: Steps = Field(1, description="Batches whose gradients make one update, as one large batch would.")
    memory_gib: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="Memory that tokens_per_batch=auto may take; None is 9/10 of what is free.",
    )
    warmup_steps: Steps = Field(4000, description="Updates until the learning rate peaks.")
    peak_learning_rate: float | None = Field(
        None,
        gt=0,
        description="Learning rate after the warm-up; None is the paper's (d_model * warmup)^-0.5.",
    )
    cooldown_steps: int = Field(0, ge=0, description="Last updates, over which the rate falls to 0 in a line.")
    label_smoothing: float = Field(0.1, ge=0, lt=1, description="Share of the target given to all other tokens.")
    scheduled_sampling: float = Field(
        0.0, ge=0, lt=1, description="Share of target inputs replaced by the model's own predictions in training."
    )
    scheduled_sampling_steps: int = Field(0, ge=0, description="Updates in which that share rises from 0.")
    loss_in_blocks: bool = Field(
        True, description="Logits, loss and gradients some rows at a time; false has all logits in memory."
    )
    remat: bool = Field(
        False, description="Compute each layer a second time instead of keeping it: less memory, more time."
    )
    seed: int = Field(1, ge=0, description="Decides the first weights, dropout and the order of the batches.")
    precision: Literal["float32", "mixed_bfloat16", "mixed_float16", "auto"] = Field(
        "float32",
        description="Keras dtype policy of a training step, its softmax and loss float32 in each; auto is "
        "mixed_bfloat16 where that is faster. Translation is in float32.",
    )
    replicas: int = Field(1, ge=1, description="Devices of this machine to train on (TensorFlow MirroredStrategy).")
    jit_compile: bool | None = Field(
        None,
        description="XLA for the whole step; None has it on JAX, on TensorFlow for what lies between the products.",
    )
    log_every: Steps = Field(50, description="Steps from one line of metrics to the next.")
    checkpoint_every: Steps = Field(1000, description="Steps from one checkpoint to the next.")
    keep_checkpoints: int = Field(5, ge=1, description="Newest checkpoints kept.")
    average_last: int = Field(5, ge=1, description="Newest checkpoints averaged at the end; 1 averages none.")
    validate_every: Steps = Field(1000, description="Steps from one validation to the next.")
    validation_sentences: int | None = Field(None, ge=1, description="First pairs to validate with; None is all.")
    validation_beam_size: int = Field(1, ge=1, description="Beam of a validation; 1 is greedy.")
    patience: int | None = Field(None, ge=1, description="Validations without a better BLEU before training ends.")
    memory_check: bool = Field(True, description="Run the largest batch before the first step.")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.average_last > self.keep_checkpoints:
            raise ValueError(
                f"training.average_last={self.average_last} needs as many checkpoints, but "
                f"training.keep_checkpoints={self.keep_checkpoints}"
            )
        if self.cooldown_steps > self.max_steps:
            raise ValueError(
                f"training.cooldown_steps={self.cooldown_steps} is more than "
                f"training.max_steps={self.max_steps}; set both"
            )
        if self.tokens_per_batch == AUTO and self.accumulate > 1:
            raise ValueError(
                f"training.accumulate={self.accumulate} is what training.tokens_per_batch={AUTO} finds out; "
                "leave it out, or give both as numbers"
            )
        if self.replicas > 1 and (self.tokens_per_batch == AUTO or self.accumulate > 1):
            raise ValueError(
                f"training.replicas={self.replicas} does not accumulate gradients; give training.tokens_per_batch as a "
                "number, of which each replica takes its share, and leave training.accumulate out"
            )
        if self.replicas > 1 and self.precision == "mixed_float16":
            raise ValueError(
                "training.precision=mixed_float16 scales the loss by what it sees on the first replica only; "
                "with training.replicas > 1 use mixed_bfloat16"
            )
        return self


class DecodingSettings(Section):
    """Beam search, as `Translator` takes it."""

    beam_size: int = Field(4, ge=1, description="Hypotheses kept; 1 is greedy.")
    length_penalty: float = Field(0.6, ge=0, description="The alpha of ((5 + length) / 6)^alpha.")
    max_length_offset: int = Field(50, ge=1, description="Longest translation: source length + this, in subwords.")
