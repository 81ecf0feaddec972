"""Lines from standard input, whatever bytes they hold."""

from collections.abc import Iterable, Iterator


class InputLines:
    r"""Lines of text from a binary stream, one by one, as they come.

    A line ends at `\n` or `\r\n`. Bytes that are not UTF-8 become U+FFFD, so that every line in still gives a
    line out; which lines had them is kept for a warning.

    Args:
        stream: yields lines of bytes, such as `sys.stdin.buffer`.

    Example:
        >>> from keras_transformer.cli.streams import InputLines
        >>> lines = InputLines([b"a dog\r\n", b"\xff\n"])
        >>> list(lines), lines.invalid
        (['a dog', '\ufffd'], [2])
    """

    def __init__(self, stream: Iterable[bytes]) -> None:
        self.stream = stream
        self.count = 0
        self.invalid: list[int] = []

    def __iter__(self) -> Iterator[str]:
        for raw in self.stream:
            self.count += 1
            row = raw.removesuffix(b"\n").removesuffix(b"\r")
            try:
                yield row.decode("utf-8")
            except UnicodeDecodeError:
                self.invalid.append(self.count)
                yield row.decode("utf-8", errors="replace")

    def warning(self, name: str = "standard input") -> str | None:
        """One sentence that names the lines that were not UTF-8; None where all were."""
        if not self.invalid:
            return None
        some = ", ".join(map(str, self.invalid[:5]))
        more = f" and {len(self.invalid) - 5:,} more" if len(self.invalid) > 5 else ""
        one = len(self.invalid) == 1
        lines, verb, them = ("line", "is", "it was") if one else ("lines", "are", "they were")
        return (
            f"{name}: {lines} {some}{more} {verb} not valid UTF-8; {them} read with U+FFFD in place of the "
            "bad bytes, convert the input with `iconv -t UTF-8`."
        )
