"""How good is a translation: sacreBLEU BLEU, chrF and TER with their signatures."""

from keras_transformer.evaluation.scores import Scores, evaluate_translations

__all__ = ["Scores", "evaluate_translations"]
