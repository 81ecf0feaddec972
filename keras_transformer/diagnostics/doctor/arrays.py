"""Arrays of any library as NumPy."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def to_numpy(values: Any) -> Floats:
    """A tensor of TensorFlow, JAX, PyTorch or NumPy, of any dtype and on any device, as float32 NumPy.

    Args:
        values: the tensor, whatever backend Keras itself runs on.

    Returns:
        A float32 array of the same shape.

    Example:
        >>> to_numpy([[1, 2]]).dtype
        dtype('float32')
    """
    if is_torch(values):
        return values.detach().float().cpu().numpy()  # bfloat16 of torch is none of NumPy's
    if hasattr(values, "numpy") and not isinstance(values, np.ndarray):
        values = values.numpy()
        if is_torch(values):
            return to_numpy(values)
    return np.asarray(values).astype("float32")


def is_torch(values: Any) -> bool:
    """Whether it is a tensor of PyTorch; does not import PyTorch.

    Example:
        >>> is_torch([1.0])
        False
    """
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def precision(values: Any) -> float:
    """The rounding step, relative to 1, of the dtype that numbers went through, found from the numbers.

    A float32 tensor whose every number fits bfloat16 was computed in bfloat16 and cast.

    Args:
        values: a tensor with many numbers.

    Returns:
        2^-8 for bfloat16, 2^-11 for float16, 2^-23 for anything finer.

    Example:
        >>> precision(np.linspace(1, 2, 50).astype("float16")) == 2.0**-11
        True
    """
    numbers = to_numpy(values)
    bits = numbers[np.isfinite(numbers)].view("uint32")
    if bits.size and not (bits & 0xFFFF).any():
        return 2.0**-8
    if bits.size and not (bits & 0x1FFF).any():
        return 2.0**-11
    return 2.0**-23
