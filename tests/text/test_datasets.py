"""Named data sets: fetched through a local server, checked, resumed, taken out of archives safely."""

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from keras_transformer.errors import InputError
from keras_transformer.text import datasets
from keras_transformer.text.datasets import download, multi30k, wmt14
from keras_transformer.text.datasets.download import RemoteFile, cache_folder, fetch

pytestmark = pytest.mark.backend_independent


class RangeHandler(SimpleHTTPRequestHandler):
    """Serves byte ranges; breaks off after `most` bytes of an answer when asked to."""

    asked: list[str | None] = []  # noqa: RUF012
    most: int | None = None
    ranges = True

    def do_GET(self) -> None:
        type(self).asked.append(self.headers.get("Range"))
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        data = path.read_bytes()
        found = re.match(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(found[1]) if found and self.ranges else 0
        if start >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.end_headers()
            return
        self.send_response(206 if found and self.ranges else 200)
        if found and self.ranges:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start:][: self.most])

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str]]:
    """A folder and the address it is served at."""
    monkeypatch.setattr(RangeHandler, "asked", [])
    (tmp_path / "served").mkdir()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(RangeHandler, directory=str(tmp_path / "served")))
    thread = Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield tmp_path / "served", f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


DATA = bytes(range(256)) * 2000


def test_a_file_is_fetched_once_and_checked_every_time(server: tuple[Path, str], tmp_path: Path) -> None:
    (server[0] / "a.gz").write_bytes(DATA)
    remote = RemoteFile(f"{server[1]}/a.gz", sha256(DATA))
    home = tmp_path / "deep" / "home"
    assert fetch(remote, home).read_bytes() == fetch(remote, home).read_bytes() == DATA
    assert [path.name for path in home.iterdir()] == ["a.gz"]
    assert len(RangeHandler.asked) == 1
    (home / "a.gz").write_bytes(b"changed")
    with pytest.raises(InputError) as caught:
        fetch(remote, home)
    message = str(caught.value)
    assert message.startswith(f"{home / 'a.gz'}: has the SHA-256 {sha256(b'changed')}, expected {sha256(DATA)}; delete")
    assert len(RangeHandler.asked) == 1


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on(
    server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    (server[0] / "a.gz").write_bytes(DATA)
    remote = RemoteFile(f"{server[1]}/a.gz", sha256(DATA))
    monkeypatch.setattr(RangeHandler, "most", 300_000)
    with pytest.raises(InputError, match=r"broke after 300,000 of 512,000 bytes.*run the command again"):
        fetch(remote, tmp_path)
    assert not (tmp_path / "a.gz").exists()
    monkeypatch.setattr(RangeHandler, "most", None)
    monkeypatch.setattr(RangeHandler, "ranges", ranges)
    assert fetch(remote, tmp_path).read_bytes() == DATA
    assert RangeHandler.asked == [None, "bytes=300000-"]


@pytest.mark.parametrize("extra", [b"", b"more"])
def test_a_partial_file_that_is_whole_or_too_long(server: tuple[Path, str], tmp_path: Path, extra: bytes) -> None:
    (server[0] / "a.gz").write_bytes(DATA)
    (tmp_path / "a.gz.part").write_bytes(DATA + extra)
    assert fetch(RemoteFile(f"{server[1]}/a.gz", sha256(DATA)), tmp_path).read_bytes() == DATA


def test_a_download_with_the_wrong_sum_is_thrown_away(server: tuple[Path, str], tmp_path: Path) -> None:
    (server[0] / "a.gz").write_bytes(DATA)
    remote = RemoteFile(f"{server[1]}/a.gz", "0" * 64)
    with pytest.raises(InputError, match=f"has the SHA-256 {sha256(DATA)}, expected {'0' * 64}"):
        fetch(remote, tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("{server}/none.gz", r"could not be downloaded to .*none\.gz \(Not Found\)"),
        ("http://127.0.0.1:9/a.gz", r"\(Connection refused\); check the network"),
        ("https://no-such-host.invalid/a.gz", "check the network and run the command again"),
        ("http://example.org/a.gz", "is not an https address"),
        ("file:///etc/hostname", "is not an https address"),
    ],
)
def test_what_cannot_be_fetched_is_said_in_one_sentence(
    server: tuple[Path, str], tmp_path: Path, url: str, told: str
) -> None:
    with pytest.raises(InputError, match=told) as caught:
        fetch(RemoteFile(url.format(server=server[1]), "0" * 64), tmp_path)
    assert "\n" not in str(caught.value)


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KERAS_HOME", raising=False)
    monkeypatch.delenv("KERAS_TRANSFORMER_HOME", raising=False)
    assert cache_folder("x") == Path.home() / ".keras/datasets/x"
    monkeypatch.setenv("KERAS_HOME", "/keras")
    assert cache_folder("x") == Path("/keras/datasets/x")
    monkeypatch.setenv("KERAS_TRANSFORMER_HOME", "/own")
    assert cache_folder("x") == Path("/own/datasets/x")


