"""Looking into a model and a run: attention maps and training curves."""

from keras_transformer.diagnostics.attention_maps import cross_attention, plot_cross_attention
from keras_transformer.diagnostics.curves import plot_training, read_metrics

__all__ = ["cross_attention", "plot_cross_attention", "plot_training", "read_metrics"]
