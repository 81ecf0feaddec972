"""The paper's numbers, recomputed with the package's own classes: see `paper`."""

from keras_transformer.diagnostics.paper.plots import plot_paper
from keras_transformer.diagnostics.paper.report import SECTION_NAMES, Report, paper
from keras_transformer.diagnostics.paper.rows import Block, Listing, Row, Section

__all__ = ["SECTION_NAMES", "Block", "Listing", "Report", "Row", "Section", "paper", "plot_paper"]
