"""Multi30k: captions of pictures in English, German and French."""

from pathlib import Path

from keras_transformer.errors import InputError
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.datasets.dataset import ParallelDataset
from keras_transformer.text.datasets.download import RemoteFile, cache_folder, fetch

_LANGUAGES = ("en", "de", "fr")
_COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
_ADDRESS = f"https://raw.githubusercontent.com/multi30k/dataset/{_COMMIT}/data/task1/raw"
_SUMS = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}


def load_multi30k(source: str = "en", target: str = "de", *, folder: str | Path | None = None) -> ParallelDataset:
    """Multi30k, task 1: 29,000 pairs to train on, 1,014 to validate on, 1,000 to test on (`test_2016`).

    The files are taken from the cache folder and downloaded from the data set's repository when they are not
    there; their SHA-256 sums are checked every time.

    Args:
        source: `"en"`, `"de"` or `"fr"`.
        target: another of these.
        folder: where the files are kept; the cache folder when None.

    Returns:
        The data set.

    Raises:
        InputError: a language is not there, or a file cannot be fetched or has the wrong sum.

    Reference:
        Elliott et al., "Multi30K: Multilingual English-German Image Descriptions", 2016,
        https://arxiv.org/abs/1605.00459; https://github.com/multi30k/dataset
    """
    if source not in _LANGUAGES or target not in _LANGUAGES or source == target:
        raise InputError(
            f"multi30k was asked for from {source!r} into {target!r}, expected two of {', '.join(_LANGUAGES)}."
        )
    home = Path(folder) if folder is not None else cache_folder("multi30k")

    def corpus(split: str) -> ParallelCorpus:
        names = (f"{split}.{language}.gz" for language in (source, target))
        return ParallelCorpus(*(fetch(RemoteFile(f"{_ADDRESS}/{name}", _SUMS[name]), home) for name in names))

    test = {"test_2016": corpus("test_2016_flickr")}
    return ParallelDataset("multi30k", source, target, corpus("train"), corpus("val"), test)
