"""`keras-transformer doctor --data`: a parallel corpus examined before any training."""

from pathlib import Path
from typing import Any

from keras_transformer.diagnostics.doctor.corpus_alignment import check_alignment, check_length_ratio
from keras_transformer.diagnostics.doctor.corpus_batches import check_batches, tokenizer_for
from keras_transformer.diagnostics.doctor.corpus_characters import check_characters, check_unknown
from keras_transformer.diagnostics.doctor.corpus_language import SideWords, check_scripts, check_swapped, check_words
from keras_transformer.diagnostics.doctor.corpus_lines import check_bad_lines, check_files, check_line_counts
from keras_transformer.diagnostics.doctor.corpus_reading import MAX_CHARACTERS, Paths, Split, read_split
from keras_transformer.diagnostics.doctor.corpus_repeats import check_copies, check_duplicates, check_overlap
from keras_transformer.diagnostics.doctor.findings import Diagnosis, Finding, skipped


def examine_corpus(
    source: str | Path,
    target: str | Path | None = None,
    *,
    valid: Paths | None = None,
    test: Paths | None = None,
    tokenizer: Any | None = None,
    tokens_per_batch: int = 4096,
    max_length: int = 256,
    max_characters: int = MAX_CHARACTERS,
    vocab_size: int = 8000,
    presets: tuple[str, ...] = ("tiny", "base"),
) -> Diagnosis:
    r"""Look for what makes training or its scores wrong, in the files themselves.

    It fails for what training refuses (line counts, empty or undecodable lines), for shifted lines, and for test pairs
    that are training pairs; it warns of the rest. Files that `ParallelCorpus` refuses are examined like others: bad
    lines are named and left out of the other checks.

    Args:
        source: file of source lines, plain or gzip, or of both columns when `target` is not given.
        target: file of target lines.
        valid: the validation pairs: (source, target), or one file of two columns.
        test: the test pairs, likewise.
        tokenizer: a `Tokenizer`; None trains one on the pairs.
        tokens_per_batch: most padded tokens of a batch on its longer side.
        max_length: longest side that training takes, in subwords.
        max_characters: longest line that training takes, in characters.
        vocab_size: pieces of a tokenizer trained here.
        presets: models whose memory is estimated.

    Returns:
        The diagnosis.

    Raises:
        InputError: a file is not there.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
        >>> _ = path.write_text("a dog runs\tein Hund rennt\n\tKatze\n", encoding="utf-8")
        >>> examine_corpus(path, presets=()).faults
        ('empty-lines',)
    """
    train = read_split("train", [source] if target is None else [source, target], max_characters)
    others = [read_split(title, paths, max_characters) for title, paths in (("valid", valid), ("test", test)) if paths]
    splits = [train, *others]
    findings = check_files(splits) + check_line_counts(splits) + check_bad_lines(splits)
    if train.good:
        findings += _check_pairs(train, others)
    findings += check_characters(train)
    if not train.good:
        why = "the sides are not aligned" if not train.aligned else "no pair is left"
        return Diagnosis([*findings, skipped("pairs and batches", why, fix="mend the faults above first")])
    findings += check_unknown(train, tokenizer)
    findings += _check_cost(train, tokenizer, vocab_size, tokens_per_batch, max_length, presets)
    return Diagnosis(findings)


def _check_pairs(train: Split, others: list[Split]) -> list[Finding]:
    findings = check_alignment(train) + check_length_ratio(train) + check_duplicates(train) + check_copies(train)
    for split in others:
        findings += check_overlap(train, split)
    words = SideWords(train)
    return findings + check_scripts(train) + check_words(train, words) + check_swapped(train, others, words)


def _check_cost(
    train: Split,
    tokenizer: Any | None,
    vocab_size: int,
    tokens_per_batch: int,
    max_length: int,
    presets: tuple[str, ...],
) -> list[Finding]:
    pairs = train.pairs
    origin = "given" if tokenizer is not None else "a tokenizer trained here"
    tokenizer = tokenizer if tokenizer is not None else tokenizer_for(pairs, vocab_size)
    if tokenizer is None:
        return [skipped("batches", "no tokenizer can be trained on this text", fix="pass tokenizer=")]
    return check_batches(
        pairs, tokenizer, tokens_per_batch=tokens_per_batch, max_length=max_length, presets=presets, origin=origin
    )
