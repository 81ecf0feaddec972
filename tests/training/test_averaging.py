import ml_dtypes
import numpy as np
import pytest

from keras_transformer.errors import InputError
from keras_transformer.training.averaging import average_checkpoints
from keras_transformer.training.checkpoints import save_checkpoint

pytestmark = pytest.mark.backend_independent


def state(step):
    rng = np.random.default_rng(step)
    return {
        "model/w": rng.normal(size=(3, 4)).astype("float32"),
        "model/half": rng.normal(size=5).astype(ml_dtypes.bfloat16),
        "model/seed": np.uint32([step, 7]),
        "optimizer/m": np.float32([step]),
    }


def save(folder, steps, change=lambda step, arrays: None):
    paths = []
    for step in steps:
        arrays = state(step)
        change(step, arrays)
        paths.append(save_checkpoint(folder, step, arrays, {}))
    return paths


def test_float_weights_are_averaged_and_the_rest_is_the_newest(tmp_path):
    averaged = average_checkpoints(save(tmp_path, [20, 40, 30]))
    assert list(averaged) == ["model/w", "model/half", "model/seed"]
    members = [state(step) for step in (20, 30, 40)]
    for name, dtype in (("model/w", "float32"), ("model/half", ml_dtypes.bfloat16)):
        exact = np.mean([member[name].astype("float64") for member in members], axis=0)
        assert averaged[name].dtype == dtype
        np.testing.assert_array_equal(averaged[name], exact.astype(dtype))
    np.testing.assert_array_equal(averaged["model/seed"], [40, 7])
    assert averaged["model/seed"].dtype == "uint32"


def test_sums_are_kept_in_float64(tmp_path):
    values = {1: 2.0**24, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}
    paths = save(tmp_path, values, lambda step, arrays: arrays.update({"model/w": np.float32([values[step]])}))
    assert average_checkpoints(paths)["model/w"][0] == np.float32((2.0**24 + 4) / 5)


def test_one_checkpoint_is_its_own_average(tmp_path):
    averaged = average_checkpoints(save(tmp_path, [3]))
    for name, array in averaged.items():
        np.testing.assert_array_equal(array, state(3)[name])


def test_same_step_twice_is_refused(tmp_path):
    paths = [*save(tmp_path / "a", [1]), *save(tmp_path / "b", [1])]
    with pytest.raises(InputError, match="both of step 1"):
        average_checkpoints(paths)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda arrays: arrays.pop("model/half"), "model/half is .* in the first and missing in the second"),
        (lambda arrays: arrays.update({"model/new": np.ones(1)}), "model/new is missing in the first"),
        (lambda arrays: arrays.update({"model/w": np.ones((4, 3), "float32")}), r"model/w is .*\(4, 3\)"),
        (lambda arrays: arrays.update({"model/w": np.ones((3, 4))}), "model/w is .*float64"),
    ],
)
def test_other_variables_are_refused(tmp_path, change, match):
    paths = save(tmp_path, [1, 2], lambda step, arrays: change(arrays) if step == 2 else None)
    with pytest.raises(InputError, match=match):
        average_checkpoints(paths)


def test_nothing_damaged_or_absent_is_averaged(tmp_path):
    with pytest.raises(InputError, match="at least one"):
        average_checkpoints([])
    paths = save(tmp_path, [1, 2])
    (paths[0] / "arrays.npz").write_bytes(b"")
    with pytest.raises(InputError, match="step-00000001 is damaged"):
        average_checkpoints(paths)
    with pytest.raises(InputError, match="no model weights"):
        average_checkpoints([save_checkpoint(tmp_path, 9, {"w": np.ones(1)}, {})])
