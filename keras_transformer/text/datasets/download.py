"""Fetching a file once: checksummed, resumable, and never half of it under its real name."""

import contextlib
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from keras_transformer.errors import InputError

_BLOCK = 1 << 20
_TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True)
class RemoteFile:
    """A file on the net and what it must hold.

    Args:
        url: its https address.
        sha256: SHA-256 of its content, in hex.

    Example:
        >>> RemoteFile("https://example.org/data/a.gz", "00").name
        'a.gz'
    """

    url: str
    sha256: str

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.url.rsplit("/", 1)[-1]


def cache_folder(name: str) -> Path:
    """Where a data set is kept.

    Args:
        name: the data set.

    Returns:
        `datasets/NAME` in `$KERAS_TRANSFORMER_HOME`, or else in Keras's own folder: `$KERAS_HOME`, or `~/.keras`.

    Example:
        >>> cache_folder("multi30k").parts[-2:]
        ('datasets', 'multi30k')
    """
    home = os.environ.get("KERAS_TRANSFORMER_HOME") or os.environ.get("KERAS_HOME")
    return (Path(home).expanduser() if home else Path.home() / ".keras") / "datasets" / name


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hex.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be read.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "empty")
        >>> path.touch()
        >>> checksum(path)[:8]
        'e3b0c442'
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the file.") from None


def fetch(remote: RemoteFile, folder: Path) -> Path:
    """The file in a folder, downloaded unless it is there, and checked in either case.

    What arrives goes to `NAME.part`; a broken download is continued from there by the next call.

    Args:
        remote: the file.
        folder: where it is kept; made when it is not there.

    Returns:
        Its path.

    Raises:
        InputError: the sum is wrong, or the file cannot be fetched or written.
    """
    path = folder / remote.name
    if not path.exists():
        part = path.with_name(f"{path.name}.part")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _download(remote.url, part)
            got = checksum(part)
            if got == remote.sha256:
                part.replace(path)
                return path
            part.unlink()
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(remote, path, error) from None
        raise InputError(
            f"{remote.url}: the download has the SHA-256 {got}, expected {remote.sha256}; it was thrown away: run the "
            "command again, and if that does not help, the file on the net has changed."
        )
    got = checksum(path)
    if got != remote.sha256:
        raise InputError(
            f"{path}: has the SHA-256 {got}, expected {remote.sha256}; delete the file and run the command again to "
            "download it."
        )
    return path


def _unreachable(remote: RemoteFile, path: Path, error: Exception) -> InputError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, OSError):
        reason = reason.strerror or reason
    reason = str(reason) or type(reason).__name__
    return InputError(
        f"{remote.url}: could not be downloaded to {path} ({reason}); check the network and run the command again to "
        "go on, or put the file there yourself."
    )


def _download(url: str, part: Path) -> None:
    """Append what is missing to the partial file."""
    if urlsplit(url).scheme != "https" and urlsplit(url).hostname != "127.0.0.1":
        raise InputError(f"{url}: is not an https address; only such are downloaded.")
    have = part.stat().st_size if part.exists() else 0
    try:
        response = _open(url, have)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:  # 416: nothing is missing, or the partial file is too long to be right
            raise
        if error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return
        have, response = 0, _open(url, 0)
    with response:
        if have and not _continues_at(response, have):
            have = 0
        total = have + int(response.headers.get("Content-Length") or 0)
        with part.open("ab" if have else "wb") as file, _progress(part.stem, have, total) as advance:
            for block in _blocks(response):
                file.write(block)
                advance(len(block))
        if total and part.stat().st_size < total:
            raise ConnectionError(f"the connection broke after {part.stat().st_size:,} of {total:,} bytes")


def _open(url: str, start: int) -> http.client.HTTPResponse:
    headers = {"User-Agent": "keras-transformer", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(url, headers=headers)
    response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS)
    return response


def _continues_at(response: http.client.HTTPResponse, start: int) -> bool:
    """Whether the server sends the rest only, as asked, and not the whole file again."""
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return response.status == 206 and found is not None and int(found[1]) == start


def _blocks(stream: BinaryIO | http.client.HTTPResponse) -> Iterator[bytes]:
    while block := stream.read(_BLOCK):
        yield block


class _Advance:
    """Moves a progress bar on; without a terminal there is none."""

    def __init__(self, name: str, have: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        console = Console(stderr=True)
        columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
        self.bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self.task = self.bar.add_task(name, completed=have, total=total or None)

    def __call__(self, amount: int) -> None:
        self.bar.update(self.task, advance=amount)


@contextlib.contextmanager
def _progress(name: str, have: int, total: int) -> Iterator[_Advance]:
    advance = _Advance(name, have, total)
    with advance.bar:
        yield advance
