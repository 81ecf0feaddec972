"""`python -m benchmarks train|changes|decode|pipeline|memory|startup`: this package and its peers, in turns."""

import argparse
import importlib
from pathlib import Path

from benchmarks import allocators
from benchmarks.isa import ISAS, use_isa
from benchmarks.limits import PATIENCE

BACKENDS = ("tensorflow", "jax", "torch")
PRECISIONS = ("float32", "mixed_bfloat16")
ALLOCATORS = tuple(allocators.ALLOCATORS)
PEERS = ("torch", "hf", "joeynmt", "kerashub", "ctranslate2", "opennmt-tf")


def several(known: tuple[str, ...], also: str) -> argparse.Action | object:
    """A type for a list with commas; `also` names all of them."""

    def parse(text: str) -> list[str]:
        chosen = list(known) if text == also else [name for name in text.split(",") if name and name != "none"]
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; known: {', '.join(known)}, {also}")
        return chosen

    return parse


def parser() -> argparse.ArgumentParser:
    """Every option of every command."""
    main = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = main.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="target tokens per second")
    changes = commands.add_parser("changes", help="what each thing that makes a training step faster is worth")
    decode = commands.add_parser("decode", help="sentences per second")
    pipeline = commands.add_parser("pipeline", help="the data pipeline by itself")
    memory = commands.add_parser("memory", help="peak memory and time of a training step")
    startup = commands.add_parser("startup", help="how long a user waits before the first useful work")
    for command in (train, changes, decode, pipeline, memory, startup):
        add_common(command)
    for command in (train, decode, memory, startup):
        add = command.add_argument
        add("--backend", dest="backends", type=several(BACKENDS, "all"), default=["tensorflow"], help="of ours, or all")
    for command in (train, decode, memory):
        add = command.add_argument
        add("--size", choices=("tiny", "base"), default="tiny", help="the preset (tiny)")
        add("--precision", dest="precisions", type=several(PRECISIONS, "both"), default=["float32"], help="or both")
        add("--allocator", dest="allocators", type=several(ALLOCATORS, "both"), default=["tuned"], help="or both")
    for command in (train, decode):
        add = command.add_argument
        add("--peers", type=several(PEERS, "all"), default=[], help="with commas; all or none (none)")
        add("--rounds", type=int, default=3, help="turns of each (3)")
    for command in (train, changes, decode, pipeline):
        command.add_argument("--dataset", default="multi30k", help="a named data set (multi30k)")
    add_train(train)
    add_changes(changes)
    add_decode(decode)
    add_pipeline(pipeline)
    add_memory(memory)
    add_startup(startup)
    return main


def add_common(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--json", action="store_true", help="print JSON instead of tables")
    add("--work", type=Path, default=Path(".benchmarks"), help="work folder (.benchmarks)")
    add("--isa", choices=tuple(ISAS), default="native", help="avx2: no more instructions than a plain AVX2 machine has")
    add("--patience", type=float, default=PATIENCE, help="seconds to start, and for a round beyond its own (900)")


def add_train(train: argparse.ArgumentParser) -> None:
    add = train.add_argument
    add("--seconds", type=float, help="of a round; a step at least (tiny 8, base 24)")
    add("--tokens", type=int, default=4096, help="padded tokens of a batch on either side (4096)")
    add("--batches", type=int, help="go round so many batches (tiny: an epoch; base: 6)")
    add("--at-once", type=int, help="workers in memory at once, ours in every group (tiny 16, base 5)")
    add("--product-size", type=int, default=4096, help="of the largest matrices whose product is timed (4096)")
    add("--product-seconds", type=float, default=4.0, help="to time it for in each precision (4)")
    add("--products", type=several(BACKENDS, "all"), default=["tensorflow", "torch"], help="frameworks to time it in")
    add("options", nargs="*", metavar="SECTION.KEY=VALUE", help="settings of ours, laid over the preset")


def add_changes(changes: argparse.ArgumentParser) -> None:
    add = changes.add_argument
    add("--size", choices=("tiny", "base"), default="tiny", help="the preset (tiny)")
    add("--rounds", type=int, default=6, help="turns of each (6)")
    add("--seconds", type=float, default=2.0, help="of a round (2)")
    add("--tokens", type=int, default=4096, help="padded tokens of a batch on either side (4096)")
    add("--batches", type=int, help="go round so many batches (an epoch)")
    add("--leave-out", action="append", default=[], metavar="TEXT", help="ways with it in their names; repeatable")
    add("options", nargs="*", metavar="SECTION.KEY=VALUE", help="settings of all, laid over the preset")


def add_decode(decode: argparse.ArgumentParser) -> None:
    add = decode.add_argument
    add("--run", type=Path, help="a trained run folder; its size counts, not --size")
    add("--split", default="test_2016", help="what to translate (test_2016)")
    add("--reuse", action="store_true", help="read what an earlier call exported, if it is all there")
    add("--lines", type=int, help="only the first so many lines")
    add("--request", type=int, help="lines in a request to the SavedModel (all)")


def add_pipeline(pipeline: argparse.ArgumentParser) -> None:
    add = pipeline.add_argument
    add("--train", nargs=2, metavar=("SOURCE", "TARGET"), help="two files of parallel text, not --dataset")
    add("--vocab-size", type=int, default=8000)
    add("--tokens", "--tokens-per-batch", type=int, default=4096)
    add("--num-buckets", type=int, default=20)
    add("--packed", action="store_true", help="several pairs in a row")
    add("--seconds", type=float, default=10.0, help="how long each way is timed")
    add("--consumed", type=float, help="target tokens per second of the training to compare with")


def add_memory(memory: argparse.ArgumentParser) -> None:
    add = memory.add_argument
    add("--tokens", type=int, default=25000, help="N: of N source and N target tokens (25000)")
    add("--length", type=int, default=25, help="of a sentence, on both sides (25)")
    add("--vocab-size", type=int, default=37000, help="symbols (37000)")
    add("--steps", type=int, default=1, help="that are timed; 5 of tiny, 2 of base come before (1)")
    add("--limit", type=float, help="GiB above which a way is given up (nine tenths of the machine)")
    add("--way", action="append", metavar="'SECTION.KEY=VALUE ...'", help="settings against the plain ones; repeatable")


def add_startup(startup: argparse.ArgumentParser) -> None:
    add = startup.add_argument
    add("--run", type=Path, help="a trained run folder, to translate with; without it only what needs none")
    add("--rounds", type=int, default=3, help="processes of each (3)")


def main(arguments: list[str] | None = None) -> None:
    """Read the options and run the command."""
    options = parser().parse_args(arguments)
    use_isa(options.isa)  # before a command imports a backend
    if options.command == "train":
        tiny = options.size == "tiny"
        options.seconds = options.seconds or (8.0 if tiny else 24.0)
        options.batches = options.batches or (None if tiny else 6)
        options.at_once = options.at_once or (16 if tiny else 5)
    importlib.import_module(f"benchmarks.{options.command}").run(options)


if __name__ == "__main__":
    main()
