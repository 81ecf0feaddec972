"""CTranslate2 with the weights of our model, as its own documentation has it or by our export's `translate.py`."""

import os
import runpy
from pathlib import Path
from typing import Any

import ctranslate2

from benchmarks.protocol import serve, versions
from benchmarks.translating import Sentences, by_length

BATCH = 32


class Engine:
    """Text to text, batches of 32, one worker of one thread for each core."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.folder = Path(settings["weights"]) / f"ctranslate2-{settings['precision']}"
        self.sentences = Sentences(settings)
        cores, kind = len(os.sched_getaffinity(0)), settings["precision"]
        options = {"inter_threads": cores, "intra_threads": 1, "compute_type": kind}
        self.own_search = settings["own_search"]
        if self.own_search:
            program = runpy.run_path(str(self.folder / "translate.py"), run_name="translate")
            self.translate, search = program["Translator"](self.folder, **options), "translate.py of the export"
        else:
            self.engine = ctranslate2.Translator(str(self.folder), **options)
            self.translate, search = self.plain, "its own beam search"
        self.about = {
            "versions": versions("ctranslate2"),
            "layout": f"{search}, {cores} workers of 1 thread, batch {BATCH}",
        }
        self.translate(self.sentences.lines)

    def plain(self, lines: list[str]) -> list[str]:
        """Its own beam search and length penalty; it sorts by length itself."""
        pieces = self.sentences.tokenizer.encode(lines, out_type=str)
        results = self.engine.translate_batch(
            pieces, beam_size=4, length_penalty=0.6, max_batch_size=BATCH, max_decoding_length=256
        )
        return [self.sentences.tokenizer.decode(result.hypotheses[0]) for result in results]

    def round(self, **_: Any) -> dict[str, Any]:
        # CTranslate2 itself begins with the longest sentences, the program of the export with the shortest.
        batches = by_length(self.sentences.pieces(), BATCH, longest_first=not self.own_search)
        return self.sentences.timed(self.translate, batches)


if __name__ == "__main__":
    serve(Engine)
