"""What a run is made of, from layers of settings, checked before any work starts."""

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from keras_transformer.errors import InputError, did_you_mean
from keras_transformer.models.config import TransformerConfig, load_preset, make_config
from keras_transformer.training.overrides import merge, parse_overrides
from keras_transformer.training.settings import (
    DataSettings,
    DecodingSettings,
    Section,
    TokenizerSettings,
    TrainingSettings,
)


class RunConfig(Section):
    """Everything that decides a run, and nothing else does.

    Args:
        preset: the preset the model came from, for the record.
        model: fields of `TransformerConfig` but `vocab_size`, which the tokenizer sets.
        tokenizer: see `TokenizerSettings`.
        data: see `DataSettings`.
        training: see `TrainingSettings`.
        decoding: see `DecodingSettings`.

    Raises:
        pydantic.ValidationError: a value that does not fit; `resolve_config` turns it into one sentence.
    """

    preset: str | None = None
    model: dict[str, Any] = Field(description="Fields of TransformerConfig but vocab_size.")
    tokenizer: TokenizerSettings = TokenizerSettings()
    data: DataSettings = DataSettings()
    training: TrainingSettings = TrainingSettings()
    decoding: DecodingSettings = DecodingSettings()

    def transformer(self, vocab_size: int, source_vocab_size: int | None = None) -> TransformerConfig:
        """The model's configuration for a tokenizer of `vocab_size` entries, and `source_vocab_size` of its own."""
        training = self.training
        in_training = {
            "scheduled_sampling": training.scheduled_sampling,
            "scheduled_sampling_steps": training.scheduled_sampling_steps,
            "remat": training.remat,
        }
        return make_config(
            **{**self.model, **in_training, "vocab_size": vocab_size, "source_vocab_size": source_vocab_size}
        )

    def transformer_for(self, tokenizer: Any) -> TransformerConfig:
        """The model's configuration for a `Tokenizer` or a `TokenizerPair`."""
        source = getattr(tokenizer, "source", tokenizer)
        return self.transformer(tokenizer.vocab_size, None if source is tokenizer else source.vocab_size)

    @model_validator(mode="after")
    def _learned_positions_reach(self) -> Self:
        model = TransformerConfig(**{**self.model, "vocab_size": 8000})
        if model.position == "learned" and model.max_positions < self.data.max_length:
            raise ValueError(
                f"data.max_length={self.data.max_length} tokens need as many learned positions, and "
                f"model.max_positions={model.max_positions}; raise the one or lower the other"
            )
        return self

    @model_validator(mode="after")
    def _vocabularies_fit_the_embeddings(self) -> Self:
        if not self.tokenizer.shared and self.model.get("tie_embeddings", "three-way") == "three-way":
            raise ValueError(
                "tokenizer.shared=false gives each language a vocabulary of its own, and one matrix cannot embed both; "
                "set model.tie_embeddings=decoder"
            )
        return self

    def to_yaml(self) -> str:
        """The configuration as YAML text, every default written out."""
        text: str = yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        return text

    @classmethod
    def load(cls, path: str | Path) -> "RunConfig":
        """Read what `to_yaml` wrote.

        Args:
            path: a YAML file.

        Returns:
            The configuration.

        Raises:
            InputError: the file is missing, is not YAML, or holds a key or value that does not fit.
        """
        try:
            values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(f"{path} cannot be read as a run's configuration: {error}.") from error
        if not isinstance(values, dict):
            raise InputError(f"{path} holds {type(values).__name__}, expected the sections of a run's configuration.")
        if isinstance(values.get("data"), dict):
            values["data"].setdefault("packed", False)  # written when there was one pair a row
        return _checked(values)


def resolve_config(
    preset: str | None = "tiny",
    recipe: str | Mapping[str, Any] | None = None,
    overrides: Sequence[str] = (),
    **sections: Mapping[str, Any],
) -> RunConfig:
    """One configuration from, in rising order: defaults, preset, recipe, `sections`, overrides.

    Args:
        preset: name of a file in presets/ (base, big, tiny); None takes the sections alone.
        recipe: settings recommended for a data set: its name, or the sections themselves. None takes the
            recipe of `data.dataset`, where there is one and the preset is tiny; `{}` takes none.
            A cool-down that these set keeps its share of the run when only `training.max_steps` is overridden.
        overrides: texts such as `"training.max_steps=2000"`; the value is read as YAML.
        **sections: `model`, `tokenizer`, `data`, `training` and `decoding`, as mappings.

    Returns:
        The checked configuration.

    Raises:
        InputError: an unknown name or key (with the nearest known one), or a value of the wrong kind.

    Example:
        >>> from keras_transformer.training.config import resolve_config
        >>> resolve_config("tiny", overrides=["training.max_steps=200"]).training.max_steps
        200
    """
    own = merge(dict(sections), parse_overrides(overrides))
    if recipe is None:
        # A recipe is measured with the tiny preset; its learning rate would be wrong for a larger model.
        recipe = _recipe_of(own.get("data")) if preset in (None, "tiny") else {}
    elif isinstance(recipe, str):
        recipe = load_recipe(recipe)
    values: dict[str, Any] = {"preset": preset}
    for layer in (load_preset(preset) if preset else {}, recipe or {}):
        values = merge(values, layer)
    return _checked(_keep_cooldown_share(values, merge(values, own), own))


