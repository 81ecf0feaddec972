"""Label-smoothed cross entropy without a one-hot tensor."""

from typing import Any

import keras
from keras import ops

from keras_transformer.errors import InputError
from keras_transformer.registration import register
from keras_transformer.training.blocked_loss import blocked_cross_entropy


def token_cross_entropy(targets: Any, logits: Any, label_smoothing: float = 0.0) -> Any:
    """Cross entropy of each token between the smoothed target distribution and softmax(logits).

    The smoothed target gives the true id 1 - eps and spreads eps evenly over all V ids, the true one included
    (Szegedy et al. 2016, section 7). With z the logits this is

        log sum_v exp(z_v) - (1 - eps) z_y - eps/V sum_v z_v

    so no one-hot tensor and no log-softmax of size V is needed. The gradient, softmax(z) less the target
    distribution, is written out below: it reuses the forward pass's exponentials and then changes one entry a
    token, where automatic differentiation adds up three tensors of the size of the logits.

    Args:
        targets: (B, T) integer ids in [0, V).
        logits: (B, T, V), any float dtype; computed in float32.
        label_smoothing: eps in [0, 1).

    Returns:
        (B, T) float32, in nats.

    Example:
        >>> import numpy as np
        >>> float(token_cross_entropy(np.array([1]), np.array([[0.0, 0.0]]))[0])
        0.693147...

    Reference:
        Szegedy et al. 2016, https://arxiv.org/abs/1512.00567, section 7; Vaswani et al. 2017, section 5.4.
    """
    flat = ops.reshape(ops.cast(logits, "float32"), (-1, ops.shape(logits)[-1]))  # (N, V)
    ids = ops.reshape(ops.cast(targets, "int32"), (-1, 1))  # (N, 1)
    return ops.reshape(_cross_entropy(ids, flat, label_smoothing), ops.shape(targets))


def _cross_entropy(ids: Any, logits: Any, eps: float) -> Any:
    """Loss (N, 1) of ids (N, 1) and float32 logits (N, V), with its gradient."""
    spread = eps / ops.shape(logits)[-1]

    @ops.custom_gradient
    def forward(logits: Any) -> Any:
        largest = ops.max(logits, axis=-1, keepdims=True)  # (N, 1)
        exponentials = ops.exp(logits - largest)  # (N, V)
        total = ops.sum(exponentials, axis=-1, keepdims=True)  # (N, 1)
        loss = ops.log(total) + largest - (1.0 - eps) * ops.take_along_axis(logits, ids, axis=-1)
        if eps:
            loss = loss - eps * ops.mean(logits, axis=-1, keepdims=True)

        def backward(*arguments: Any, upstream: Any = None) -> Any:
            # PyTorch calls with the inputs and the keyword, the others with the gradient alone.
            upstream = arguments[-1] if upstream is None else upstream  # (N, 1)
            gradient = exponentials * (upstream / total) - spread * upstream  # (N, V)
            rows = ops.expand_dims(ops.arange(ops.shape(ids)[0], dtype="int32"), -1)
            at_target = ops.take_along_axis(gradient, ids, axis=-1) - (1.0 - eps) * upstream
            where = ops.concatenate([rows, ids], axis=-1)  # (N, 2)
            return ops.scatter_update(gradient, where, ops.squeeze(at_target, -1))

        return loss, backward

    return forward(logits)


