"""`python -m benchmarks decode`: sentences per second of a trained run, text to text, beam 4, ours and the peers'."""

import hashlib
import statistics
import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.allocators import tell_allocators, tell_way
from benchmarks.data import load_corpus
from benchmarks.environments import interpreter
from benchmarks.isa import make_isa_environment
from benchmarks.table import print_table, print_top, show_faults, write_json
from benchmarks.turns import Entrant, Spread, say, take_turns
from benchmarks.workers import Worker, WorkerError

QUANTIZATIONS = ("float32", "int8")
FILES = {"marian": "logits.npz"}


def entrants(options: Namespace, work: Path, settings: dict[str, Any], forms: set[str]) -> Iterator[Entrant]:
    """Ours: `Translator` on each backend and the SavedModel; the peers with the same weights."""
    own = Path(sys.executable)
    alone = make_isa_environment(options.isa, own=False)  # without this package
    for allocator in options.allocators:
        if "saved_model" in forms:
            served = {**settings, "served": True, "request": options.request, "chunking": read_chunking()}
            for threads in ({}, {"TF_NUM_INTRAOP_THREADS": "1"}):
                name = ", ".join(["ours, SavedModel", *(f"{key}={value}" for key, value in threads.items())])
                yield Entrant(name, lambda: own, "benchmarks.ours", served, threads | alone, allocator, own=True)
        for backend in options.backends:
            environment = {"KERAS_BACKEND": backend, **make_isa_environment(options.isa, own=True)}
            name = f"ours, Translator, {backend}"
            yield Entrant(name, lambda: own, "benchmarks.ours", settings, environment, allocator, own=True)
        if "marian" in forms:
            python = partial(interpreter, "hf", work)
            for precision in options.precisions:
                name = "hf" if precision == "float32" else "hf, bfloat16"
                marian = {**settings, "precision": precision}
                yield Entrant(name, python, "benchmarks.peers.hf_marian", marian, alone, allocator)
        for kind in QUANTIZATIONS:
            if f"ctranslate2-{kind}" in forms:
                python = partial(interpreter, "ctranslate2", work)
                for name, own_search in (("ctranslate2", False), ("ours, exported to CTranslate2", True)):
                    quantized = {**settings, "precision": kind, "own_search": own_search}
                    module = "benchmarks.peers.ctranslate2"
                    yield Entrant(f"{name}, {kind}", python, module, quantized, alone, allocator)


def read_chunking() -> dict[str, int]:
    """How the SavedModel divides a request, for `in_chunks`."""
    from keras_transformer.export import servable

    return {
        "tokens": servable.CHUNK_TOKENS,
        "parallel": servable.PARALLEL_CHUNKS,
        "smallest": servable.SMALLEST_CHUNK,
    }


def run(options: Namespace) -> None:
    """Export, measure, print."""
    if options.run is None or not (options.run / "config.yaml").is_file():
        sys.exit("decode measures a trained run: give --run FOLDER, made by `keras-transformer train --out FOLDER`.")
    work = options.work.resolve()
    test = load_corpus(options.dataset).test[options.split]
    pairs = list(test)[: options.lines]
    lines = work / "data" / f"{options.dataset}-{options.split}-{len(pairs)}.txt"
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.write_text("".join(f"{source}\n" for source, _ in pairs), encoding="utf-8")
    settings = {
        "what": "decode",
        "run": str(options.run.resolve()),
        "tokenizer": str(options.run.resolve() / "tokenizer.model"),
        "lines": str(lines),
        "weights": str(find_exports(work, options.run)),
        "precision": "float32",
    }
    wanted = ["saved_model"]
    wanted += ["marian"] if "hf" in options.peers else []
    wanted += [f"ctranslate2-{kind}" for kind in QUANTIZATIONS] if "ctranslate2" in options.peers else []
    forms = export(wanted, options, work, settings)
    everyone = list(entrants(options, work, settings, forms))
    measured = take_turns(everyone, work, options.rounds, options.patience)
    report = {
        "command": "decode",
        "run": str(options.run),
        "split": options.split,
        "sentences": len(pairs),
        "rounds": options.rounds,
        "isa": options.isa,
        "allocator": tell_allocators(options.allocators),
        "machine": machine.describe(),
        "results": [_result(each, [target for _, target in pairs]) for each in measured],
    }
    if options.json:
        write_json(report)
    else:
        show(report)


