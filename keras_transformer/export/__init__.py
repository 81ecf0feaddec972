"""A trained translator as a TensorFlow SavedModel or a CTranslate2 model, verified before it counts."""

from keras_transformer.export.ctranslate2_check import Agreement
from keras_transformer.export.ctranslate2_model import export_ctranslate2
from keras_transformer.export.ctranslate2_report import CTranslate2Report
from keras_transformer.export.report import ExportReport, Sample
from keras_transformer.export.saved_model import export_saved_model
from keras_transformer.export.verification import ExportError

__all__ = [
    "Agreement",
    "CTranslate2Report",
    "ExportError",
    "ExportReport",
    "Sample",
    "export_ctranslate2",
    "export_saved_model",
]
