"""Rotary positions: the sinusoids' rotation, applied to queries and keys (Su et al. 2021)."""

from typing import Any

from keras import ops

from keras_transformer.layers.positions import angular_frequencies

Tensor = Any


def rotate(inputs: Tensor, positions: Tensor) -> Tensor:
    r"""Turn each pair of components (2i, 2i+1) at position pos by the angle pos / 10000^(2i/d_k).

    A query and a key turned by their positions have the product of the unturned query with the key turned by the
    *difference* of the positions: attention sees distances only. It is the rotation that takes PE(pos) to PE(pos + k)
    in section 3.5, on the vectors that are compared instead of on the sum that goes in.

    Args:
        inputs: (B, T, h, d_k), queries or keys; d_k is even.
        positions: (T,) or (1,) integers.

    Returns:
        (B, T, h, d_k) in the dtype of `inputs`; computed in float32.

    Raises:
        ValueError: d_k is odd.

    Example:
        >>> import numpy as np
        >>> x = np.array([1.0, 0.0], "float32").reshape(1, 1, 1, 2)
        >>> np.round(ops.convert_to_numpy(rotate(x, np.array([1]))).ravel(), 3).tolist()  # cos 1, sin 1
        [0.5400000214576721, 0.8410000205039978]

    Reference:
        Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.
    """
    size = inputs.shape[-1]
    angles = ops.cast(positions, "float32")[:, None] * angular_frequencies(size)[None, :]  # (T, d_k / 2)
    cosine, sine = ops.cos(angles)[None, :, None, :], ops.sin(angles)[None, :, None, :]
    shape = ops.shape(inputs)
    pairs = ops.reshape(ops.cast(inputs, "float32"), (*shape[:-1], size // 2, 2))
    first, second = pairs[..., 0], pairs[..., 1]  # (B, T, h, d_k / 2)
    turned = ops.stack([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
    return ops.cast(ops.reshape(turned, shape), inputs.dtype)
