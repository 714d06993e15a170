"""Recurrence: what happens to a state that passes through the same weights at every step."""

from lnviz.recurrence.cells import (
    BATCH_GAIN,
    GRUCell,
    LayerNormGRUCell,
    LayerNormLSTMCell,
    LSTMCell,
    RecurrentBatchNormLSTMCell,
    RNNCell,
)
from lnviz.recurrence.drift import Drift, drift, steps_in_range
from lnviz.recurrence.flow import Flow, Network, flow
from lnviz.recurrence.layer import Layer
from lnviz.recurrence.stepnorm import StepNorm
from lnviz.recurrence.steps import GRUStep, Joined, LSTMStep, RNNStep, stacked

__all__ = [
    "BATCH_GAIN",
    "Drift",
    "Flow",
    "GRUCell",
    "GRUStep",
    "Joined",
    "LSTMCell",
    "LSTMStep",
    "Layer",
    "LayerNormGRUCell",
    "LayerNormLSTMCell",
    "Network",
    "RNNCell",
    "RNNStep",
    "RecurrentBatchNormLSTMCell",
    "StepNorm",
    "drift",
    "flow",
    "stacked",
    "steps_in_range",
]
