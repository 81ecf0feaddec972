"""What importing the package costs, what it needs, and that every public name is there."""

import ast
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import keras_transformer as kt

pytestmark = pytest.mark.backend_independent
SOURCE = Path(kt.__file__)


def run_python(code: str, **environment: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(
        command,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


def test_importing_the_package_adds_little_to_keras() -> None:
    code = """
        import sys, keras
        before = set(sys.modules)
        import keras_transformer
        print(*{name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))
    """
    light = {"keras_transformer", "pydantic", "pydantic_core", "annotated_types", "typing_inspection", "yaml"}
    added = {name for name in run_python(code).split() if not name.startswith("_")}
    assert added <= light | {"typing_extensions", "keras"}


def test_help_needs_no_backend() -> None:
    code = """
        import sys
        sys.argv = ["keras-transformer", *{arguments!r}]
        from keras_transformer.cli.main import main
        try:
            main()
        except SystemExit as end:
            assert not end.code, end.code
        heavy = {{"keras", "tensorflow", "jax", "torch", "keras_hub", "sacrebleu", "matplotlib", "numpy"}}
        print("imported:", *heavy & set(sys.modules))
    """
    for arguments in (["--help"], ["train", "--help"], ["--version"]):
        output = run_python(code.format(arguments=arguments))
        assert output.strip().endswith("imported:"), output


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_layers_models_and_decoding_work_without_tensorflow(backend: str) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: pip install '.[{backend}]'")
    code = """
        import sys

        sys.modules.update(dict.fromkeys(["tensorflow", "tensorflow_text", "keras_hub"]))  # as if not installed

        import numpy as np
        import keras_transformer as kt
        import keras_transformer.layers, keras_transformer.models, keras_transformer.decoding

        model = kt.Transformer(vocab_size=20, num_encoder_layers=1, num_decoder_layers=1, d_model=8, d_ff=16,
                               num_heads=2, dropout=0.1)
        source = np.array([[5, 6, 7, 2], [8, 2, 0, 0]], "int32")
        model((source, source))
        ids, scores = kt.BeamSearch(beam_size=2, max_length_offset=3)(model, source)
        print(ids.shape[:2], scores.shape)
    """
    output = run_python(code, KERAS_BACKEND=backend)
    assert output.replace("torch.Size([", "(").replace("])", ")").split("\n")[0] == "(2, 1) (2, 1)"


def test_a_saved_model_loads_after_the_import_alone(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    model = kt.Transformer(
        vocab_size=20,
        num_encoder_layers=1,
        num_decoder_layers=1,
        d_model=8,
        d_ff=16,
        num_heads=2,
        dropout=0.1,
    )
    model.compile(
        optimizer=kt.paper_adam(kt.TransformerSchedule(8)),
        loss=kt.LabelSmoothedCrossEntropy(0.1),
        weighted_metrics=[kt.TokenAccuracy(), kt.Perplexity()],
    )
    ids = np.array([[1, 5, 2]], "int32")
    model.fit((ids, ids), ids, verbose=0)
    model.save(path)
    code = f"""
        import keras_transformer, keras
        print(type(keras.saving.load_model({str(path)!r}).loss).__name__)
    """
    assert run_python(code).strip() == "LabelSmoothedCrossEntropy"


def test_every_public_name_is_imported_typed_and_there() -> None:
    assert sorted(kt._HOMES) == sorted(kt.__all__)
    for name in kt.__all__:
        assert getattr(kt, name) is not None
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    typed = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(kt.__all__) <= typed
    assert set(kt.__all__) <= set(dir(kt))
    with pytest.raises(AttributeError, match="no attribute 'Transfomer'"):
        _ = kt.Transfomer


def test_version_is_the_installed_one() -> None:
    assert importlib.metadata.version("keras-transformer-nmt") == kt.__version__
    assert (SOURCE.parent / "py.typed").exists()
