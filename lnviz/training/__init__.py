"""Training: many runs of one model at once, one a seed."""

from lnviz.training.runs import Runs, draws, join, outputs, start
from lnviz.training.steps import Training, train

__all__ = ["Runs", "Training", "draws", "join", "outputs", "start", "train"]
