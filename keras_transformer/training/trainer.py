"""Training as a run: a configuration in, a directory with a measured model out."""

import gc
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.models import Transformer
from keras_transformer.models.distribution import check_distribution
from keras_transformer.processor import keep_freed_memory
from keras_transformer.training.batch_size import share_accelerators
from keras_transformer.training.callbacks import RunCallback, resumable
from keras_transformer.training.checkpoints import latest_checkpoint
from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import read_json
from keras_transformer.training.finish import TrainResult, finish, read_result
from keras_transformer.training.found import fastest_precision, with_found
from keras_transformer.training.logs import MetricsLog
from keras_transformer.training.loss import LabelSmoothedCrossEntropy
from keras_transformer.training.memory import run_largest_batch
from keras_transformer.training.prepare import Materials, prepare, settle_config
from keras_transformer.training.progress import Reporter
from keras_transformer.training.run_files import RunFiles
from keras_transformer.training.run_state import RunState
from keras_transformer.training.schedule import TransformerSchedule, paper_adam
from keras_transformer.training.settings import AUTO
from keras_transformer.training.signals import Interrupts
from keras_transformer.training.state import restore_model_state
from keras_transformer.training.validation import Interrupted, Validator

__all__ = ["TrainResult", "train"]


def train(
    config: RunConfig,
    out: str | Path,
    *,
    train_corpus: Any | None = None,
    valid_corpus: Any | None = None,
    strategy: Any | None = None,
    callbacks: Sequence[keras.callbacks.Callback] = (),
    quiet: bool = False,
) -> TrainResult:
    """Train a model in the run directory `out`, from the start or from where it stopped.

    Everything that can be checked is checked first. Then a stock Keras `fit` runs, on any backend, while a callback
    logs, validates by decoding, keeps the best weights and writes checkpoints. After an interruption of any
    kind the same call continues with the step, learning rate, optimizer, random state and data position of a run that
    was never interrupted. A finished run does nothing but return its result.

    Args:
        config: from `resolve_config`.
        out: the run directory; made if it is not there.
        train_corpus: a `ParallelCorpus` to use in place of what `config.data` names.
        valid_corpus: likewise.
        strategy: a `tf.distribute` strategy; None makes a MirroredStrategy if `training.replicas` > 1.
        callbacks: more Keras callbacks for the fit, such as `AttentionMaps`, called after the trainer's own.
        quiet: print nothing.

    Returns:
        How it ended, with the scores of the model in best/.

    Raises:
        InputError: a file, a setting or the run directory is wrong, or the loss is not finite any more.
    """
    keep_freed_memory()
    if config.training.tokens_per_batch == AUTO:
        share_accelerators()
    files = RunFiles(out)
    files.create()
    with files.lock(), Reporter(quiet) as reporter:
        files.clean()
        settle_config(files, config)
        done = read_result(files, with_found(files, config))
        if done is not None:
            reporter.say("This run is finished already; raise training.max_steps to train on.")
            return done
        materials = prepare(files, config, reporter, train_corpus, valid_corpus)
        with Interrupts() as interrupts:
            return _Session(materials.config, files, materials, reporter, interrupts, strategy, callbacks).run()


