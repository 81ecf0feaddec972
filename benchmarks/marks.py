"""What a process of `python -m benchmarks startup` says of itself as it goes. Standard library only."""

import json
import os
import resource
import sys
import time

BEGAN = "BENCHMARKS_BEGAN"
"""The variable with the time at which the process was started, by the clock of all processes."""


def mark(name: str) -> None:
    """Print how long the process has taken to come here."""
    seconds = time.monotonic() - float(os.environ[BEGAN])
    modules = len(sys.modules)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    processor = usage.ru_utime + usage.ru_stime
    told = {"name": name, "seconds": seconds, "processor_seconds": processor, "modules": modules}
    print(json.dumps(told), file=sys.stdout, flush=True)
