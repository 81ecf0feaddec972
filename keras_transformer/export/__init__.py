"""A trained translator as a TensorFlow SavedModel: text in, text out, verified in a fresh process."""

from keras_transformer.export.report import ExportReport, Sample
from keras_transformer.export.saved_model import export_saved_model
from keras_transformer.export.verification import ExportError

__all__ = ["ExportError", "ExportReport", "Sample", "export_saved_model"]