def _keep_cooldown_share(before: Mapping[str, Any], after: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """With only max_steps changed, the cool-down keeps its share of the run: a shorter run still ends in one."""
    old, new, chosen = (layer.get("training") or {} for layer in (before, after, own))
    if not all(isinstance(layer, Mapping) for layer in (old, new, chosen)) or "cooldown_steps" in chosen:
        return after
    steps, cooldown, wanted = old.get("max_steps"), old.get("cooldown_steps"), new.get("max_steps")
    if not (steps and cooldown and isinstance(wanted, int)):
        return after
    return merge(after, {"training": {"cooldown_steps": round(cooldown * wanted / steps)}})


def load_recipes() -> dict[str, dict[str, Any]]:
    """The recommended settings of presets/recipes.yaml, by data set."""
    text = resources.files("keras_transformer").joinpath("presets/recipes.yaml").read_text(encoding="utf-8")
    recipes: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return recipes


def load_recipe(name: str) -> dict[str, Any]:
    """The recommended settings for the data set `name`; an `InputError` names the nearest one there is."""
    recipes = load_recipes()
    if name not in recipes:
        raise InputError(f"There is no recipe {name!r}.{did_you_mean(name, recipes)}")
    return recipes[name]


def _recipe_of(data: Any) -> Mapping[str, Any] | None:
    """The recipe of the data set that the data section names, for all its languages or for these."""
    if not isinstance(data, Mapping) or not isinstance(data.get("dataset"), str):
        return None
    name, recipes = data["dataset"], load_recipes()
    languages = f"{data.get('source', 'en')}-{data.get('target', 'de')}"
    return recipes.get(name) or recipes.get(f"{name}-{languages}") or recipes.get(name.split("-")[0])


def _checked(values: Mapping[str, Any]) -> RunConfig:
    """Validate nested settings.

    Args:
        values: sections as mappings.

    Returns:
        The configuration.

    Raises:
        InputError: the first thing that does not fit, in one sentence.
    """
    model = values.get("model")
    if isinstance(model, Mapping):
        _check_model(model, values.get("tokenizer"))
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        raise InputError(_sentence(error)) from None


def _check_model(model: Mapping[str, Any], tokenizer: Any) -> None:
    """The model section has a class of its own, which also wants the size of the vocabulary."""
    if "vocab_size" in model:
        raise InputError("model.vocab_size follows from the tokenizer; set tokenizer.vocab_size instead.")
    if model.get("source_vocab_size") is not None:
        raise InputError(
            "model.source_vocab_size follows from the tokenizer; set tokenizer.shared=false and "
            "tokenizer.source_vocab_size instead."
        )
    for name in ("scheduled_sampling", "scheduled_sampling_steps", "remat"):
        if name in model:
            raise InputError(f"model.{name} has to do with training; set training.{name} instead.")
    size = tokenizer.get("vocab_size") if isinstance(tokenizer, Mapping) else None
    make_config(**{**model, "vocab_size": size if isinstance(size, int) and size > 3 else 8000})


def _sentence(error: ValidationError) -> str:
    """The first finding of a validation as one sentence, and how many more there are."""
    first, *others = error.errors()
    location = [part for part in first["loc"] if isinstance(part, str)]
    key, given = ".".join(location), first["input"]
    if first["type"] == "extra_forbidden":
        text = f"There is no setting {key!r}.{did_you_mean(location[-1], _fields(location[:-1]))}"
    elif first["type"] == "missing":
        text = f"The setting {key!r} is missing."
    elif first["type"] == "value_error":
        text = f"{first['ctx']['error']}."
    else:
        wanted = first["msg"].removeprefix("Input should be ").split(", unable")[0]
        text = f"{key} is {given!r}, expected {wanted}."
    return text + (f" ({len(others)} more settings are wrong.)" if others else "")


def _fields(location: Sequence[str]) -> list[str]:
    """Names of the settings at a place of the configuration."""
    schema: type[BaseModel] = RunConfig
    for part in location:
        annotation = schema.model_fields[part].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        schema = annotation
    return list(schema.model_fields)
