"""Docstrings here say "Example:"; the documentation renders doctests only under "Examples:"."""

import re
from typing import Any

import griffe


class ExampleSections(griffe.Extension):
    """Renames the section, so that its doctests become highlighted code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for each object that it has read."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^(\s*)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
