"""What a check found, and the whole diagnosis."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["pass", "fail", "warn", "skipped"]

_STYLES = {"pass": "green", "fail": "bold red", "warn": "yellow", "skipped": "dim"}
_WIDTH = 110


@dataclass(frozen=True)
class Finding:
    """The result of one measurement.

    Args:
        check: what was measured, such as "causal mask".
        verdict: "pass"; "fail", a fault; "warn", unusual but perhaps meant so; "skipped", not measured.
        fault: the stable name of what is wrong, such as "causal-mask-missing"; None unless it failed or warns.
        evidence: what was seen: which position, how large.
        meaning: what it usually means.
        fix: what to do. For a skipped check: what to pass so that it runs.
        source: where the paper says how it should be, such as "section 3.2.3".

    Example:
        >>> Finding("causal mask", "pass", evidence="no position sees a later one").fault is None
        True
    """

    check: str
    verdict: Verdict
    fault: str | None = None
    evidence: str = ""
    meaning: str = ""
    fix: str = ""
    source: str = ""


class Diagnosis:
    """All findings of one examination; printing it shows a table, then each fault with its meaning and fix.

    Args:
        findings: in the order of the checks.

    Attributes:
        findings: a tuple of `Finding`.

    Example:
        >>> diagnosis = Diagnosis([Finding("causal mask", "fail", "causal-mask-missing", "position 3 sees 4")])
        >>> diagnosis.ok, diagnosis.faults, diagnosis.exit_code
        (False, ('causal-mask-missing',), 1)
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the faults, each once."""
        return self._names("fail")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names of what is unusual but may be meant so, each once."""
        return self._names("warn")

    @property
    def ok(self) -> bool:
        """Whether no fault was found; warnings and skipped checks are not faults."""
        return not any(finding.verdict == "fail" for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0 if no fault was found, else 1."""
        return 0 if self.ok else 1

    def _names(self, verdict: Verdict) -> tuple[str, ...]:
        names = (finding.fault or finding.check for finding in self.findings if finding.verdict == verdict)
        return tuple(dict.fromkeys(names))

    def counts(self) -> dict[str, int]:
        """How many checks ended with each verdict.

        Returns:
            {"pass": n, "fail": n, "warn": n, "skipped": n}.
        """
        return {name: sum(finding.verdict == name for finding in self.findings) for name in _STYLES}

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON knows.

        Returns:
            "ok", "faults", "warnings", "counts" and "findings", a list with a dictionary for each.
        """
        return {
            "ok": self.ok,
            "faults": list(self.faults),
            "warnings": list(self.warnings),
            "counts": self.counts(),
            "findings": [asdict(finding) for finding in self.findings],
        }

    def table(self, *, color: bool = False, width: int = _WIDTH) -> str:
        """The diagnosis as text.

        Args:
            color: with the colour codes of terminals.
            width: characters per line.

        Returns:
            A table of all checks, then meaning, fix and source of each fault and warning, then a line that counts.
        """
        from io import StringIO

        from rich.console import Console

        text = StringIO()
        console = Console(file=text, width=width, force_terminal=color, color_system="standard" if color else None)
        console.print(self._rich_table())
        for finding in self.findings:
            if finding.verdict in ("fail", "warn"):
                console.print(_explanation(finding))
        console.print(self._summary())
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())  # rich pads lines with spaces

    def _rich_table(self) -> Any:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("check", "verdict", "evidence"):
            table.add_column(heading, no_wrap=heading == "verdict")
        for finding in self.findings:
            evidence = finding.evidence or finding.fix
            verdict = Text(finding.verdict, style=_STYLES[finding.verdict])
            table.add_row(Text(finding.check), verdict, Text(evidence))
        return table

    def _summary(self) -> Any:
        from rich.text import Text

        counts = self.counts()
        parts = [f"{counts['pass']} passed", f"{counts['skipped']} skipped"]
        if self.warnings:
            parts.insert(0, f"{counts['warn']} unusual: {', '.join(self.warnings)}")
        if self.faults:
            parts.insert(0, f"{counts['fail']} failed: {', '.join(self.faults)}")
            return Text("; ".join(parts), style=_STYLES["fail"])
        return Text("; ".join(["No fault found", *parts]), style=_STYLES["pass"])

    def __str__(self) -> str:
        return self.table()


def _explanation(finding: Finding) -> Any:
    from rich.text import Text

    source = f" (paper, {finding.source})" if finding.source else ""
    text = Text()
    text.append(f"{finding.fault or finding.check}{source}\n", style=_STYLES[finding.verdict])
    for label, words in (("seen", finding.evidence), ("means", finding.meaning), ("fix", finding.fix)):
        if words:
            text.append(f"  {label}: ", style="bold")
            text.append(f"{words}\n")
    return text


def skipped(check: str, why: str, *, fix: str = "", source: str = "") -> Finding:
    """A check that could not be made.

    Args:
        check: its name.
        why: what was missing.
        fix: what to pass so that it runs.
        source: where the paper speaks of it.

    Returns:
        The finding.

    Example:
        >>> skipped("scale of scores", "no hook", fix="pass Hooks(attention=...)").verdict
        'skipped'
    """
    evidence = f"{why}; {fix}" if fix else why
    return Finding(check, "skipped", evidence=evidence, fix=fix, source=source)


def passed(check: str, evidence: str, *, source: str = "") -> Finding:
    """A check that found nothing wrong.

    Args:
        check: its name.
        evidence: what was measured.
        source: where the paper speaks of it.

    Returns:
        The finding.

    Example:
        >>> passed("causal mask", "no position sees a later one").verdict
        'pass'
    """
    return Finding(check, "pass", evidence=evidence, source=source)


def reason(error: BaseException) -> str:
    """Why, in one line: Keras announces the layer first, and the reason after it.

    Args:
        error: what a model raised.

    Returns:
        The line, without a full stop.

    Example:
        >>> lines = ["Exception encountered when calling Mine.call().", "", "shapes (2, 3) and (4,) differ."]
        >>> reason(ValueError(chr(10).join(lines)))
        'shapes (2, 3) and (4,) differ'
    """
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Exception encountered when calling")] or lines
    return (lines or [type(error).__name__])[0].rstrip(".")
