"""From a trained model to translations: beam search, text to text, and scores of given translations."""

from keras_transformer.decoding.beam_search import BeamSearch
from keras_transformer.decoding.hypothesis import Hypothesis
from keras_transformer.decoding.scorer import Scorer
from keras_transformer.decoding.scores import CorpusScore, PairScore
from keras_transformer.decoding.translator import Translator, Truncation

__all__ = ["BeamSearch", "CorpusScore", "Hypothesis", "PairScore", "Scorer", "Translator", "Truncation"]
