"""Batches of pairs of similar length, as a pure function of the corpus, a seed and the step."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np

from keras_transformer.errors import InputError
from keras_transformer.text.assembly import Batch, Texts, packed_batch, padded_batch
from keras_transformer.text.batch_report import BatchReport
from keras_transformer.text.batch_settings import check_settings, sides, sorted_chain
from keras_transformer.text.buckets import Bucket, assign, choose_edges, rows_for
from keras_transformer.text.corpus import ParallelCorpus
from keras_transformer.text.encoded import EncodedTexts, HasEncode
from keras_transformer.text.epochs import EpochPlan
from keras_transformer.text.packing import PackedPlan, choose_packing, pack_lengths
from keras_transformer.text.tf_dataset import as_dataset

if TYPE_CHECKING:
    import tensorflow as tf

__all__ = ["Batch", "BatchReport", "Bucket", "TokenBatches", "token_batches"]


class TokenBatches:
    """Batches of static shapes, each within a budget of tokens, addressed by step.

    Pairs are grouped by length into few two-dimensional buckets (source and target have their own edges), so that
    compiled backends compile once a bucket and little is padding. A bucket's rows are fixed: the most whose longer
    side keeps to the budget, or less where that leaves no batch almost empty. Every pair is in exactly one batch of
    each epoch; left-over pairs move up to a larger bucket, and short batches end in empty rows. Step k is batch
    `k % steps_per_epoch` of epoch `k // steps_per_epoch` and depends on nothing but the corpus, the settings and the
    seed.

    A batch is `((source, target_in), target_out, weights)`: source is `pieces + [eos]` (B, S) int32, target_in
    `[bos] + pieces` and target_out `pieces + [eos]` (B, T) int32, weights (B, T) float32, 1 / (target tokens of the
    batch) at tokens and 0 at padding, so that the weighted sum of token losses is their mean over the whole batch,
    on one device or many.

    With `packed=True` a row holds several pairs one after the other, and all batches have one shape, close to full. A
    batch is then `((source, target_in, source_segments, target_segments), target_out, weights)`: the segments are
    int32, (B, S) and (B, T), 1 at the tokens of a row's first pair, 2 at those of its second, 0 at padding.

    Args:
        corpus: a `ParallelCorpus`, or any sequence of (source, target) texts.
        tokenizer: has `encode`, `pad_id`, `bos_id`, `eos_id` and `vocab_size`.
        tokens_per_batch: most padded tokens of a batch on its longer side.
        seed: shuffles each epoch differently; None keeps the order of the corpus within buckets, small to large.
        max_length: pairs with a longer side, in tokens with the end token, are left out and counted in the report.
        num_buckets: most shapes; fewer when fewer waste less. Packed batches have one.
        row_multiple: rows are a multiple of this: the number of replicas, for `tf.distribute`.
        buckets: shapes to use instead of choosing them, such as those of the training batches; their rows count, not
            the budget. One, for packed batches.
        packed: several pairs in a row, for models that take segments, such as `Transformer`.
        accumulate: batches whose gradients are averaged into one update: batches 0 to n - 1, then n to 2n - 1. Their
            weights are n / (target tokens of the n batches), so that the average is that of one large batch.

    Raises:
        InputError: a setting makes no sense, or no pair is short enough.

    Example:
        >>> from keras_transformer.text.tokenizer import Tokenizer
        >>> pairs = [("a dog", "ein Hund"), ("the dog runs", "der Hund läuft")] * 3
        >>> tokenizer = Tokenizer.train(ParallelCorpus.from_pairs(pairs), vocab_size=290)
        >>> batches = TokenBatches(pairs, tokenizer, tokens_per_batch=64, seed=1)
        >>> (source, target_in), target_out, weights = batches.batch(0)
        >>> target_in.shape == target_out.shape == weights.shape, float(round(weights.sum(), 5))
        (True, 1.0)

    Reference:
        Vaswani et al., 2017, section 5.1: sentence pairs batched together by approximate length.
    """

    def __init__(
        self,
        corpus: ParallelCorpus | Sequence[tuple[str, str]],
        tokenizer: HasEncode,
        tokens_per_batch: int = 4096,
        *,
        seed: int | None = 0,
        max_length: int = 256,
        num_buckets: int = 20,
        row_multiple: int = 1,
        buckets: Sequence[Bucket] | None = None,
        packed: bool = False,
        accumulate: int = 1,
    ) -> None:
        check_settings(
            seed,
            tokens_per_batch=tokens_per_batch,
            max_length=max_length,
            num_buckets=num_buckets,
            row_multiple=row_multiple,
            accumulate=accumulate,
        )
        self.accumulate = accumulate
        self.tokens_per_batch, self.row_multiple, self.seed = tokens_per_batch, row_multiple, seed
        self._tokenizer = tokenizer
        sources, targets = sides(corpus)
        self._sources = EncodedTexts(getattr(tokenizer, "source", tokenizer), sources)
        self._targets = EncodedTexts(tokenizer, targets)
        self._texts = Texts(self._sources, self._targets, tokenizer)
        self.packed = packed
        given = sorted_chain(buckets, row_multiple, packed) if buckets else []
        edges = given[-1].edges if given else (tokens_per_batch // row_multiple,) * 2
        limits = min(edges[0], max_length), min(edges[1], max_length)
        self._kept = self._short_enough(*limits)
        lengths = self._sources.lengths[self._kept], self._targets.lengths[self._kept]
        self._plan: EpochPlan | PackedPlan
        if packed:
            self._plan = self._pack(*lengths, given)
        elif given:
            self._plan = EpochPlan(given, assign(*lengths, [bucket.edges for bucket in given]), even=False)
        else:
            self._plan = self._choose_plan(*lengths, num_buckets)
        self.report = self._account(max(limits))
        self._epoch = lru_cache(maxsize=2)(self._plan.epoch)

    def _short_enough(self, source_limit: int, target_limit: int) -> np.ndarray:
        fits = (self._sources.lengths <= source_limit) & (self._targets.lengths <= target_limit)
        if not fits.any():
            raise InputError(
                f"All {len(fits):,} pairs are longer than {max(source_limit, target_limit):,} tokens on a side: "
                f"raise data.max_length or training.tokens_per_batch (now {self.tokens_per_batch:,})."
            )
        return np.flatnonzero(fits)

    def _choose_plan(self, source_lengths: np.ndarray, target_lengths: np.ndarray, most: int) -> EpochPlan:
        """The plan of least padded area, short batches counted: a small corpus gets fewer buckets."""
        plans = []
        for edges in choose_edges(source_lengths, target_lengths, most):
            buckets = [Bucket(*pair, rows_for(*pair, self.tokens_per_batch, self.row_multiple)) for pair in edges]
            kinds = assign(source_lengths, target_lengths, edges)
            plans.append(EpochPlan(buckets, kinds, row_multiple=self.row_multiple))
        return min(plans, key=lambda plan: plan.area_unshared)

    def _pack(self, source_lengths: np.ndarray, target_lengths: np.ndarray, given: list[Bucket]) -> PackedPlan:
        if given:
            shape, packing = given[0], pack_lengths(source_lengths, target_lengths, given[0].edges)
        else:
            budget = self.tokens_per_batch
            shape, packing = choose_packing(source_lengths, target_lengths, budget, self.row_multiple)
        return PackedPlan(shape, packing, source_lengths, target_lengths)

    def _account(self, limit: int) -> BatchReport:
        return BatchReport(
            pairs=len(self._kept),
            too_long=len(self._sources.lengths) - len(self._kept),
            max_length=limit,
            buckets=tuple(self._plan.used),
            steps_per_epoch=self._plan.steps,
            source_tokens=int(self._sources.lengths[self._kept].sum()),
            target_tokens=int(self._targets.lengths[self._kept].sum()),
            padded_tokens=self._plan.area,
        )

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """The static shapes, small to large; each holds what fits the one before."""
        return self.report.buckets

    @property
    def steps_per_epoch(self) -> int:
        """Batches in an epoch, the same in every epoch."""
        return self.report.steps_per_epoch

    def indices(self, step: int) -> np.ndarray:
        """Which pairs of the corpus a batch holds, row by row, each row's in order, without the empty rows.

        Args:
            step: number of the batch, from 0, over all epochs.

        Returns:
            (n,) int, n at most the rows of the batch unless they are packed.
        """
        epoch, place = divmod(step, self.steps_per_epoch)
        return self._kept[self._epoch(self.seed, epoch).members[place]]

    def batch(self, step: int) -> Batch:
        """One batch, without making those before it.

        Args:
            step: number of the batch, from 0, over all epochs.

        Returns:
            `((source, target_in), target_out, weights)`; packed, the inputs are four.

        Raises:
            InputError: the step is negative.
        """
        if step < 0:
            raise InputError(f"step is {step}, expected 0 or more.")
        inputs, targets, weights = self._batch(step)
        if self.accumulate > 1:
            weights = weights * np.float32(self._share(step))
        return inputs, targets, weights

    def _share(self, step: int) -> float:
        """The target tokens of a batch over those of an average batch of the update it belongs to."""
        first = step - step % self.accumulate
        tokens = [int(self._targets.lengths[self.indices(first + place)].sum()) for place in range(self.accumulate)]
        return tokens[step - first] * self.accumulate / sum(tokens)

    def _batch(self, step: int) -> Batch:
        number, place = divmod(step, self.steps_per_epoch)
        epoch = self._epoch(self.seed, number)
        shape, indices = self._plan.buckets[epoch.buckets[place]], self._kept[epoch.members[place]]
        if epoch.rows is None:
            return padded_batch(self._texts, indices, shape)
        return packed_batch(self._texts, indices, epoch.rows[place], shape)

    def largest(self) -> Batch:
        """A full batch of the shape that needs the most memory, to see early whether it fits.

        The shape is the one with the largest logits and attention weights; short of pairs, some repeat. Packed batches
        have one shape, so any will do.

        Returns:
            A batch as `batch` returns it.
        """
        if self.packed:
            return self.batch(0)
        bucket = max(self.buckets, key=self._memory)
        lengths = self._sources.lengths[self._kept], self._targets.lengths[self._kept]
        fitting = self._kept[assign(*lengths, [(bucket.source_edge, bucket.target_edge)]) == 0]
        longest = np.argsort(-(self._sources.lengths + self._targets.lengths)[fitting], kind="stable")
        return padded_batch(self._texts, np.resize(fitting[longest], bucket.rows), bucket)

    def _memory(self, bucket: Bucket) -> int:
        source, target = bucket.source_edge, bucket.target_edge
        attention = 8 * (source * source + target * target + source * target)
        return bucket.rows * (target * self._tokenizer.vocab_size + attention)

    def iterate(self, start_step: int = 0, steps: int | None = None) -> Iterator[Batch]:
        """NumPy batches in order, without TensorFlow.

        Args:
            start_step: the first.
            steps: how many; None never ends.

        Yields:
            Batches as `batch` returns them.
        """
        return map(self.batch, islice(count(start_step), steps))

    def dataset(self, start_step: int = 0, steps: int | None = None) -> "tf.data.Dataset":
        """The same batches as a prefetched `tf.data.Dataset`, for `fit` on any backend and for `tf.distribute`.

        Args:
            start_step: the first; a run that stopped after k steps goes on with k.
            steps: how many; None never ends.

        Returns:
            The dataset, with known cardinality and tensors of shape (None, None); packed, of the one shape.
        """
        return as_dataset(lambda: self.iterate(start_step, steps), steps, self.packed_shape)

    @property
    def packed_shape(self) -> Bucket | None:
        """The one shape of packed batches; None if they are not packed."""
        return self.buckets[0] if self.packed else None


def token_batches(
    corpus: ParallelCorpus | Sequence[tuple[str, str]],
    tokenizer: HasEncode,
    tokens_per_batch: int = 4096,
    *,
    seed: int | None = 0,
    max_length: int = 256,
    num_buckets: int = 20,
    row_multiple: int = 1,
    packed: bool = False,
) -> "tf.data.Dataset":
    """One epoch of `TokenBatches` as a `tf.data.Dataset`; each new iteration is the next epoch.

    For `fit(dataset, epochs=...)`. The first iteration is epoch 0; one that is broken off counts too (Keras looks
    at a first batch before it trains a model that is not built yet). To continue at an exact step, use
    `TokenBatches.dataset`.

    Args:
        corpus: as for `TokenBatches`.
        tokenizer: as for `TokenBatches`.
        tokens_per_batch: as for `TokenBatches`.
        seed: as for `TokenBatches`.
        max_length: as for `TokenBatches`.
        num_buckets: as for `TokenBatches`.
        row_multiple: as for `TokenBatches`.
        packed: as for `TokenBatches`.

    Returns:
        The dataset, whose cardinality is the number of batches in an epoch.

    Raises:
        InputError: as for `TokenBatches`.
    """
    batches = TokenBatches(
        corpus,
        tokenizer,
        tokens_per_batch,
        seed=seed,
        max_length=max_length,
        num_buckets=num_buckets,
        row_multiple=row_multiple,
        packed=packed,
    )
    epochs = count()

    def next_epoch() -> Iterator[Batch]:
        yield from batches.iterate(next(epochs) * batches.steps_per_epoch, batches.steps_per_epoch)

    return as_dataset(next_epoch, batches.steps_per_epoch, batches.packed_shape)
