"""Recurrence: what happens to a state that passes through the same weights at every step.

`python -m lnviz.recurrence.train` trains the networks that the lesson compares.
"""

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
from lnviz.recurrence.saturation import Saturation, saturation
from lnviz.recurrence.stepnorm import StepNorm
from lnviz.recurrence.steps import GRUStep, Joined, LSTMStep, RNNStep, stacked
from lnviz.recurrence.wiring import Wiring, named, state_share, wiring

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
    "Saturation",
    "StepNorm",
    "Wiring",
    "drift",
    "flow",
    "named",
    "saturation",
    "stacked",
    "state_share",
    "steps_in_range",
    "wiring",
]
