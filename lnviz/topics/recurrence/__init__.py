"""Recurrent networks with norms: cells, layers, and experiments before and during training.

`lnviz results make recurrence` trains the networks that the lesson compares.
"""

from lnviz.topics.recurrence.cell_steps import GRUStep, LSTMStep
from lnviz.topics.recurrence.cells import GRUCell, LSTMCell
from lnviz.topics.recurrence.drift import Drift, drift, steps_in_range
from lnviz.topics.recurrence.flow import Flow, UntrainedNetwork, flow, states
from lnviz.topics.recurrence.rnn import RNN
from lnviz.topics.recurrence.saturation import saturation
from lnviz.topics.recurrence.stepnorm import StepNorm
from lnviz.topics.recurrence.wiring import Wiring, state_share, wiring

__all__ = [
    "RNN",
    "Drift",
    "Flow",
    "GRUCell",
    "GRUStep",
    "LSTMCell",
    "LSTMStep",
    "StepNorm",
    "UntrainedNetwork",
    "Wiring",
    "drift",
    "flow",
    "saturation",
    "state_share",
    "states",
    "steps_in_range",
    "wiring",
]
