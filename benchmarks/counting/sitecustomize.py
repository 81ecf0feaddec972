"""Tells how many modules a process had imported when it ended. Python imports this by itself from its path."""

import atexit
import os
import sys


def tell_modules() -> None:
    path = os.environ.get("BENCHMARKS_MODULES")
    if path:
        with open(path, "w") as file:  # noqa: PTH123 - an import here would be counted
            file.write(str(len(sys.modules)))


atexit.register(tell_modules)
