"""Whether the files are two columns of text that training takes: readable, as many lines, none of them bad."""

from collections.abc import Sequence

import numpy as np

from keras_transformer.diagnostics.doctor.corpus_alignment import WINDOW, shifted_windows
from keras_transformer.diagnostics.doctor.corpus_reading import Side, Split, name_places
from keras_transformer.diagnostics.doctor.findings import Finding, passed


def check_files(splits: Sequence[Split]) -> list[Finding]:
    """Every file is text.

    Args:
        splits: the splits read.

    Returns:
        One finding.
    """
    sides = [side for split in splits for side in split.sides]
    problems = list(dict.fromkeys(side.problem for side in sides if side.problem))
    if not problems:
        return [passed("files", f"{len(sides)} sides of UTF-8 text")]
    return [
        Finding(
            "files",
            "fail",
            "corpus-not-text",
            " ".join(problems),
            meaning="Training and evaluation refuse such a file.",
            fix="Give plain UTF-8 text or gzip of it, one sentence a line.",
        )
    ]


def check_line_counts(splits: Sequence[Split]) -> list[Finding]:
    """Line N of one side belongs to line N of the other.

    Args:
        splits: the splits read.

    Returns:
        One finding a split.
    """
    findings = []
    for split in splits:
        (source, target), check = split.sides, f"line counts, {split.title}"
        if source.problem or target.problem:
            continue
        counts = len(source.lines), len(target.lines)
        if split.aligned:
            findings.append(passed(check, f"{counts[0]:,} and {counts[1]:,} lines"))
            continue
        findings.append(
            Finding(
                check,
                "fail",
                "line-counts-differ",
                f"{source.name} has {counts[0]:,} lines, {target.name} has {counts[1]:,}{_where(source, target)}",
                meaning="From the first missing or extra line on, every sentence stands beside the wrong translation; "
                "the pairs are not examined.",
                fix="Export both sides again from the same table, blank lines kept; line ends inside a sentence "
                "are the usual cause.",
            )
        )
    return findings


def _where(source: Side, target: Side) -> str:
    """Where the sides part, as far as the lengths of their lines tell."""
    one, other = (np.log1p(np.fromiter(map(len, side.lines), np.float64)) for side in (source, target))
    shifted = shifted_windows(one, other)
    if not shifted:
        return ""
    start = next(iter(shifted))
    return f"; their lengths part between lines {max(1, start - WINDOW + 1):,} and {start + WINDOW:,}"


def check_bad_lines(splits: Sequence[Split]) -> list[Finding]:
    """No line is empty, undecodable, too long or without its column.

    Args:
        splits: the splits read.

    Returns:
        One finding for each kind of bad line in a file, or one that there is none.
    """
    findings = [
        _bad_lines(split, side, reason)
        for split in splits
        for side in split.sides
        for reason in dict.fromkeys(side.bad.values())
    ]
    lines = sum(len(side.lines) for split in splits for side in split.sides)
    return findings or [passed("bad lines", f"none in {lines:,} lines")]


def _bad_lines(split: Split, side: Side, reason: str) -> Finding:
    places = [place for place, found in side.bad.items() if found == reason]
    slug = "empty-lines" if reason == "empty" else "invalid-encoding" if "UTF-8" in reason else "bad-lines"
    fix = {
        "empty-lines": "Remove the pair from both files, or train with data.on_bad_line=drop.",
        "invalid-encoding": "Convert the file from the encoding it has with `iconv -t UTF-8`, or drop the pairs by "
        "data.on_bad_line=drop.",
        "bad-lines": "Correct the lines, or train with data.on_bad_line=drop.",
    }[slug]
    return Finding(
        f"bad lines, {split.title}",
        "fail",
        slug,
        f"{side.name}: {name_places(sorted(places), verb=True)} {reason} (of {len(side.lines):,})",
        meaning="Training refuses the corpus, unless told to leave such pairs out.",
        fix=fix,
    )
