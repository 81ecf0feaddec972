"""Where exports land, and what happens when one fails."""

import os
from pathlib import Path

import pytest

from keras_transformer.errors import InputError
from keras_transformer.export.versions import staged, version_directory

pytestmark = pytest.mark.backend_independent


def test_without_a_version_the_next_one_is_used(tmp_path: Path) -> None:
    assert version_directory(tmp_path / "en-de") == tmp_path / "en-de" / "1"
    for name in ("2", "10", "007", "notes", ".11.5.partial"):
        (tmp_path / "en-de" / name).mkdir(parents=True)
    assert version_directory(tmp_path / "en-de") == tmp_path / "en-de" / "11"
    assert version_directory(tmp_path / "en-de" / "4") == tmp_path / "en-de" / "4"


def test_an_existing_version_is_refused_with_a_free_one(tmp_path: Path) -> None:
    for version in ("1", "3"):
        (tmp_path / "en-de" / version).mkdir(parents=True)
    with pytest.raises(InputError, match=r"en-de/1 exists already.*en-de/4.*overwrite"):
        version_directory(tmp_path / "en-de" / "1")
    assert version_directory(tmp_path / "en-de" / "1", overwrite=True).name == "1"


@pytest.mark.parametrize("path", ["file", "file/1", "file/en-de/1"])
def test_a_file_in_the_way_is_named(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("text", encoding="utf-8")
    with pytest.raises(InputError, match=r"file is a file, not a directory"):
        version_directory(tmp_path / path)


def test_a_version_appears_complete_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "en-de" / "1"
    with staged(target) as staging:
        (staging / "part").write_text("one", encoding="utf-8")
        assert not target.exists()
        assert not staging.name.isdigit()
        assert staging.parent == target.parent
    assert (target / "part").read_text(encoding="utf-8") == "one"

    with pytest.raises(ZeroDivisionError), staged(target) as staging:
        (staging / "part").write_text(f"two{1 / 0}", encoding="utf-8")
    assert (target / "part").read_text(encoding="utf-8") == "one"

    with staged(target) as staging:
        (staging / "other").write_text("three", encoding="utf-8")
    assert [entry.name for entry in target.iterdir()] == ["other"]
    assert [entry.name for entry in target.parent.iterdir()] == ["1"]


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError, match=r"Cannot write to .*Permission denied"), staged(tmp_path / "a" / "1"):
        pass
