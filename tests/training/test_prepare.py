"""What a run is trained on."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from keras_transformer.training.prepare import prepare
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from tests.training.small_run import small_config, small_corpus


@pytest.mark.backend_independent
@pytest.mark.parametrize(
    ("override", "packed", "said"),
    [
        ("data.packed=true", True, False),
        ("data.packed=false", False, False),
        ("model.attention_neighbours=2", False, True),
    ],
)
def test_rows_are_packed_where_the_model_can_keep_pairs_apart(
    tmp_path: Path, override: str, packed: bool, said: bool
) -> None:
    text = io.StringIO()
    files = RunFiles(tmp_path / "run")
    files.create()
    batches = prepare(
        files, small_config(override), Reporter(console=Console(file=text, width=200)), small_corpus(50, 1)
    ).batches
    assert batches.packed == packed
    assert len(batches.batch(0)[0]) == (4 if packed else 2)
    assert ("model.attention_neighbours=2 does not tell them apart" in text.getvalue()) == said
    assert f"{100 * batches.report.fill:.1f} % filled" in text.getvalue()
