"""Settings typed as text, and settings laid over settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from keras_transformer.errors import InputError


def parse_overrides(overrides: Sequence[str]) -> dict[str, Any]:
    """`["a.b=1"]` as `{"a": {"b": 1}}`."""
    values: dict[str, Any] = {}
    for text in overrides:
        key, equals, raw = text.partition("=")
        parts = key.strip().split(".")
        if not equals or not all(parts):
            raise InputError(f"Setting {text!r} was not understood; write section.key=value.")
        nested: Any = _value(raw, text)
        for part in reversed(parts):
            nested = {part: nested}
        values = merge(values, nested)
    return values


def _value(raw: str, text: str) -> Any:
    """A YAML value; YAML 1.1's yes, no, on and off stay text, since `no` is also a language."""
    try:
        value = yaml.safe_load(raw)
    except yaml.YAMLError:
        raise InputError(f"The value in {text!r} is not a YAML value.") from None
    if isinstance(value, bool) and raw.strip().lower() not in ("true", "false"):
        return raw.strip()
    return value


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` laid over `below`, mapping by mapping; data set options are replaced as a whole."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged
