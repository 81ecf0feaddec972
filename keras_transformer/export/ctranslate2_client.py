"""Translate with the CTranslate2 model in this file's folder: `python translate.py < in.txt > out.txt`.

Needs the packages ctranslate2 and sentencepiece, nothing else. The file is written beside every exported model, and the
export is checked with it. As a module: `Translator(FOLDER)(["A dog runs."])`.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

END = "</s>"


class Translation(NamedTuple):
    """The best translation of a line.

    Args:
        text: one line.
        score: log P(Y | X) / ((5 + |Y|) / 6) ** length_penalty, the end of sentence counted; 0 for a blank line.
        ids: its pieces, without the end of sentence.
    """

    text: str
    score: float
    ids: tuple[int, ...]


def avoid_saturation(cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Have CTranslate2 multiply by MKL on an x86 processor without VNNI, unless `CT2_USE_MKL` is set.

    There oneDNN, which CTranslate2 takes on AMD, adds products of 8-bit numbers in 16 bits, and large sums are cut.

    Args:
        cpuinfo: the system's description of the processor.
    """
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.is_file() else []
    flags = next((line for line in lines if line.startswith("flags")), "").split()
    if "avx2" in flags and not {"avx512_vnni", "avx_vnni"} & set(flags):
        os.environ.setdefault("CT2_USE_MKL", "1")


class Translator:
    """The model of a folder as a function from lines to lines.

    CTranslate2 ranks hypotheses by log P / |Y| ** length_penalty. The model was measured with GNMT's penalty, which
    favours length less; so all finished hypotheses are fetched and ranked anew.

    Args:
        folder: where model.bin is.
        inter_threads: batches translated at once.
        intra_threads: threads of each.
        **options: of `ctranslate2.Translator`: device, compute_type, ...
    """

    def __init__(self, folder: str | os.PathLike[str], inter_threads: int = 1, intra_threads: int = 1, **options: Any):
        avoid_saturation()
        import ctranslate2
        import sentencepiece

        where = Path(folder)
        self.settings: dict[str, Any] = json.loads((where / "decoding.json").read_text(encoding="utf-8"))
        self.target = sentencepiece.SentencePieceProcessor(model_file=str(where / "tokenizer.model"))
        apart = where / "source-tokenizer.model"
        self.source = sentencepiece.SentencePieceProcessor(model_file=str(apart)) if apart.exists() else self.target
        threads = {"inter_threads": inter_threads, "intra_threads": intra_threads}
        self.engine = ctranslate2.Translator(str(where), **threads, **options)

    def __call__(self, lines: Sequence[str], batch_size: int = 32) -> list[str]:
        """As many lines out as in, in their order; a blank line gives an empty one."""
        return [translation.text for translation in self.translate(lines, batch_size)]

    def translate(self, lines: Sequence[str], batch_size: int = 32) -> list[Translation]:
        """The best translation of each line, in batches of lines of alike length."""
        longest = self.settings["max_source_length"] - 1
        pieces = [row[:longest] for row in self.source.encode([line.strip() for line in lines], out_type=str)]
        order = sorted(range(len(pieces)), key=lambda position: len(pieces[position]))
        batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
        started = [self._start([pieces[position] for position in batch]) for batch in batches]
        found: dict[int, Translation] = {}
        for batch, results in zip(batches, started, strict=True):
            for position, result in zip(batch, results, strict=True):
                found[position] = self._best(pieces[position], result.result())
        return [found[position] for position in range(len(pieces))]

    def _limit(self, pieces: list[str]) -> int:
        """Most target tokens of a sentence, the end of sentence counted on both sides."""
        return int(min(len(pieces) + 1 + self.settings["max_length_offset"], self.settings["max_target_length"]))

    def _start(self, rows: list[list[str]], never: Sequence[str] = ()) -> list[Any]:
        """Begin to search, with room for all but the end of sentence at the limit of the longest."""
        settings = self.settings
        # With more patience than one the search finds what our bound on finished hypotheses finds.
        candidates = settings["beam_size"] * settings["patience"] if settings["beam_size"] > 1 else 1
        started: list[Any] = self.engine.translate_batch(
            rows,
            asynchronous=True,
            beam_size=settings["beam_size"],
            patience=settings["patience"],
            num_hypotheses=candidates,
            length_penalty=settings["length_penalty"],
            suppress_sequences=[[token] for token in never] or None,
            max_input_length=0,
            max_decoding_length=max(map(self._limit, rows)) - 1,
            min_decoding_length=0,
            return_end_token=True,
            return_scores=True,
        )
        return started

    def _best(self, pieces: list[str], result: Any) -> Translation:
        if not pieces:
            return Translation("", 0.0, ())
        if any(tokens[-1] != END or len(tokens) > self._limit(pieces) for tokens in result.hypotheses):
            result = self._start([pieces])[0].result()  # once more, up to its own limit
        never = self.settings["never"]
        if any(token in never for tokens in result.hypotheses for token in tokens):
            # Only now, since CTranslate2 gives the others the probability of what it suppresses.
            result = self._start([pieces], never)[0].result()
        alpha, ranked = self.settings["length_penalty"], []
        for score, tokens in zip(result.scores, result.hypotheses, strict=True):
            log_probability = score * len(tokens) ** alpha
            if tokens[-1] != END:  # at the limit, a hypothesis ends at the price the model puts on ending there
                (forced,) = self.engine.score_batch([pieces], [tokens], max_input_length=0)
                log_probability, tokens = sum(forced.log_probs), [*tokens, END]
            ranked.append((log_probability / ((5 + len(tokens)) / 6) ** alpha, tokens))
        score, tokens = max(ranked)
        ids = tuple(self.target.piece_to_id(token) for token in tokens[:-1])
        # A translation is one line, and special ids have no text.
        text = self.target.decode([index for index in ids if index > self.settings["last_special_id"]])
        return Translation(text.replace("\r", " ").replace("\n", " "), score, ids)


def main() -> None:
    """Standard input to standard output, line by line."""
    parser = argparse.ArgumentParser(description="Translate standard input, line by line.")
    parser.add_argument("--inter-threads", type=int, default=os.cpu_count() or 1, help="batches at once (all cores)")
    parser.add_argument("--intra-threads", type=int, default=1, help="threads of each (1)")
    parser.add_argument("--scores", action="store_true", help="put the score and a tab before each")
    arguments = parser.parse_args()
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    lines = text.removesuffix("\n").split("\n") if text else []
    translator = Translator(Path(__file__).parent, arguments.inter_threads, arguments.intra_threads)
    for translation in translator.translate(lines):
        score = f"{translation.score:.4f}\t" if arguments.scores else ""
        sys.stdout.buffer.write(f"{score}{translation.text}\n".encode())


if __name__ == "__main__":
    main()