@register
class LabelSmoothedCrossEntropy(keras.losses.Loss):
    """Sum over tokens of weight times label-smoothed cross entropy (section 5.4), in float32.

    The weights that `token_batches` yields are 0 for padding and 1 / (target tokens in the whole batch)
    otherwise, so the sum is the mean loss per real token. A sum of such terms stays right when a batch is
    split over replicas, which a per-replica mean does not. Without `sample_weight` every position counts 1,
    padding too.

    Args:
        label_smoothing: eps in [0, 1); the paper's 0.1 costs perplexity and gains BLEU.
        reduction: "sum" for the weighted sum, "none" for the (B, T) values; the other Keras reductions divide
            by padded positions and are refused.
        name: name in the logs.
        block_rows: "auto", or how many tokens a block has, when `Transformer.fit` computes the loss block by block
            without the logits of the whole batch (see `of_vectors`); None always makes all logits first.

    Returns:
        When called with targets (B, T), logits (B, T, V) of any float dtype and optionally sample_weight (B,
        T): a float32 scalar.

    Raises:
        InputError: eps outside [0, 1), a reduction other than the two, or blocks of no rows.

    Example:
        >>> import numpy as np
        >>> loss = LabelSmoothedCrossEntropy(label_smoothing=0.1)
        >>> targets, weights = np.array([[1, 2, 0]]), np.array([[0.5, 0.5, 0.0]])
        >>> round(float(loss(targets, np.zeros((1, 3, 8)), sample_weight=weights)), 4)  # log 8
        2.0794

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 5.4.
    """

    def __init__(
        self,
        label_smoothing: float = 0.1,
        reduction: str = "sum",
        name: str = "label_smoothed_cross_entropy",
        block_rows: int | str | None = "auto",
    ) -> None:
        if isinstance(label_smoothing, bool) or not isinstance(label_smoothing, int | float):
            raise InputError(f"label_smoothing is {label_smoothing!r}; it must be a number from 0 to below 1.")
        if not 0.0 <= label_smoothing < 1.0:
            raise InputError(
                f"label_smoothing is {label_smoothing}; it must be from 0 to below 1 (the paper's is 0.1)."
            )
        if reduction not in ("sum", "none", None):
            raise InputError(
                f'reduction is {reduction!r}; use "sum" with weights of 1 / (tokens in the batch), or "none".'
            )
        whole = isinstance(block_rows, int) and not isinstance(block_rows, bool) and block_rows > 0
        if not whole and block_rows not in ("auto", None):
            raise InputError(f'block_rows is {block_rows!r}; give "auto", None or a whole number of at least 1.')
        # The dtype is fixed: Keras would cast ids and logits to the global float type, and bfloat16 holds
        # whole numbers exactly only up to 256.
        super().__init__(name=name, reduction=reduction, dtype="float32")
        self.label_smoothing = float(label_smoothing)
        self.block_rows = block_rows

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Loss of each token.

        Args:
            y_true: (B, T) target ids.
            y_pred: (B, T, V) logits.

        Returns:
            (B, T) float32, in nats.
        """
        return token_cross_entropy(y_true, y_pred, self.label_smoothing)

    @property
    def takes_vectors(self) -> bool:
        """Whether `of_vectors` is to be used where there is a choice."""
        return self.block_rows is not None and self.reduction == "sum"

    def of_vectors(
        self, y_true: Any, vectors: Any, kernel: Any, sample_weight: Any = None, gradients: bool = True
    ) -> Any:
        """The same sum as when called, from what the logits are made of: they are never in memory as a whole.

        Args:
            y_true: (B, T) target ids.
            vectors: (B, T, d_model), the decoder's output.
            kernel: (d_model, V): the logits are vectors kernel.
            sample_weight: (B, T), or None for 1.
            gradients: False if none will be asked for.

        Returns:
            A float32 scalar; see `blocked_cross_entropy`.
        """
        targets = ops.reshape(y_true, (-1,))
        weights = ops.ones_like(y_true, "float32")
        if sample_weight is not None:  # (B, T), or what stretches to it
            weights = weights * ops.cast(sample_weight, "float32")
        rows = self.block_rows if isinstance(self.block_rows, int) else None
        flat = ops.reshape(vectors, (-1, vectors.shape[-1]))
        weights = ops.reshape(weights, (-1,))
        return blocked_cross_entropy(flat, kernel, targets, weights, self.label_smoothing, rows, gradients)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "label_smoothing": self.label_smoothing,
            "reduction": self.reduction,
            "name": self.name,
            "block_rows": self.block_rows,
        }
