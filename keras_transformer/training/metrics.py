"""Token-level metrics, exact over a whole corpus."""

from typing import Any

import keras
from keras import ops

from keras_transformer.registration import register
from keras_transformer.training.loss import token_cross_entropy


class _TokenMetric(keras.metrics.Metric):
    """Sum over real tokens divided by their number; the two totals are all the state there is.

    A mean of batch means would weigh a short batch like a long one. Counts are int32 because float32 cannot
    count past 16.8 million tokens.
    """

    _sum_dtype = "float32"

    def __init__(self, pad_id: int, name: str, dtype: Any) -> None:
        super().__init__(name=name, dtype=dtype)
        self.pad_id = pad_id
        self.total = self.add_variable(shape=(), initializer="zeros", dtype=self._sum_dtype, name="total")
        self.tokens = self.add_variable(shape=(), initializer="zeros", dtype="int32", name="tokens")

    def token_values(self, targets: Any, logits: Any) -> Any:
        """Value of each token, (B, T), in the dtype of the total."""
        raise TypeError(f"{type(self).__name__} does not say what it measures")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add one batch.

        Args:
            y_true: (B, T) target ids, `pad_id` where there is no token.
            y_pred: (B, T, V) logits, any float dtype.
            sample_weight: (B, T); tokens of weight 0 are left out and the size of the other weights is
                ignored, so that `weighted_metrics` counts tokens too.
        """
        targets = ops.cast(y_true, "int32")
        real = ops.not_equal(targets, self.pad_id)
        if sample_weight is not None:
            real = ops.logical_and(real, ops.not_equal(sample_weight, 0))
        values = self.token_values(targets, y_pred)
        values = ops.where(real, values, ops.zeros_like(values))
        self.total.assign_add(ops.cast(ops.sum(values), self._sum_dtype))
        self.tokens.assign_add(ops.cast(ops.sum(ops.cast(real, "int32")), "int32"))

    def _mean(self) -> Any:
        return ops.divide_no_nan(ops.cast(self.total, "float32"), ops.cast(self.tokens, "float32"))

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"pad_id": self.pad_id, "name": self.name, "dtype": self.dtype}


@register
class TokenAccuracy(_TokenMetric):
    """Share of real target tokens whose logit is the largest, the true prefix being given.

    Args:
        pad_id: target id that is not a token.
        name: name in the logs.
        dtype: Keras dtype of the metric; the counts are int32 in any case.

    Returns:
        From `result()`: a float32 scalar in [0, 1], 0 before the first token.

    Example:
        >>> import numpy as np
        >>> metric = TokenAccuracy(pad_id=0)
        >>> metric.update_state(np.array([[2, 1, 0]]), np.eye(3)[None, [2, 2, 2]])
        >>> float(metric.result())
        0.5
    """

    _sum_dtype = "int32"

    def __init__(self, pad_id: int = 0, name: str = "token_accuracy", dtype: Any = None) -> None:
        super().__init__(pad_id, name, dtype)

    def token_values(self, targets: Any, logits: Any) -> Any:
        """1 where the largest logit is the target's, else 0."""
        return ops.cast(ops.equal(ops.cast(ops.argmax(logits, axis=-1), "int32"), targets), "int32")

    def result(self) -> Any:
        """Correct tokens divided by tokens."""
        return self._mean()


@register
class Perplexity(_TokenMetric):
    """Exponential of the mean negative log-likelihood of the real target tokens (Table 3's PPL, per piece).

        exp(-1/N sum_n log p(y_n))

    Label smoothing has no part in it.

    Args:
        pad_id: target id that is not a token.
        name: name in the logs.
        dtype: Keras dtype of the metric; the sum is float32 and the count int32 in any case.

    Returns:
        From `result()`: a float32 scalar, at least 1; a uniform model over V pieces has perplexity V.

    Example:
        >>> import numpy as np
        >>> metric = Perplexity(pad_id=0)
        >>> metric.update_state(np.array([[2, 1, 0]]), np.zeros((1, 3, 8)))
        >>> round(float(metric.result()), 4)
        8.0

    Reference:
        Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, Table 3.
    """

    def __init__(self, pad_id: int = 0, name: str = "perplexity", dtype: Any = None) -> None:
        super().__init__(pad_id, name, dtype)

    def token_values(self, targets: Any, logits: Any) -> Any:
        """Negative log-likelihood of each token in nats."""
        return token_cross_entropy(targets, logits)

    def result(self) -> Any:
        """Exponential of the mean."""
        return ops.exp(self._mean())
