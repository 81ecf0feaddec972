"""What goes wrong under tf.distribute with stock Keras, refused before it does."""

import sys
from typing import Any

import keras

from keras_transformer.errors import InputError


def check_distribution(model_or_optimizer: Any, policy: Any = None) -> None:
    """Refuse a set-up that more than one TensorFlow replica would train wrongly.

    Under `tf.distribute.MirroredStrategy` Keras's gradient accumulation crashes, clipping by the global or
    per-variable norm or by value acts on a replica's share before the sum over replicas, the float16 loss
    scale looks at one replica, and XLA cannot compile the all-reduce. With one replica, or on another
    backend, everything is allowed.

    Args:
        model_or_optimizer: a compiled model, or an optimizer.
        policy: the dtype policy the model computes in, or its name; the model's own if None.

    Raises:
        InputError: one of the above; the sentence names what to do instead.

    Example:
        >>> check_distribution(keras.optimizers.Adam(global_clipnorm=1.0))  # one replica: nothing to refuse
    """
    replicas = replica_count(model_or_optimizer)
    if replicas == 1:
        return
    optimizer = getattr(model_or_optimizer, "optimizer", model_or_optimizer)
    policy = keras.dtype_policies.get(policy or getattr(model_or_optimizer, "dtype_policy", "float32"))
    problem = _problem(optimizer, policy) or _compile_problem(model_or_optimizer)
    if problem:
        raise InputError(f"{problem[0]} is not right under {replicas} replicas; {problem[1]}.")


def replica_count(model: Any = None) -> int:
    """Number of TensorFlow replicas in sync, by the model's strategy or the one in scope; else 1."""
    # A strategy can be in scope only if somebody imported TensorFlow; it is not imported for the question.
    tensorflow = sys.modules.get("tensorflow")
    if keras.backend.backend() != "tensorflow" or tensorflow is None:
        return 1
    strategy = getattr(model, "distribute_strategy", None) or tensorflow.distribute.get_strategy()
    return int(strategy.num_replicas_in_sync)


def in_symbolic_build(model: Any) -> bool:
    """Whether Keras is tracing the model for shapes, outside any replica, before the first step under a strategy.

    It then averages the replicas' batches to have one example, which makes floats of ids.
    """
    tensorflow = sys.modules.get("tensorflow")
    return (
        tensorflow is not None and replica_count(model) > 1 and bool(tensorflow.distribute.in_cross_replica_context())
    )


def _problem(optimizer: Any, policy: Any) -> tuple[str, str] | None:
    if policy.compute_dtype == "float16" or isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
        return "float16 with a loss scale", "use bfloat16 (policy mixed_bfloat16), which needs no loss scale"
    if (getattr(optimizer, "gradient_accumulation_steps", None) or 1) > 1:
        return "gradient_accumulation_steps", "use larger batches, of which each replica takes its share"
    for option in ("global_clipnorm", "clipnorm", "clipvalue"):
        if getattr(optimizer, option, None):
            return option, "leave it out (warm-up and Adam bound the first steps), or train on one replica"
    return None


def _compile_problem(model: Any) -> tuple[str, str] | None:
    if getattr(model, "_jit_compile", None):
        return "jit_compile=True", "compile with jit_compile=False"
    return None
