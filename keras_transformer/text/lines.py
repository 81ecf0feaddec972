"""From a path to lines of text, or to one sentence about why not."""

import gzip
import zlib
from pathlib import Path

from keras_transformer.errors import InputError

_GZIP_MAGIC = b"\x1f\x8b"
_BINARY_PROBE_BYTES = 8192
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r\f\x1b"))
_MOST_CONTROLS = 0.05  # of the first bytes, in text with a few bad lines; random bytes have 0.11


def read_content(path: str | Path) -> bytes:
    r"""The bytes of a text file, decompressed when they are gzip, whatever the name says.

    Args:
        path: the file; a pipe such as `/dev/stdin` is read once.

    Returns:
        The bytes, without a UTF-8 byte order mark.

    Raises:
        InputError: the file is missing, a folder, unreadable, damaged, empty, or not text.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> _ = path.write_bytes(b"one\n")
        >>> read_content(path)
        b'one\n'
    """
    data = _read_bytes(Path(path))
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: the gzip data is damaged ({error}); fetch or compress the file again.") from None
    elif data and Path(path).suffix == ".gz":
        raise InputError(f"{path}: is named .gz but holds no gzip data; compress it or rename it.")
    if not data:
        raise InputError(f"{path}: the file is empty; expected at least one line of text.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: the text is UTF-16, expected UTF-8; convert it with `iconv -f UTF-16 -t UTF-8`.")
    probe = data[:_BINARY_PROBE_BYTES]
    if b"\x00" in probe and len(probe) - len(probe.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(probe):
        raise InputError(f"{path}: is a binary file (it holds NUL bytes); expected lines of UTF-8 text.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a text file; name a file inside it.") from None
    except PermissionError:
        raise InputError(
            f"{path}: permission to read the file is denied; give yourself read access with `chmod u+r`."
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the path.") from None


def split_lines(data: bytes) -> tuple[list[str], list[int]]:
    r"""Lines of UTF-8 text and the indices of those that are not UTF-8.

    Lines end at `\n` or `\r\n` and nowhere else: `str.splitlines` would also cut at U+2028, U+0085 or a form
    feed, and so shift one side of a parallel corpus against the other.

    Args:
        data: the content of a file.

    Returns:
        The lines without their ends, and the indices of the invalid ones, whose place an empty string takes.

    Example:
        >>> split_lines("a\u2028b\r\nc".encode() + b"\n\xff\n")
        (['a\u2028b', 'c', ''], [2])
    """
    rows = data.split(b"\n")
    if not rows[-1]:
        rows.pop()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_rows(rows)
    lines = text.split("\n")[: len(rows)]
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return lines, []


def _decode_rows(rows: list[bytes]) -> tuple[list[str], list[int]]:
    lines: list[str] = []
    invalid: list[int] = []
    for index, row in enumerate(rows):
        try:
            lines.append(row.removesuffix(b"\r").decode("utf-8"))
        except UnicodeDecodeError:
            lines.append("")
            invalid.append(index)
    return lines, invalid


def read_lines(path: str | Path) -> list[str]:
    r"""Every line of a UTF-8 text file, plain or gzip, blank ones too.

    Args:
        path: the file.

    Returns:
        One string per line, without `\n` or `\r\n`.

    Raises:
        InputError: the file cannot be read, is empty, is not text, or has lines that are not UTF-8.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> _ = path.write_text("A dog runs.\n\nIt sleeps.\n")
        >>> read_lines(path)
        ['A dog runs.', '', 'It sleeps.']
    """
    lines, invalid = split_lines(read_content(path))
    if invalid:
        raise InputError(
            f"{path}: {name_lines(invalid)} not valid UTF-8; convert the file with `iconv -t UTF-8` "
            "from the encoding it has."
        )
    return lines


def name_lines(indices: list[int], most: int = 5) -> str:
    """The numbers of lines, counted from 1, as the subject of a sentence.

    Args:
        indices: places counted from 0.
        most: how many to name before "and N more".

    Returns:
        Such as `"line 3 is"` or `"lines 1, 2 and 7 more are"`.

    Example:
        >>> name_lines([2]), name_lines([0, 4]), name_lines(list(range(9)), most=2)
        ('line 3 is', 'lines 1, 5 are', 'lines 1, 2 and 7 more are')
    """
    if len(indices) == 1:
        return f"line {indices[0] + 1} is"
    named = ", ".join(str(index + 1) for index in indices[:most])
    more = f" and {len(indices) - most:,} more" if len(indices) > most else ""
    return f"lines {named}{more} are"
