"""Simultaneous training of many runs of a model, with stacked parameters."""

from lnviz.training.runs import Runs, concat_runs, initialize, predict, sample_batches
from lnviz.training.steps import Trainer, train

__all__ = ["Runs", "Trainer", "concat_runs", "initialize", "predict", "sample_batches", "train"]
