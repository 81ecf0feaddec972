"""Whether a pair stands in the corpus once, has two languages, and is not one of the test."""

from collections import defaultdict

from keras_transformer.diagnostics.doctor.corpus_alignment import FEWEST
from keras_transformer.diagnostics.doctor.corpus_reading import Split, name_places, quote
from keras_transformer.diagnostics.doctor.findings import Finding, passed


def check_duplicates(train: Split) -> list[Finding]:
    """No pair twice, and no source with many different targets.

    Args:
        train: the split.

    Returns:
        Two findings: pairs, and sources with different targets. Case and spacing are ignored.
    """
    first: dict[tuple[str, str], int] = {}
    targets: dict[str, set[str]] = defaultdict(set)
    lines: dict[str, list[int]] = defaultdict(list)
    again = []
    for place, pair in zip(train.good, _keys(train), strict=True):
        if pair in first:
            again.append(place)
            continue
        first[pair] = place
        targets[pair[0]].add(pair[1])
        lines[pair[0]].append(place)
    several = [source for source, found in targets.items() if len(found) > 1]
    return [_duplicates(train, again, first), _several_targets(train, several, targets, lines)]


def _duplicates(train: Split, again: list[int], first: dict[tuple[str, str], int]) -> Finding:
    share, evidence = len(again) / max(1, len(train.good)), f"{len(again):,} of {len(train.good):,} pairs again"
    if share < 0.01:
        more = f" ({name_places(again)})" if again else ""
        return passed("duplicate pairs", f"{evidence}{more}")
    key = _key(train.source.lines[again[0]]), _key(train.target.lines[again[0]])
    return Finding(
        "duplicate pairs",
        "warn",
        "duplicate-pairs",
        f"{evidence}, {100 * share:.1f} % ({name_places(again)}); line {again[0] + 1} is line {first[key] + 1}: "
        f"{quote(train.source.lines[again[0]])}",
        meaning="Pairs seen more often weigh more; splits made by chance share them.",
        fix="Keep each pair once, before splitting: `paste a.en a.de | awk '!seen[$0]++'`.",
    )


def _several_targets(
    train: Split, several: list[str], targets: dict[str, set[str]], lines: dict[str, list[int]]
) -> Finding:
    share = len(several) / max(1, len(targets))
    evidence = f"{len(several):,} of {len(targets):,} sources have different targets"
    if not several:
        return passed("one source, several targets", evidence)
    worst = max(several, key=lambda source: len(targets[source]))
    evidence += (
        f"; most have {quote(train.source.lines[lines[worst][0]])}: {len(targets[worst])} ({name_places(lines[worst])})"
    )
    if share < 0.05 and len(targets[worst]) < 10:
        return passed("one source, several targets", evidence)
    return Finding(
        "one source, several targets",
        "warn",
        "source-with-many-targets",
        evidence,
        meaning="Free translation gives a few; many mean a misaligned side or text filled in by a machine.",
        fix="Read the targets of that source; keep the ones that translate it.",
    )


def check_copies(train: Split) -> list[Finding]:
    """The target is not the source.

    Args:
        train: the split.

    Returns:
        One finding. Names and numbers are the same in both languages, so it warns from 1 % of the pairs on, or from
        five copies of four words or more; half of 20 pairs or more fail.
    """
    copies = [place for place, (source, target) in zip(train.good, _keys(train), strict=True) if source == target]
    long = [place for place in copies if len(train.source.lines[place].split()) >= 4]
    evidence = f"{len(copies):,} of {len(train.good):,} pairs" + (f" ({name_places(long or copies)})" if copies else "")
    if len(copies) < max(1.0, 0.01 * len(train.good)) and len(long) < 5:
        return [passed("target copies the source", evidence)]
    return [
        Finding(
            "target copies the source",
            "fail" if len(copies) >= max(0.5 * len(train.good), FEWEST) else "warn",
            "untranslated-copies",
            evidence,
            meaning="Text was left untranslated; a share of a few per cent teaches the model to copy its input.",
            fix="Remove the pairs whose sides are the same, names and numbers apart.",
        )
    ]


def check_overlap(train: Split, other: Split) -> list[Finding]:
    """Nothing of the training pairs stands in the test or validation pairs.

    Args:
        train: the training split.
        other: "test", whose shared pairs fail, or "valid", whose shared pairs warn.

    Returns:
        Two findings: whole pairs, and sources alone. Case and spacing are ignored.
    """
    known = set(_keys(train))
    sources = {source for source, _ in known}
    pairs, alone = [], []
    for place, key in zip(other.good, _keys(other), strict=True):
        if key in known:
            pairs.append(place)
        elif key[0] in sources:
            alone.append(place)
    return [_overlap("pairs", other, pairs), _overlap("sources", other, alone)]


def _overlap(kind: str, other: Split, places: list[int]) -> Finding:
    title, check = other.title, f"overlap of train and {other.title}, {kind}"
    evidence = f"{len(places):,} of {len(other.good):,} {title} {kind} are training {kind} too"
    if not places:
        return passed(check, evidence)
    if kind == "sources" and len(places) < 0.01 * len(other.good):
        return passed(check, f"{evidence} ({name_places(places)} of {title})")
    severe = kind == "pairs" and title == "test"
    return Finding(
        check,
        "fail" if severe else "warn",
        f"train-{title}-overlap" if kind == "pairs" else f"train-{title}-source-overlap",
        f"{evidence} ({name_places(places)} of {title}; {quote(other.source.lines[places[0]])})",
        meaning="The score measures memory for these sentences, not translation."
        if kind == "pairs"
        else "The model has learned another translation of these sentences; scores flatter a little.",
        fix=f"Remove these sentences from the training pairs, never from {title} alone.",
    )


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _keys(split: Split) -> list[tuple[str, str]]:
    return [(_key(source), _key(target)) for source, target in split.pairs]
