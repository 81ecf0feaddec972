"""Logits, loss and gradients a block of rows at a time: the logits of a batch are never in memory as a whole."""

import functools
from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_transformer.layers.fusion import fused

Tensor = Any
Step = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]

# Logits of one block. Around this size the time is least on a CPU: they stay near the processor, and the products are
# still of large matrices.
_BLOCK_BYTES = 16 * 2**20

PARALLEL_BLOCKS = 2
"""Blocks that TensorFlow computes at the same time: a softmax keeps one core busy, products keep all."""


def block_rows(vocab_size: int) -> int:
    """Rows whose float32 logits take about 16 MiB, 128 at least.

    Example:
        >>> block_rows(8000), block_rows(37000)
        (524, 128)
    """
    return max(128, _BLOCK_BYTES // (4 * vocab_size))


def blocked_cross_entropy(
    vectors: Tensor,
    kernel: Tensor,
    targets: Tensor,
    weights: Tensor,
    label_smoothing: float = 0.0,
    rows: int | None = None,
    gradients: bool = True,
) -> Tensor:
    """Sum of weight times label-smoothed cross entropy of softmax(vectors kernel), in blocks of rows.

    The gradient of a sum for its logits, w (softmax - target), needs nothing but the block's own logits, and gradients
    are linear in what comes from above. So each block's share of the gradients for `vectors` and `kernel` is computed
    at once, while its logits are there, and only scaled afterwards: no logits are kept, none are computed twice. In
    memory are `rows` x V logits instead of N x V. The shares are computed with the weights relative to the largest,
    so that they do not fall out of the range of half precision.

    Args:
        vectors: (N, d_model), any float dtype: the products are computed in it, the softmax in float32.
        kernel: (d_model, V), any float dtype.
        targets: (N,) integer ids in [0, V).
        weights: (N,) float.
        label_smoothing: eps in [0, 1).
        rows: most rows in a block; None for what `block_rows` says.
        gradients: False computes no gradients, for evaluation.

    Returns:
        A float32 scalar, in nats.

    Example:
        >>> import numpy as np
        >>> vectors, kernel = np.ones((3, 2), "float32"), np.zeros((2, 8), "float32")
        >>> round(float(blocked_cross_entropy(vectors, kernel, np.array([1, 2, 0]), np.ones(3), rows=2)), 4)  # 3 log 8
        6.2383

    Reference:
        Vaswani et al. 2017, section 5.4.
    """
    targets, weights = ops.cast(targets, "int32"), ops.cast(weights, "float32")
    largest = ops.max(ops.abs(weights))
    shares = ops.divide_no_nan(weights, largest)
    rows = rows or block_rows(int(kernel.shape[-1]))

    def forward(vectors: Tensor, kernel: Tensor) -> Any:
        matrix = ops.cast(kernel, vectors.dtype)
        step = _step(matrix, label_smoothing, gradients)
        total, for_vectors, for_kernel = _sum_blocks(step, vectors, targets, shares, matrix, rows, gradients)

        def backward(*arguments: Any, upstream: Any = None) -> Any:
            # PyTorch calls with the inputs and the keyword, the others with the gradient alone.
            scale = (arguments[-1] if upstream is None else upstream) * largest
            scaled = ops.cast(for_vectors, "float32") * scale
            return ops.cast(scaled, vectors.dtype), ops.cast(for_kernel * scale, kernel.dtype)

        return total * largest, backward

    vectors, kernel = ops.convert_to_tensor(vectors), ops.convert_to_tensor(kernel)
    return ops.custom_gradient(forward)(vectors, kernel) if gradients else forward(vectors, kernel)[0]


def _step(matrix: Tensor, eps: float, gradients: bool) -> Step:
    """What is done with a block: vectors (R, d), ids (R,), shares (R,) -> its sum, and its shares of the gradients."""
    between = _between_products(eps, eps / matrix.shape[-1], gradients)

    def step(vectors: Tensor, ids: Tensor, shares: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = ops.matmul(vectors, matrix)  # (R, V)
        value, gradient = between(logits, ids, shares)
        if not gradients:
            return value, vectors, ops.zeros((), "float32")
        for_kernel = ops.cast(ops.matmul(ops.transpose(vectors), gradient), "float32")  # (d, V)
        return value, ops.matmul(gradient, ops.transpose(matrix)), for_kernel

    return step


@functools.cache
def _between_products(eps: float, spread: float, gradients: bool) -> Any:
    """`loss_of_logits`, compiled: what is done to a block's logits is one pass or two over them."""
    return fused(functools.partial(loss_of_logits, eps=eps, spread=spread, gradients=gradients))


def loss_of_logits(
    logits: Tensor, ids: Tensor, shares: Tensor, *, eps: float, spread: float, gradients: bool
) -> tuple[Tensor, Any]:
    """Weighted loss of a block, and its gradient for the logits, softmax less target times weight.

    Args:
        logits: (R, V), any float dtype; computed in float32.
        ids: (R,) int32.
        shares: (R,) float32, the weights.
        eps: the label smoothing.
        spread: eps / V.
        gradients: whether the gradient is wanted.

    Returns:
        The sum, a float32 scalar, and the gradient (R, V) in the dtype of the logits, or None.
    """
    dtype = logits.dtype
    ids, shares = ops.expand_dims(ids, -1), ops.expand_dims(shares, -1)  # (R, 1)
    logits = ops.cast(logits, "float32")
    largest = ops.max(logits, axis=-1, keepdims=True)
    exponentials = ops.exp(logits - largest)
    total = ops.sum(exponentials, axis=-1, keepdims=True)
    loss = ops.log(total) + largest - (1.0 - eps) * ops.take_along_axis(logits, ids, axis=-1)
    if eps:
        loss = loss - eps * ops.mean(logits, axis=-1, keepdims=True)
    value = ops.sum(loss * shares)
    if not gradients:
        return value, None
    gradient = exponentials * (shares / total) - spread * shares  # (R, V)
    places = ops.expand_dims(ops.arange(ops.shape(ids)[0], dtype="int32"), -1)
    at_target = ops.take_along_axis(gradient, ids, axis=-1) - (1.0 - eps) * shares
    gradient = ops.scatter_update(gradient, ops.concatenate([places, ids], axis=-1), ops.squeeze(at_target, -1))
    return value, ops.cast(gradient, dtype)


def _sum_blocks(
    step: Step, vectors: Tensor, ids: Tensor, shares: Tensor, matrix: Tensor, rows: int, gradients: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """All blocks: the sum, and the gradients for vectors (N, d) and matrix (d, V)."""
    size = ops.shape(vectors)[0]  # an integer, or a tensor in a TensorFlow graph of open shape
    if isinstance(size, int) and size <= rows:
        return step(vectors, ids, shares)
    # Blocks of even size: less than one row a block is padding, of share 0.
    blocks = (size + rows - 1) // rows
    height = (size + blocks - 1) // blocks
    padding = blocks * height - size
    vectors, ids, shares = (
        ops.reshape(ops.pad(x, [[0, padding], *[[0, 0]] * (len(x.shape) - 1)]), (blocks, height, *x.shape[1:]))
        for x in (vectors, ids, shares)
    )
    start = (ops.zeros((), "float32"), ops.zeros(matrix.shape if gradients else (), "float32"))
    loop = _tensorflow_loop if keras.backend.backend() == "tensorflow" else _scan
    total, for_vectors, for_kernel = loop(step, vectors, ids, shares, start)
    return total, ops.reshape(for_vectors, (blocks * height, vectors.shape[-1]))[:size], for_kernel


def _scan(step: Step, vectors: Tensor, ids: Tensor, shares: Tensor, start: tuple[Tensor, Tensor]) -> Any:
    def body(carry: tuple[Tensor, Tensor], block: Any) -> Any:
        value, for_vectors, for_kernel = step(*block)
        return (carry[0] + value, carry[1] + for_kernel), for_vectors

    (total, for_kernel), for_vectors = ops.scan(body, start, (vectors, ids, shares))
    return total, for_vectors, for_kernel


def _tensorflow_loop(step: Step, vectors: Tensor, ids: Tensor, shares: Tensor, start: tuple[Tensor, Tensor]) -> Any:
    """As `_scan`; Keras's scan wants blocks of the shape of what is carried there."""
    import tensorflow as tf

    blocks = tf.shape(vectors)[0]

    def body(place: Tensor, total: Tensor, for_kernel: Tensor, parts: Any) -> Any:
        value, for_vectors, update = step(vectors[place], ids[place], shares[place])
        return place + 1, total + value, for_kernel + update, parts.write(place, for_vectors)

    parts = tf.TensorArray(vectors.dtype, size=blocks, element_shape=vectors.shape[1:])
    _, total, for_kernel, parts = tf.while_loop(
        lambda place, *_: place < blocks, body, (tf.constant(0), *start, parts), parallel_iterations=PARALLEL_BLOCKS
    )
    return total, parts.stack(), for_kernel
