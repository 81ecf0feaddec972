import numpy as np
import pytest
from keras import ops

from keras_transformer.layers import SinusoidalPositions, sinusoids
from keras_transformer.layers.positions import angular_frequencies


def paper_encoding(length, d_model):
    """Section 3.5 in float64, element by element."""
    table = np.zeros((length, d_model))
    for pos in range(length):
        for i in range(d_model // 2):
            table[pos, 2 * i] = np.sin(pos / 10000 ** (2 * i / d_model))
            table[pos, 2 * i + 1] = np.cos(pos / 10000 ** (2 * i / d_model))
    return table


def test_encoding_is_the_papers():
    ours = ops.convert_to_numpy(sinusoids(np.arange(600), 32))
    np.testing.assert_allclose(ours, paper_encoding(600, 32), atol=6e-5)


def test_wavelengths_run_from_two_pi_towards_ten_thousand_two_pi():
    wavelengths = 2 * np.pi / angular_frequencies(512)
    assert wavelengths[0] == pytest.approx(2 * np.pi)
    assert (np.diff(wavelengths) > 0).all()
    assert 9600 * 2 * np.pi < wavelengths[-1] < 10000 * 2 * np.pi


def test_an_offset_is_the_same_rotation_everywhere():
    table = ops.convert_to_numpy(sinusoids(np.arange(64), 16)).astype("float64")
    k = 7
    angle = k * angular_frequencies(16)[1]
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    np.testing.assert_allclose(table[:-k, 2:4] @ rotation.T, table[k:, 2:4], atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_a_start_shifts_and_low_precision_rounds_only_the_result(dtype):
    layer = SinusoidalPositions(dtype=dtype)
    whole = ops.convert_to_numpy(ops.cast(layer(np.zeros((1, 500, 8), "float32")), "float32"))
    part = ops.convert_to_numpy(ops.cast(layer(np.zeros((1, 1, 8), "float32"), start=499), "float32"))
    np.testing.assert_allclose(part[0, 0], whole[0, 499], atol=1e-6)
    np.testing.assert_allclose(whole[0], paper_encoding(500, 8), atol=5e-3 if "bf" in dtype else 5e-5)


def test_an_odd_size_is_refused():
    with pytest.raises(ValueError, match="must be even; received 7"):
        SinusoidalPositions().build((None, None, 7))
