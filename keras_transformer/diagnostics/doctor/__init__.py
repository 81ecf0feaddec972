"""Is this model wired right? Measurements on anyone's Transformer, each with a verdict, evidence, meaning and fix."""

from keras_transformer.diagnostics.doctor.doctor import doctor
from keras_transformer.diagnostics.doctor.findings import Diagnosis, Finding
from keras_transformer.diagnostics.doctor.hooks import AttentionHook, Hooks
from keras_transformer.diagnostics.doctor.subject import Subject

__all__ = ["AttentionHook", "Diagnosis", "Finding", "Hooks", "Subject", "doctor"]
