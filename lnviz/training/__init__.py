"""Training: many runs of one model at once, one a seed."""

from lnviz.training.runs import Runs, draws, join, outputs, start, train

__all__ = ["Runs", "draws", "join", "outputs", "start", "train"]
