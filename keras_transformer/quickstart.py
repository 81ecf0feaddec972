"""The whole way once, on the corpus that comes with the package."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from keras_transformer.training.finish import TrainResult

# What English cannot show: (what to look for in the source, in the target, what it is).
WORD_ORDER = (
    (r"\b(has|have)\b", r"^\w+ \w+ (hat|haben) (\w+ ){2,}\w+t\.$", "participle at the end"),
    (r"\b(because|although|that)\b", r", (weil|obwohl|dass) (\w+ ){3,}\w+\.$", "verb at the end of the clause"),
    (r"^(On|Last|Next|Today|Tomorrow|Yesterday|In)\b", r"^(\w+ ){5,}\w+\.$", "verb second, before its subject"),
    (r"^(\w+ ){3,}\w+\.$", r" (ab|an|auf|aus|ein|mit|vor|zu|weg|zurück)\.$", "prefix of a separable verb at the end"),
    (r"\b(do|does|did) not\b", r" nicht( \w+)?\.$", "place of the negation"),
    (r"\?$", r"\?$", "question"),
)
_SHOWN = 5


@dataclass(frozen=True)
class QuickstartResult:
    """What `quickstart` made.

    Args:
        train: how training ended.
        scores: `Scores` of each test split.
        pictures: PNG files.
        export: the `ExportReport` of the SavedModel; None if training was interrupted.
    """

    train: TrainResult
    scores: dict[str, Any] = field(default_factory=dict)
    pictures: tuple[Path, ...] = ()
    export: Any | None = None

    @property
    def exit_code(self) -> int:
        """What a command should exit with."""
        return self.train.exit_code


def quickstart(
    out: str | Path = "runs/quickstart",
    *,
    saved_models: str | Path = "saved_models",
    overrides: Sequence[str] = (),
    console: Console | None = None,
) -> QuickstartResult:
    """Train, measure, plot and export a small English-German translator, in minutes and without a download.

    Typing it again continues an interrupted run, or shows a finished one.

    Args:
        out: the run directory.
        saved_models: where the export lands, as NAME/1; NAME is that of the run directory.
        overrides: settings such as `"training.max_steps=100"` laid over the recipe.
        console: where to print; standard output by default.

    Returns:
        The run, scores, pictures and export.

    Raises:
        InputError: a folder cannot be written, or a setting is wrong.
    """
    from keras_transformer.text import datasets
    from keras_transformer.training.config import resolve_config
    from keras_transformer.training.run import Run
    from keras_transformer.training.trainer import train

    console = console or Console(highlight=False)
    config = resolve_config("tiny", overrides=overrides, data={"dataset": "phrases"})
    console.print("Generating English-German phrases from a grammar", markup=False)
    data = datasets.load("phrases", config.data.source, config.data.target, **config.data.options)
    trained = train(config, out, train_corpus=data.train, valid_corpus=data.valid)
    console.print(str(trained), markup=False, soft_wrap=True)
    if trained.interrupted:
        return QuickstartResult(trained)
    run = Run(out)
    translator = run.translator()
    scores = {name: _evaluate(console, translator, name, corpus) for name, corpus in data.test.items()}
    shown = show_samples(console, translator, next(iter(data.test.values())))
    pictures = _draw(console, run, translator, shown)
    report = _export(console, translator, Path(saved_models) / Path(out).resolve().name / "1", shown)
    _say_what_next(console, Path(out))
    return QuickstartResult(trained, scores, pictures, report)


def choose_samples(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Choose test sentences whose German order differs from the English.

    Args:
        pairs: source and target sentences.

    Returns:
        Up to five of (what the sentence shows, source, target), no sentence twice.

    Example:
        >>> choose_samples([("You sleep.", "Du schläfst."), ("Does he sleep?", "Schläft er?")])
        [('question', 'Does he sleep?', 'Schläft er?')]
    """
    chosen: list[tuple[str, str, str]] = []
    for in_source, in_target, what in WORD_ORDER:
        taken = {source for _, source, _ in chosen}
        for source, target in pairs:
            if source not in taken and re.search(in_source, source) and re.search(in_target, target):
                chosen.append((what, source, target))
                break
    return chosen[:_SHOWN]


def show_samples(console: Console, translator: Any, corpus: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Translate and print five sentences.

    Args:
        console: where.
        translator: the `Translator`.
        corpus: pairs to choose from.

    Returns:
        (source, translation) of each.
    """
    chosen = choose_samples(corpus)
    chosen += [("", *pair) for pair in corpus[: _SHOWN - len(chosen)]]
    translations = translator([source for _, source, _ in chosen])
    console.print("\nHeld-out sentences, translated:", markup=False)
    for (what, source, target), translation in zip(chosen, translations, strict=True):
        lines = [f"  English  {source}", f"  German   {translation}{f'   [{what}]' if what else ''}"]
        if translation != target:
            lines.append(f"  expected {target}")
        console.print("\n".join(lines) + "\n", markup=False, soft_wrap=True)
    return [(source, translation) for (_, source, _), translation in zip(chosen, translations, strict=True)]


def _evaluate(console: Console, translator: Any, name: str, corpus: Any) -> Any:
    from keras_transformer.evaluation import evaluate_translations

    scores = evaluate_translations(translator(list(corpus.sources)), list(corpus.targets))
    console.print(f"\nHeld-out split {name!r}: {scores.table()}", markup=False, soft_wrap=True)
    return scores


def _draw(console: Console, run: Any, translator: Any, shown: list[tuple[str, str]]) -> tuple[Path, ...]:
    from keras_transformer.diagnostics.attention_maps import plot_cross_attention
    from keras_transformer.diagnostics.curves import plot_training

    attention, curve = run.directory / "cross-attention.png", run.directory / "training-curve.png"
    source, translation = max(shown, key=lambda pair: (bool(pair[1]), len(pair[0])))
    # A model of a few steps may translate everything by nothing; the source then stands for the translation.
    plot_cross_attention(translator.model, translator.tokenizer, source, translation or source, attention)
    plot_training(run.files.metrics, curve)
    console.print(f"Pictures: {attention} and {curve}", markup=False, soft_wrap=True)
    return attention, curve


def _export(console: Console, translator: Any, path: Path, shown: list[tuple[str, str]]) -> Any:
    from keras_transformer.export import export_saved_model

    console.print("Exporting and verifying in a fresh process", markup=False)
    report = export_saved_model(translator, path, samples=[source for source, _ in shown], overwrite=True)
    console.print(str(report), markup=False, soft_wrap=True)
    return report


def _say_what_next(console: Console, out: Path) -> None:
    lines = [
        "\nNext:",
        f'  echo "The dog has slept because it is old." | keras-transformer translate {out}',
        f"  tensorboard --logdir {out / 'logs'}",
        "  keras-transformer train --train a.en a.de --valid v.en v.de --out runs/mine    # your own files",
    ]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
