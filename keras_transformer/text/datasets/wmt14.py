"""WMT14 English-German: the corpus of the paper's table 2."""

import hashlib
import html
import json
import re
import tarfile
import zlib
from pathlib import Path

from keras_transformer.errors import InputError
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.datasets.dataset import ParallelDataset
from keras_transformer.text.datasets.download import RemoteFile, cache_folder, checksum, fetch
from keras_transformer.text.files import write_atomically

_ARCHIVES = {
    "europarl": RemoteFile(
        "https://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz",
        "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
    ),
    "commoncrawl": RemoteFile(
        "https://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz",
        "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
    ),
    "news-commentary": RemoteFile(
        "https://www.statmt.org/wmt14/training-parallel-nc-v9.tgz",
        "cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485",
    ),
    "dev": RemoteFile(
        "https://data.statmt.org/wmt19/translation-task/dev.tgz",
        "7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7",
    ),
}
# File made here: the members it is made of, each with its archive, joined in order.
_FILES = {
    **{
        f"train.{language}": (
            ("europarl", f"training/europarl-v7.de-en.{language}"),
            ("commoncrawl", f"commoncrawl.de-en.{language}"),
            ("news-commentary", f"training/news-commentary-v9.de-en.{language}"),
        )
        for language in ("de", "en")
    },
    "newstest2013.de": (("dev", "dev/newstest2013.de"),),
    "newstest2013.en": (("dev", "dev/newstest2013.en"),),
    "newstest2014.de": (("dev", "dev/newstest2014-deen-src.de.sgm"),),
    "newstest2014.en": (("dev", "dev/newstest2014-deen-ref.en.sgm"),),
}
_SUMS_FILE = "sums.json"
_SEGMENT = re.compile(rb"<seg[^>]*>(.*?)</seg>", re.DOTALL | re.IGNORECASE)


def load_wmt14(source: str = "en", target: str = "de", *, folder: str | Path | None = None) -> ParallelDataset:
    """WMT14 English-German: Europarl v7, Common Crawl and News Commentary v9, about 4.5 million pairs.

    The archives (1.7 GB) are downloaded from statmt.org and checked; the text is taken out once. Training pairs with
    an empty or over-long side are dropped and reported. newstest2013 is for validation, newstest2014 (all 3,003
    sentences) is the test set, as in the paper (section 6.1).

    Args:
        source: `"en"` or `"de"`.
        target: the other one.
        folder: where the files are kept; the cache folder when None.

    Returns:
        The data set.

    Raises:
        InputError: a language is not there, or an archive cannot be fetched, has the wrong sum or is damaged.

    Reference:
        Bojar et al., "Findings of the 2014 Workshop on Statistical Machine Translation", 2014,
        https://www.statmt.org/wmt14/translation-task.html
    """
    if {source, target} != {"en", "de"}:
        raise InputError(f"wmt14 was asked for from {source!r} into {target!r}, expected 'en' and 'de', or back.")
    home = Path(folder) if folder is not None else cache_folder("wmt14")
    if not _is_extracted(home):
        _extract(home)

    def paths(split: str) -> tuple[Path, Path]:
        return home / f"{split}.{source}", home / f"{split}.{target}"

    return ParallelDataset(
        "wmt14",
        source,
        target,
        ParallelCorpus(*paths("train"), on_bad_line="drop"),
        ParallelCorpus(*paths("newstest2013")),
        {"newstest2014": ParallelCorpus(*paths("newstest2014"))},
    )


def _is_extracted(home: Path) -> bool:
    """Whether the text is there, as it was when it was taken out."""
    if not (home / _SUMS_FILE).exists():
        return False
    sums = json.loads((home / _SUMS_FILE).read_text())
    for name in _FILES:
        got = checksum(home / name) if (home / name).exists() else "missing"
        if got != sums.get(name):
            raise InputError(
                f"{home / name}: has the SHA-256 {got}, expected {sums.get(name)}; delete {home / _SUMS_FILE} and run "
                "the command again to take the text out of the archives anew."
            )
    return True


def _extract(home: Path) -> None:
    """Write every file out of its members. Only named members are read, and no name of theirs becomes a path."""
    archives = {name: fetch(remote, home) for name, remote in _ARCHIVES.items()}
    sums: dict[str, str] = {}
    for name, members in _FILES.items():
        content = b"".join(_member(archives[archive], member) for archive, member in members)
        write_atomically(home / name, content)
        sums[name] = hashlib.sha256(content).hexdigest()
    write_atomically(home / _SUMS_FILE, json.dumps(sums, indent=1).encode())


def _member(archive: Path, name: str) -> bytes:
    """The lines of one file of an archive, each with its end; SGML becomes plain text."""
    try:
        with tarfile.open(archive, "r:*") as tar:
            # Archives are read to the member and no further; links are not followed.
            file = next((tar.extractfile(info) for info in tar if info.name == name and info.isfile()), None)
            content = None if file is None else file.read()
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{archive}: is damaged ({error}); delete it and run the command again.") from None
    if content is None:
        raise InputError(f"{archive}: has no file {name}; delete the archive and run the command again.")
    if name.endswith(".sgm"):
        segments = (html.unescape(found.decode("utf-8")).strip() for found in _SEGMENT.findall(content))
        content = "".join(f"{' '.join(segment.split())}\n" for segment in segments).encode()
    return content if content.endswith(b"\n") else content + b"\n"
