"""Is the noise of dropout another in every sentence, at every step and on every replica? The paper's section 5.4."""

from typing import Any

import keras
import numpy as np

from keras_transformer.diagnostics.doctor.arrays import Floats, to_numpy
from keras_transformer.diagnostics.doctor.baseline import on_clear_answers
from keras_transformer.diagnostics.doctor.findings import Finding, passed, skipped
from keras_transformer.diagnostics.doctor.subject import Ids, Subject

NOISE, REPLICAS, SOURCE = "noise of dropout", "noise on replicas", "section 5.4"
_MEANING = "The same units are dropped again and again, so that dropout regularises less than its rate says."


def check_noise(subject: Subject) -> list[Finding]:
    """In training, the same sentence in several rows, and the same batch twice.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _noise(subject)


def check_replicas(subject: Subject) -> list[Finding]:
    """In training, the same batch on each replica of a strategy.

    Args:
        subject: the model.

    Returns:
        A finding.
    """
    return _replicas(subject)


CHECKS = (check_noise, check_replicas)


@on_clear_answers(NOISE, SOURCE)
def _noise(subject: Subject) -> list[Finding]:
    if not subject.can_train:
        fix = "give the function an argument `training`"
        return [skipped(NOISE, "the function cannot be told that it is training", fix=fix, source=SOURCE)]
    baseline = subject.baseline
    first, second = (subject.logits(baseline.source, baseline.target_in, training=True) for _ in range(2))
    if baseline.change(first).max() <= baseline.loose:
        return _no_noise(subject)
    between_rows = float(baseline.change(first, np.roll(first, 1, axis=0)).max())
    between_steps = float(baseline.change(first, second).max())
    seen = f"rows of a batch differ by {between_rows:.2g} of the logits' spread, two steps by {between_steps:.2g}"
    if min(between_rows, between_steps) > baseline.loose:
        return [passed(NOISE, seen, source=SOURCE)]
    fix = (
        "Give each call a new seed; Keras's layers do, a fixed seed passed to keras.random.dropout does not."
        if between_steps <= baseline.loose
        else "Draw noise of the whole shape of the tensor: no noise_shape with 1 for the batch."
    )
    return [Finding(NOISE, "fail", "dropout-repeats", seen, _MEANING, fix, SOURCE)]


def _no_noise(subject: Subject) -> list[Finding]:
    config = subject.config
    seen = "training=True changes nothing"
    if config is not None and config.dropout > 0:
        meaning = f"dropout is {config.dropout}, but `training` does not reach the layers."
        fix = "Pass `training` on to every layer."
        return [Finding(NOISE, "fail", "dropout-never-active", seen, meaning, fix, SOURCE)]
    return [skipped(NOISE, f"{seen}: no dropout", source=SOURCE)]


@on_clear_answers(REPLICAS, SOURCE)
def _replicas(subject: Subject) -> list[Finding]:
    baseline = subject.baseline
    hook = subject.hooks.replicas or _strategy_hook(subject)
    if hook is None:
        fix = "create the model in the scope of a MirroredStrategy, or pass Hooks(replicas=...)"
        return [skipped(REPLICAS, "there is one replica", fix=fix, source=SOURCE)]
    logits = np.stack([to_numpy(each) for each in hook(baseline.source, baseline.target_in)])
    if baseline.change(logits).max() <= baseline.loose:
        return [skipped(REPLICAS, "training=True changes nothing: no dropout", source=SOURCE)]
    change = _least_difference(logits, baseline.spread)
    seen = f"the same batch on {len(logits)} replicas gives logits that differ by {change:.2g} of their spread"
    if change > baseline.loose:
        return [passed(REPLICAS, seen, source=SOURCE)]
    fix = "Add the replica's number to the seed, as keras_transformer.layers.Dropout does; Keras's own layer does not."
    return [Finding(REPLICAS, "fail", "dropout-same-on-replicas", seen, _MEANING, fix, SOURCE)]


def count_replicas(subject: Subject) -> int:
    """Shares that a batch is split into: replicas of the strategy that the model was made under, or is active.

    Args:
        subject: the model; `Hooks(replicas=...)` says that there are two or more.

    Returns:
        1 without a strategy, and on JAX and PyTorch.
    """
    if subject.hooks.replicas is not None:
        return 2
    if keras.backend.backend() != "tensorflow":
        return 1
    import tensorflow as tf

    made_under = getattr(subject.model, "distribute_strategy", None) if subject.is_keras else None
    strategies = tf.distribute.get_strategy(), made_under
    return max(int(getattr(each, "num_replicas_in_sync", 1)) for each in strategies)


def _least_difference(logits: Floats, spread: float) -> float:
    """Difference of the two replicas (R, B, T, V) that differ least."""
    pairs = [(i, j) for i in range(len(logits)) for j in range(i)]
    return min(float(np.abs(logits[i] - logits[j]).max()) / spread for i, j in pairs)


def _strategy_hook(subject: Subject) -> Any:
    """A run on all replicas of the TensorFlow strategy that a Keras model was made under; None if there are none."""
    strategy = getattr(subject.model, "distribute_strategy", None) if subject.is_keras else None
    if keras.backend.backend() != "tensorflow" or strategy is None or strategy.num_replicas_in_sync == 1:
        return None

    def run(source: Ids, target_in: Ids) -> Any:
        import tensorflow as tf

        @tf.function(autograph=False)
        def step() -> Any:
            return strategy.run(lambda: tf.cast(subject.model((source, target_in), training=True), "float32"))

        return strategy.experimental_local_results(step())

    return run