class _Session:
    """One start of a run, until it finishes or is interrupted."""

    def __init__(
        self,
        config: RunConfig,
        files: RunFiles,
        materials: Materials,
        reporter: Reporter,
        interrupts: Interrupts,
        strategy: Any | None,
        callbacks: Sequence[keras.callbacks.Callback],
    ) -> None:
        self.callbacks = callbacks
        self.config, self.files, self.materials = config, files, materials
        self.reporter, self.interrupts = reporter, interrupts
        self.schedule = make_schedule(config)
        self.model = build_model(config, materials.tokenizer, self.schedule, strategy)
        self.validator = Validator(
            self.model, materials.tokenizer, materials.valid, config, lambda: bool(interrupts.received)
        )

    def run(self) -> TrainResult:
        """Restore, train, finish."""
        state, resumed = self._restore()
        state.note_average(read_json(self.files.score("best")))
        log = MetricsLog(self.files.metrics, self.files.tensorboard, state.step, state.validated_step)
        try:
            reason = self._train(state, log, resumed)
            if reason == "signal":
                return self._interrupted(state)
            ended = {"step": state.step, "reason": reason, "seconds": state.seconds}
            result = finish(self.config, self.files, self.validator, self.model, self.reporter, ended)
            log.write("final", state.step, {**(result.score or {}), **_averaged(result)})
            return result
        except Interrupted:
            return self._interrupted(state)
        finally:
            log.close()

    def _restore(self) -> tuple[RunState, dict[str, np.ndarray]]:
        """Try the memory, then put the model where the newest whole checkpoint says, or leave it at the start."""
        if self.config.training.memory_check:
            run_largest_batch(self.model, self.materials.batches, self.config)
        checkpoint, warnings = latest_checkpoint(self.files.checkpoints)
        for warning in warnings:
            self.reporter.warn(warning)
        if checkpoint is None:
            return RunState(), {}
        restore_model_state(self.model, checkpoint.arrays)
        self.reporter.say(f"continuing from step {checkpoint.step}")
        return RunState.from_dict(checkpoint.metadata["state"]), resumable(checkpoint.arrays)

    def _train(self, state: RunState, log: MetricsLog, resumed: dict[str, np.ndarray]) -> str:
        """Fit until something ends it; what that was."""
        training, batches = self.config.training, self.materials.batches
        callback = RunCallback(
            self.config,
            self.files,
            state,
            log,
            self.reporter,
            self.validator,
            self.interrupts,
            batches.report.target_tokens / batches.steps_per_epoch * training.accumulate,
            self.schedule,
            resumed,
        )
        callback.set_model(self.model)
        if state.step and (state.step % training.validate_every == 0 or state.stop_reason(training)):
            callback.validate()  # made up for, if an interruption cut it short
        reason = "signal" if self.interrupts.received else state.stop_reason(training)
        if reason:
            return reason
        self.reporter.start(training.max_steps, state.step)
        self.model.fit(
            batches.dataset(state.step * training.accumulate),
            epochs=1,
            steps_per_epoch=(training.max_steps - state.step) * training.accumulate,
            shuffle=False,  # the batches are shuffled already
            verbose=0,
            callbacks=[callback, *self.callbacks],
        )
        self.reporter.stop()
        gc.collect()  # the data set's iterator runs Python code, and complains when Python ends before it does
        return state.stop_reason(training) or "signal"

    def _interrupted(self, state: RunState) -> TrainResult:
        return TrainResult(
            self.files.directory, state.step, "signal", state.seconds, interrupted=self.interrupts.received
        )


def make_schedule(config: RunConfig) -> TransformerSchedule:
    """The learning rate of a run."""
    training = config.training
    return TransformerSchedule(
        config.transformer(config.tokenizer.vocab_size).d_model,
        training.warmup_steps,
        training.peak_learning_rate,
        total_steps=training.max_steps,
        cooldown_steps=training.cooldown_steps,
        gradient_accumulation_steps=training.accumulate,
    )


def build_model(
    config: RunConfig, tokenizer: Any, schedule: TransformerSchedule, strategy: Any | None = None
) -> keras.Model:
    """The model of a run with its first weights, compiled for training.

    Args:
        config: the run.
        tokenizer: sets the vocabulary.
        schedule: the learning rate.
        strategy: a `tf.distribute` strategy, or None.

    Returns:
        The model; with the same `training.seed` always the same weights and dropout.

    Raises:
        InputError: the replicas asked for are not there, or cannot train in this way.
    """
    training = config.training
    if strategy is None and training.replicas > 1:
        strategy = _mirrored(training.replicas)
    keras.utils.set_random_seed(training.seed)
    fields = config.transformer_for(tokenizer).model_dump()
    with strategy.scope() if strategy is not None else nullcontext():
        model = Transformer(**fields, dtype=fastest_precision() if training.precision == AUTO else training.precision)
        model.compile(
            optimizer=paper_adam(schedule, gradient_accumulation_steps=_several(training.accumulate)),
            loss=LabelSmoothedCrossEntropy(
                training.label_smoothing, block_rows="auto" if training.loss_in_blocks else None
            ),
            jit_compile="auto" if training.jit_compile is None else training.jit_compile,
        )
        model.optimizer.build(model.trainable_variables)
    check_distribution(model)
    return model


def _mirrored(replicas: int) -> Any:
    """A MirroredStrategy over the first devices of this machine."""
    if keras.backend.backend() != "tensorflow":
        raise InputError(
            f"training.replicas={replicas} needs the TensorFlow backend, this is {keras.backend.backend()}; "
            "set KERAS_BACKEND=tensorflow or training.replicas=1."
        )
    import tensorflow as tf

    devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    if len(devices) < replicas:
        raise InputError(f"training.replicas={replicas}, but this machine shows {len(devices)} device(s); lower it.")
    return tf.distribute.MirroredStrategy([device.name for device in devices[:replicas]])


def _several(batches: int) -> int | None:
    """Keras's name for one batch an update is None."""
    return batches if batches > 1 else None


def _averaged(result: TrainResult) -> dict[str, Any]:
    return {} if result.average is None else {"average_bleu": result.average.bleu_after}
