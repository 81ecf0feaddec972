"""Validation as a user would do it: translate, detokenize, score."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import keras

from keras_transformer.training.config import RunConfig
from keras_transformer.training.files import write_atomically, write_json
from keras_transformer.training.run_files import RunFiles

_CHUNK = 512  # sentences between two looks at the interrupts
_SAMPLES = 3


class Interrupted(Exception):  # noqa: N818 (not an error)
    """A signal asked for a stop; what was being measured is measured again when the run continues."""


@dataclass(frozen=True)
class Validation:
    """One measurement.

    Args:
        scores: bleu, chrf (percent, with signatures), perplexity, accuracy (0 to 1), sentences, beam_size.
        samples: (source, reference, hypothesis) of a few fixed pairs.
    """

    scores: dict[str, Any]
    samples: list[tuple[str, str, str]]


class Validator:
    """Measures weights on held-out pairs, with a copy of the model.

    The copy is never compiled for training and lives outside any distribution strategy: it decodes the same way
    wherever the weights were trained, keeps its compiled search from one validation to the next, and is saved
    without an optimizer. It computes in float32, whatever the precision of a training step.

    Args:
        model: the model that trains.
        tokenizer: its tokenizer.
        corpus: held-out pairs; None measures nothing.
        config: the run.
        interrupted: asked between chunks of sentences; True raises `Interrupted`.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        corpus: Any | None,
        config: RunConfig,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        from keras_transformer.decoding import Scorer, Translator

        self.model: keras.Model = type(model).from_config({**model.get_config(), "dtype": "float32"})
        self._corpus = _first(corpus, config.training.validation_sentences)
        self._beam_size = config.training.validation_beam_size
        self._translator = Translator(
            self.model,
            tokenizer,
            beam_size=self._beam_size,
            length_penalty=config.decoding.length_penalty,
            max_length_offset=config.decoding.max_length_offset,
        )
        self._scorer = Scorer(self.model, tokenizer)
        self._batches = self._scoring_batches(tokenizer)
        self._interrupted = interrupted

    def __bool__(self) -> bool:
        """Whether there is anything to validate with."""
        return bool(self._corpus)

    def load(self, model: keras.Model) -> None:
        """Take over the weights of the model that trains."""
        self.model.set_weights(model.get_weights())

    def measure(self) -> Validation:
        """Translate and score the held-out pairs with the weights loaded last.

        Returns:
            The scores and samples.

        Raises:
            Interrupted: a signal came.
        """
        from keras_transformer.evaluation import evaluate_translations

        sources, references = list(self._corpus.sources), list(self._corpus.targets)
        hypotheses: list[str] = []
        for start in self._unless_interrupted(range(0, len(sources), _CHUNK)):
            hypotheses += self._translator(sources[start : start + _CHUNK])
        likelihood = self._scorer.score_batches(self._unless_interrupted(self._batches))
        scores = evaluate_translations(hypotheses, references)
        values = {
            "bleu": scores.bleu,
            "chrf": scores.chrf,
            "perplexity": likelihood.perplexity,
            "accuracy": likelihood.accuracy,
            "sentences": len(hypotheses),
            "beam_size": self._beam_size,
            "bleu_signature": scores.bleu_signature,
            "chrf_signature": scores.chrf_signature,
        }
        samples = list(zip(sources, references, hypotheses, strict=True))
        return Validation(values, samples[:: max(1, len(samples) // _SAMPLES)][:_SAMPLES])

    def save(self, files: RunFiles, which: str, score: dict[str, Any]) -> None:
        """Keep the weights loaded last as `which`/model.keras, and their scores beside it."""
        write_atomically(files.model(which), lambda path: self.model.save(path))
        write_json(files.score(which), score)

    def _scoring_batches(self, tokenizer: Any) -> list[Any]:
        """The pairs as id arrays, in few shapes: on JAX each is compiled."""
        if not self._corpus:
            return []
        from keras_transformer.text import TokenBatches

        batches = TokenBatches(self._corpus, tokenizer, 2048, seed=None, max_length=1024, num_buckets=6)
        return [batches.batch(step) for step in range(batches.steps_per_epoch)]

    def _unless_interrupted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            if self._interrupted():
                raise Interrupted
            yield item


def _first(corpus: Any | None, limit: int | None) -> Any:
    """The first `limit` pairs."""
    if corpus is None or limit is None or len(corpus) <= limit:
        return corpus if corpus is not None else ()
    pairs = zip(corpus.sources[:limit], corpus.targets[:limit], strict=True)
    return type(corpus).from_pairs(list(pairs), name="valid")