def find_exports(work: Path, run: Path) -> Path:
    """The folder of what is exported of a run."""
    return work / "exports" / hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:12]


def export(wanted: list[str], options: Namespace, work: Path, settings: dict[str, Any]) -> set[str]:
    """Write the forms that the workers read.

    Args:
        wanted: "saved_model", "marian", "ctranslate2-KIND".
        options: "isa", "patience" and "reuse" count, the last whether what is there does.
        work: the work folder.
        settings: "run", and the folder "weights" to write to.

    Returns:
        The forms that there are.
    """
    folder = Path(settings["weights"])
    if options.reuse and all((folder / FILES.get(form, form)).exists() for form in wanted):
        return set(wanted)
    environment = {"KERAS_BACKEND": "tensorflow", **make_isa_environment(options.isa, own=True)}
    worker = Worker("exports", Path(sys.executable), "benchmarks.exported", work, environment)
    forms = set()
    try:
        worker.ask("start", options.patience, **settings)
        for form in wanted:
            say(f"exporting {form}")
            try:
                worker.ask("round", options.patience, form=form)
            except WorkerError as error:
                say(f"left out: {error}")
            else:
                forms.add(form)
    finally:
        worker.stop()
    return forms


def _result(entrant: Entrant, references: list[str]) -> dict[str, Any]:
    import sacrebleu

    rates = [each["sentences"] / each["seconds"] for each in entrant.rounds]
    spread = Spread.of(rates)
    return {
        "name": entrant.name,
        "own": entrant.own,
        "allocator": entrant.allocator,
        "sentences_per_second": spread.median,
        "spread": spread.half_width,
        "rates": rates,
        "bleu": sacrebleu.corpus_bleu(entrant.rounds[-1]["outputs"], [references]).score,
        "faults_per_step": statistics.median(entrant.faults_per_step),
        "round_faults_per_step": entrant.faults_per_step,
        "steps": entrant.rounds[-1]["steps"],
        "warm_up_seconds": entrant.about["seconds"],
        "peak_bytes": entrant.rounds[-1]["peak_bytes"],
        "idle": entrant.idle,
        **{key: entrant.about.get(key) for key in ("versions", "layout", "environment")},
    }


def show(report: dict[str, Any]) -> None:
    print_top(report)
    results = report["results"]
    for allocator in dict.fromkeys(each["allocator"] for each in results):
        rows = [each for each in results if each["allocator"] == allocator]
        mine = [each for each in rows if each["own"]]
        header = ["", "sentences/s", "spread", "BLEU", "faults / step", "start and first pass", "peak"]
        header += [f"{each['name'].removeprefix('ours, ')} / it" for each in mine]
        lines = [
            [
                row["name"],
                f"{row['sentences_per_second']:,.1f}",
                f"± {row['spread']:.0%}",
                f"{row['bleu']:.2f}",
                show_faults(row["faults_per_step"]),
                f"{row['warm_up_seconds']:.0f} s",
                f"{row['peak_bytes'] / 2**30:.1f} GiB",
                *(f"{each['sentences_per_second'] / row['sentences_per_second']:.2f}" for each in mine),
            ]
            for row in sorted(rows, key=lambda each: -each["sentences_per_second"])
        ]
        title = f"{report['sentences']:,} sentences of {report['split']}, beam 4"
        print_table(f"{title}, {tell_way(allocator, report['isa'])}", header, lines)
    for each in {each["name"]: each for each in results}.values():
        packages = ", ".join(f"{name} {version}" for name, version in (each["versions"] or {}).items())
        print(f"  {each['name']}: {packages}; {each['layout']}")
    print("a step is one pass of the decoder over a batch, counted at the least; faults are minor page faults")
    print(f"waiting workers used at most {max((each['idle'] for each in results), default=0):.1%} of a core")
