"""Log-probabilities of given translations: forced decoding."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from keras_transformer.decoding.batches import by_length, pad_rows
from keras_transformer.decoding.checks import check_lengths, check_lines, check_tokenizer, check_whole
from keras_transformer.decoding.compiled import ScoringModel, predict
from keras_transformer.decoding.protocols import TokenizerLike, source_side
from keras_transformer.decoding.scores import CorpusScore, PairScore
from keras_transformer.errors import InputError


class Scorer:
    """Log-probabilities that a model gives to translations it is told.

    Args:
        model: the translation model, for example a `Transformer`.
        tokenizer: text to ids; its special ids must be the model's.
        tokens_per_batch: most target tokens scored together, padding included, unless one line alone has more.

    Raises:
        InputError: for a tokenizer that does not fit the model.

    Example:
        >>> from types import SimpleNamespace
        >>> from keras_transformer.models import Transformer
        >>> letters = SimpleNamespace(
        ...     vocab_size=30, pad_id=0, bos_id=1, eos_id=2,
        ...     encode=lambda texts: [[ord(letter) - 93 for letter in text] for text in texts],
        ... )
        >>> model = Transformer(vocab_size=30, d_model=8, num_heads=2, d_ff=8, num_encoder_layers=1,
        ...     num_decoder_layers=1)
        >>> score, = Scorer(model, letters)(["hello"], ["you"], per_token=True)
        >>> score.tokens, len(score.token_log_probabilities), score.log_probability < 0
        (4, 4, True)
    """

    def __init__(self, model: Any, tokenizer: TokenizerLike, *, tokens_per_batch: int = 2048) -> None:
        check_tokenizer(model, tokenizer)
        check_whole("tokens_per_batch", tokens_per_batch, 1, "2048 suits most machines")
        self.model = model
        self.tokenizer = tokenizer
        self.tokens_per_batch = tokens_per_batch
        self._compiled = ScoringModel(model)

    def __call__(self, sources: list[str], targets: list[str], *, per_token: bool = False) -> list[PairScore]:
        """Score pairs of text.

        Args:
            sources: source lines.
            targets: their translations. Nothing is cut, however long.
            per_token: also return the log-probability of each target token.

        Returns:
            A score for each pair, in order.

        Raises:
            InputError: not as many targets as sources, not lists of strings, or a pair longer than the model has
                learned positions.
        """
        check_lines("sources", sources)
        check_lines("targets", targets)
        if len(sources) != len(targets):
            raise InputError(
                f"there are {len(sources)} sources and {len(targets)} targets; expected one target for each source."
            )
        eos = self.tokenizer.eos_id
        encode = source_side(self.tokenizer).encode
        source_ids = [[*map(int, ids), eos] for ids in encode([line.strip() for line in sources])]
        target_ids = [[*map(int, ids), eos] for ids in self.tokenizer.encode([line.strip() for line in targets])]
        return self.score_ids(source_ids, target_ids, per_token=per_token)

    def score_ids(
        self, sources: list[list[int]], targets: list[list[int]], *, per_token: bool = False
    ) -> list[PairScore]:
        """Score pairs of id sequences.

        Args:
            sources: ids of each source, with its end-of-sentence token.
            targets: ids of each target, with its end-of-sentence token.
            per_token: also return the log-probability of each target token.

        Returns:
            A score for each pair, in order.
        """
        pad, bos, most = self.tokenizer.pad_id, self.tokenizer.bos_id, getattr(self.model, "max_length", None)
        scores: list[PairScore] = [PairScore(0.0, 0)] * len(targets)
        longer = [max(len(source), len(target)) for source, target in zip(sources, targets, strict=True)]
        check_lengths(longer, most)
        for batch in by_length(longer, self._rows):
            full = self._rows(max(longer[i] for i in batch))
            target_out = pad_rows([targets[i] for i in batch], pad, full, most)
            target_in = pad_rows([[bos, *targets[i][:-1]] for i in batch], pad, full, most)
            source = pad_rows([sources[i] for i in batch], pad, full, most)
            log_probs, _ = predict(self._compiled, self.model, (source, target_in, target_out))
            for row, position in enumerate(batch):
                values = log_probs[row, : len(targets[position])].astype("float64")
                tokens = tuple(values.tolist()) if per_token else None
                scores[position] = PairScore(float(values.sum()), len(values), tokens)
        return scores

    def score_batches(self, batches: Iterable[Any]) -> CorpusScore:
        """Score batches such as those of `token_batches`: exact over the corpus, whatever the batches.

        Args:
            batches: of ((source, target_in), target_out, weights), ids (B, S), (B, T), (B, T); arrays or tensors. The
                weights are not used.

        Returns:
            The sums over all target tokens that are not padding.
        """
        log_probability, tokens, correct = 0.0, 0, 0
        for (source, target_in), target_out, *_ in batches:
            arrays = tuple(np.asarray(ids) for ids in (source, target_in, target_out))
            log_probs, hits = predict(self._compiled, self.model, arrays)
            log_probability += float(log_probs.astype("float64").sum())
            tokens += int((arrays[2] != self.tokenizer.pad_id).sum())
            correct += int(hits.sum())
        return CorpusScore(log_probability, tokens, correct)

    def _rows(self, length: int) -> int:
        """Pairs of `length` tokens in a batch: a power of two, so that there are few shapes to compile for."""
        return 1 << (max(1, self.tokens_per_batch // length).bit_length() - 1)
