"""Everything that is checked and made before the first update."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_transformer.errors import InputError
from keras_transformer.training.batch_size import settle_batch
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json, write_json, write_text
from keras_transformer.training.found import settle_precision
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles

MAY_CHANGE = frozenset(
    {
        "preset",
        "data.train",  # may move; the content is compared
        "data.valid",
        "training.max_steps",
        "training.max_minutes",
        "training.cooldown_steps",
        "training.jit_compile",
        "training.loss_in_blocks",
        "training.remat",
        "training.log_every",
        "training.checkpoint_every",
        "training.keep_checkpoints",
        "training.average_last",
        "training.validate_every",
        "training.patience",
        "training.memory_check",
        "training.memory_gib",
        "decoding.beam_size",
    }
)


class Materials(NamedTuple):
    """What a run is trained on.

    Attributes:
        train: pairs to train on.
        valid: pairs to validate with, or None.
        tokenizer: the subword vocabulary.
        batches: `TokenBatches` of the training pairs.
        config: the run's, with what was found where it says auto.
    """

    train: Any
    valid: Any | None
    tokenizer: Any
    batches: Any
    config: RunConfig


def settle_config(files: RunFiles, config: RunConfig) -> None:
    """Write the run's configuration, or compare it with the one that is there once training has begun.

    A start that failed before its first checkpoint binds nobody: a name may be corrected, a file mended.

    Args:
        files: the run, its directory made.
        config: the configuration asked for.

    Raises:
        InputError: the run was started with other settings of a kind that cannot change midway.
    """
    if not files.checkpoints.is_dir():
        files.tokenizer.unlink(missing_ok=True)
        files.source_tokenizer.unlink(missing_ok=True)
        files.data.unlink(missing_ok=True)
    elif files.config.is_file():
        before, now = _flat(RunConfig.load(files.config).model_dump()), _flat(config.model_dump())
        changed = [key for key in {**before, **now} if before.get(key) != now.get(key) and key not in MAY_CHANGE]
        if changed:
            first = changed[0]
            named = f"{first} ({before.get(first)!r} there, {now.get(first)!r} now)"
            raise InputError(
                f"The run in {files.directory} was started with another {', '.join([named, *changed[1:]])}; "
                "use the same settings or another output folder."
            )
    write_text(files.config, config.to_yaml())


def prepare(
    files: RunFiles, config: RunConfig, reporter: Reporter, train: Any | None = None, valid: Any | None = None
) -> Materials:
    """Read the corpora, settle the tokenizer, arrange the batches.

    Args:
        files: the run.
        config: its configuration.
        reporter: takes reports and warnings.
        train: a `ParallelCorpus` that replaces what `config.data` names.
        valid: likewise.

    Returns:
        The materials.

    Raises:
        InputError: a file is wrong, or is not the one the run was started with.
    """
    from keras_transformer.text import TokenBatches, Tokenizer

    train, valid = load_corpora(config, train, valid)
    _report_corpora(reporter, train, valid)
    if files.tokenizer.is_file():
        tokenizer = Tokenizer.load(files.tokenizer)
    else:
        reporter.say(f"training a tokenizer of {config.tokenizer.vocab_size:,} subwords")
        tokenizer = _train_tokenizer(config, train)
        tokenizer.save(files.tokenizer)
    _settle_data(files, train, valid, tokenizer)
    packed = _packed(config, reporter)
    config = settle_precision(files, config, reporter)
    config = settle_batch(files, config, train, tokenizer, packed, reporter)
    training = config.training
    batches = TokenBatches(
        train,
        tokenizer,
        int(training.tokens_per_batch),
        seed=training.seed,
        max_length=config.data.max_length,
        row_multiple=training.replicas,
        packed=packed,
        accumulate=training.accumulate,
    )
    reporter.say(str(batches.report))
    return Materials(train, valid, tokenizer, batches, config)


def _packed(config: RunConfig, reporter: Reporter) -> bool:
    """Whether rows hold several pairs: attention in blocks of neighbours cannot keep them apart."""
    neighbours = config.model.get("attention_neighbours")
    if config.data.packed and neighbours:
        reporter.say(f"one pair a row, not several: model.attention_neighbours={neighbours} does not tell them apart")
    return config.data.packed and not neighbours


def _train_tokenizer(config: RunConfig, train: Any) -> Any:
    """The vocabulary of a run, or the two of it."""
    from keras_transformer.text import Tokenizer, TokenizerPair

    settings = config.tokenizer
    if settings.shared:
        return Tokenizer.train(train, settings.vocab_size)
    return TokenizerPair.train_apart(train, settings.vocab_size, settings.source_vocab_size)


def load_corpora(config: RunConfig, train: Any | None = None, valid: Any | None = None) -> tuple[Any, Any | None]:
    """The corpora given, else those that `config.data` names.

    Args:
        config: the run.
        train: a `ParallelCorpus` to use instead, or None.
        valid: likewise.

    Returns:
        Training pairs, and validation pairs or None.

    Raises:
        InputError: neither is there, or a file is wrong.
    """
    data = config.data
    if train is None and data.dataset:
        from keras_transformer.text import datasets

        loaded = datasets.load(data.dataset, source=data.source, target=data.target, **data.options)
        train = loaded.train
        valid = loaded.valid if valid is None and not data.valid else valid
    elif train is None and data.train:
        train = _read(config, data.train)
        if valid is None and not data.valid:
            train, valid = hold_out(train, data.held_out)
    if train is None:
        raise InputError("There is nothing to train on; set data.train to two files, or data.dataset to a name.")
    if valid is None and data.valid:
        valid = _read(config, data.valid)
    return train, valid


def hold_out(corpus: Any, count: int) -> tuple[Any, Any | None]:
    """Set pairs aside to validate with, evenly spread over the corpus.

    Args:
        corpus: a `ParallelCorpus`.
        count: how many; never more than a tenth of the corpus.

    Returns:
        The corpus without them, and them; None in their place if there are none.

    Example:
        >>> from keras_transformer.text import ParallelCorpus
        >>> rest, held = hold_out(ParallelCorpus.from_pairs([(str(i), "x") for i in range(20)]), 500)
        >>> len(rest), held.sources
        (18, ['9', '19'])
    """
    count = min(count, len(corpus) // 10)
    if count == 0:
        return corpus, None
    places = {(index + 1) * len(corpus) // count - 1 for index in range(count)}
    parts: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for index, pair in enumerate(corpus):
        parts[index in places].append(pair)
    rest, held = (type(corpus).from_pairs(part, name) for part, name in zip(parts, _names(corpus, count), strict=True))
    return rest, held


def _names(corpus: Any, count: int) -> tuple[str, str]:
    return f"{corpus.name} but {count:,} pairs", f"{count:,} pairs held out of {corpus.name}"


def _read(config: RunConfig, paths: tuple[str, ...]) -> Any:
    from keras_transformer.text import ParallelCorpus

    return ParallelCorpus(*paths, on_bad_line=config.data.on_bad_line)


def _report_corpora(reporter: Reporter, train: Any, valid: Any | None) -> None:
    from keras_transformer.text import overlap

    reporter.say(f"train: {train.report}")
    if valid is None:
        reporter.warn("there are no validation pairs: no BLEU, no early stopping, no choice of the best weights.")
        return
    reporter.say(f"valid: {valid.report}")
    shared = overlap(valid, train)
    if shared:
        reporter.warn(f"{shared:,} of {len(valid):,} validation pairs are training pairs too; scores will flatter.")


def _settle_data(files: RunFiles, train: Any, valid: Any | None, tokenizer: Any) -> None:
    """Write what the run is made from, or compare with it."""
    now = {
        "training pairs": train.fingerprint,
        "validation pairs": valid.fingerprint if valid is not None else None,
        "tokenizer": tokenizer.fingerprint,
    }
    before = read_json(files.data)
    if before is None:
        write_json(files.data, now)
        return
    changed = [name for name in now if before.get(name) != now[name]]
    if changed:
        raise InputError(
            f"The run in {files.directory} was started with other {' and '.join(changed)}; "
            "give the same files or another output folder."
        )


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings by dotted key."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
