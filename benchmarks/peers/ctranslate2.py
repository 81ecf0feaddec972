"""CTranslate2 with the weights of our model: `translate.py` of our own export, one thread for each of the workers."""

import os
import runpy
from pathlib import Path
from typing import Any

from benchmarks.protocol import serve, versions
from benchmarks.translating import Sentences


class Engine:
    """Text to text, batches of 32 in as many workers as there are cores."""

    def __init__(self, settings: dict[str, Any]) -> None:
        folder = Path(settings["weights"]) / f"ctranslate2-{settings['precision']}"
        program = runpy.run_path(str(folder / "translate.py"), run_name="translate")
        cores = len(os.sched_getaffinity(0))
        kind = settings["precision"]
        self.translator = program["Translator"](folder, inter_threads=cores, intra_threads=1, compute_type=kind)
        self.sentences = Sentences(settings)
        self.about = {"versions": versions("ctranslate2"), "layout": f"{cores} workers of 1 thread, batch 32"}
        self.translator(self.sentences.lines)

    def round(self, **_: Any) -> dict[str, Any]:
        return self.sentences.timed(self.translator)


if __name__ == "__main__":
    serve(Engine)