def test_names_languages_and_options_are_checked() -> None:
    for call, told in [
        (lambda: datasets.load("multi30"), "did you mean 'multi30k'"),
        (lambda: datasets.load("zzz"), "known are multi30k, phrases, wmt14"),
        (lambda: datasets.load("multi30k", "en", "it"), "expected two of en, de, fr"),
        (lambda: datasets.load("multi30k", "en", "en"), "expected two of en, de, fr"),
        (lambda: datasets.load("wmt14-en-fr"), "expected 'en' and 'de'"),
        (lambda: datasets.load("multi30k", foldr="x"), "no option 'foldr'; did you mean 'folder'"),
    ]:
        with pytest.raises(InputError, match=told):
            call()


@pytest.fixture
def small_multi30k(server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The nine files with a few lines each, on the local server."""
    sums = {}
    for name in multi30k._SUMS:
        split, language, _ = name.rsplit(".", 2)
        data = gzip.compress("".join(f"{language} {split} {i}\n" for i in range(3)).encode(), mtime=0)
        (server[0] / name).write_bytes(data)
        sums[name] = sha256(data)
    monkeypatch.setattr(multi30k, "_SUMS", sums)
    monkeypatch.setattr(multi30k, "_ADDRESS", server[1])
    return server[0]


def test_multi30k_from_the_net_and_then_from_the_cache(
    small_multi30k: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_TRANSFORMER_HOME", str(tmp_path / "home"))
    data = datasets.load("multi30k", "fr", "de")
    assert (data.source_language, data.target_language) == ("fr", "de")
    assert data.train[1] == ("fr train 1", "de train 1")
    assert data.valid[0] == ("fr val 0", "de val 0")
    assert list(data.test) == ["test_2016"]
    assert data.test["test_2016"][2] == ("fr test_2016_flickr 2", "de test_2016_flickr 2")
    assert len(list((tmp_path / "home/datasets/multi30k").iterdir())) == len(RangeHandler.asked) == 6
    assert datasets.load("multi30k-fr-de").train.fingerprint == data.train.fingerprint
    assert len(RangeHandler.asked) == 6


def test_the_real_multi30k(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cache_folder("multi30k")
    if any(not (folder / name).exists() for name in multi30k._SUMS):
        pytest.skip(f"the nine Multi30k files are not in {folder} (set KERAS_TRANSFORMER_HOME)")
    for source, target in (("en", "de"), ("fr", "en")):
        data = datasets.load("multi30k", source, target)
        assert (len(data.train), len(data.valid), len(data.test["test_2016"])) == (29_000, 1_014, 1_000)


Members = dict[str, bytes]


def wmt14_members() -> dict[str, Members]:
    """What the four archives hold, in small."""
    sgm = '<doc>\n<p>\n<seg id="1"> Q&amp;A in {0} </seg>\n<seg id="2">two\nlines</seg>\n</p></doc>'
    archives: dict[str, Members] = {name: {} for name in wmt14._ARCHIVES}
    for language in ("de", "en"):
        archives["europarl"][f"training/europarl-v7.de-en.{language}"] = f"europarl {language}\n\n".encode()
        archives["europarl"][f"training/europarl-v7.fr-en.{language}"] = b"another language\n"
        archives["commoncrawl"][f"commoncrawl.de-en.{language}"] = f"crawl {language}".encode()
        archives["news-commentary"][f"training/news-commentary-v9.de-en.{language}"] = f"news {language}\n".encode()
        archives["dev"][f"dev/newstest2013.{language}"] = f"valid {language}\n".encode()
    archives["dev"]["dev/newstest2014-deen-src.de.sgm"] = sgm.format("de").encode()
    archives["dev"]["dev/newstest2014-deen-ref.en.sgm"] = sgm.format("en").encode()
    return archives


def pack(members: Members, change: Callable[[tarfile.TarInfo], None] = lambda info: None) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            change(info)
            tar.addfile(info, io.BytesIO(content) if info.isfile() else None)
    return packed.getvalue()


@pytest.fixture
def serve_wmt14(server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, bytes]], None]:
    def serve(archives: dict[str, bytes]) -> None:
        remotes = {}
        for name, data in archives.items():
            (server[0] / f"{name}.tgz").write_bytes(data)
            remotes[name] = RemoteFile(f"{server[1]}/{name}.tgz", sha256(data))
        monkeypatch.setattr(wmt14, "_ARCHIVES", remotes)

    return serve


def test_wmt14_is_taken_out_of_its_archives_once(
    serve_wmt14: Callable[[dict[str, bytes]], None], tmp_path: Path
) -> None:
    serve_wmt14({name: pack(members) for name, members in wmt14_members().items()})
    home = tmp_path / "home"
    data = datasets.load("wmt14-en-de", folder=home)
    assert list(data.train) == [("europarl en", "europarl de"), ("crawl en", "crawl de"), ("news en", "news de")]
    assert data.train.report.lines == 4
    assert list(data.valid) == [("valid en", "valid de")]
    assert list(data.test["newstest2014"]) == [("Q&A in en", "Q&A in de"), ("two lines", "two lines")]
    for archive in home.glob("*.tgz"):
        archive.unlink()  # not needed any more
    assert list(datasets.load("wmt14", "de", "en", folder=home).valid) == [("valid de", "valid en")]
    (home / "train.de").write_text("changed")
    with pytest.raises(InputError, match=r"train\.de: has the SHA-256 .*, expected "):
        datasets.load("wmt14", folder=home)


def test_a_hostile_archive_writes_nothing_outside(
    serve_wmt14: Callable[[dict[str, bytes]], None], tmp_path: Path
) -> None:
    """Members that climb out of the folder are never written; links in place of files are not followed."""
    archives = wmt14_members()
    archives["dev"] |= {"../escaped": b"x", str(tmp_path / "absolute"): b"x"}
    packed = {name: pack(members) for name, members in archives.items()}

    def link(info: tarfile.TarInfo) -> None:
        if info.name.startswith("commoncrawl"):
            info.type, info.linkname, info.size = tarfile.SYMTYPE, "/etc/hostname", 0

    serve_wmt14(packed)
    home = tmp_path / "home"
    datasets.load("wmt14", folder=home)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "served"]
    serve_wmt14({**packed, "commoncrawl": pack(archives["commoncrawl"], link)})
    with pytest.raises(InputError, match=r"has no file commoncrawl\.de-en\.de"):
        datasets.load("wmt14", folder=tmp_path / "other")


def test_a_damaged_archive_is_named(serve_wmt14: Callable[[dict[str, bytes]], None], tmp_path: Path) -> None:
    packed = {name: pack(members) for name, members in wmt14_members().items()}
    serve_wmt14({**packed, "dev": packed["dev"][: len(packed["dev"]) // 2]})
    with pytest.raises(InputError, match=r"dev\.tgz: is damaged"):
        datasets.load("wmt14", folder=tmp_path / "home")


def test_the_progress_bar_counts_what_is_there_already() -> None:
    with download._progress("a.gz", have=10, total=30) as advance:
        advance(5)
        task = advance.bar.tasks[0]
        assert (task.completed, task.total) == (15, 30)
