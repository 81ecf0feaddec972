import keras
import numpy as np
import pytest
from keras import ops

from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.metrics import Perplexity, TokenAccuracy

SIZE = 7


def corpus(rows=12, length=6, pad=0):
    rng = np.random.default_rng(3)
    targets = rng.integers(1, SIZE, (rows, length))
    for row, real in enumerate(rng.integers(1, length + 1, rows)):
        targets[row, real:] = pad
    return targets, (2 * rng.normal(size=(rows, length, SIZE))).astype("float32")


def expected(targets, logits, pad=0):
    real = targets != pad
    log_p = logits - np.log(np.exp(logits.astype("float64")).sum(-1, keepdims=True))
    true_log_p = np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    correct = logits.argmax(-1) == targets
    return {"token_accuracy": correct[real].mean(), "perplexity": np.exp(-true_log_p[real].mean())}


METRICS = {"token_accuracy": TokenAccuracy, "perplexity": Perplexity}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("parts", [(12,), (1, 4, 7)])
def test_exact_whatever_the_batches(name, parts):
    targets, logits = corpus()
    metric = METRICS[name]()
    ends = np.cumsum(parts)
    for start, end in zip(ends - parts, ends, strict=True):
        metric.update_state(targets[start:end], logits[start:end])
    assert float(metric.result()) == pytest.approx(expected(targets, logits)[name], rel=1e-6)
    metric.reset_state()
    assert int(metric.tokens.value) == 0


@pytest.mark.parametrize("name", METRICS)
def test_pad_id_and_zero_weights_are_left_out(name):
    targets, logits = corpus(pad=5)
    metric = METRICS[name](pad_id=5)
    weights = np.where(np.arange(12) < 8, 0.001, 0.0)[:, None] * np.ones((1, 6))
    metric.update_state(targets, logits, sample_weight=weights)
    want = expected(targets[:8], logits[:8], pad=5)[name]
    assert float(metric.result()) == pytest.approx(want, rel=1e-6)
    copy = keras.metrics.deserialize(keras.metrics.serialize(metric))
    assert type(copy) is type(metric)
    assert copy.get_config() == metric.get_config()


def test_counts_go_on_past_what_float32_can_count():
    metric = TokenAccuracy()
    for variable in (metric.total, metric.tokens):
        variable.assign(2**24)
    metric.update_state(np.array([[1]]), np.array([[[0.0, 1.0]]]))
    assert int(metric.tokens.value) == int(metric.total.value) == 2**24 + 1


def test_half_precision_logits():
    targets, logits = corpus()
    metric = Perplexity()
    low = ops.cast(logits, "bfloat16")
    metric.update_state(targets, low)
    exact = ops.convert_to_numpy(ops.cast(low, "float32"))
    assert float(metric.result()) == pytest.approx(expected(targets, exact)["perplexity"], rel=1e-6)


def test_in_compile_and_evaluate():
    targets, logits = corpus()
    model = keras.Sequential([keras.Input((6, SIZE)), keras.layers.Identity()])
    metrics = [TokenAccuracy(), Perplexity()]
    model.compile(loss=LabelSmoothedCrossEntropy(), metrics=metrics, weighted_metrics=[Perplexity(name="weighted")])
    weights = (targets != 0) / 7.0
    # Batches of 5, 5 and 2 rows: a mean of batch means would differ.
    logs = model.evaluate(logits, targets, sample_weight=weights, batch_size=5, return_dict=True, verbose=0)
    want = expected(targets, logits)
    assert logs["token_accuracy"] == pytest.approx(want["token_accuracy"], rel=1e-6)
    assert logs["perplexity"] == pytest.approx(want["perplexity"], rel=1e-6)
    assert logs["weighted"] == pytest.approx(want["perplexity"], rel=1e-6)
