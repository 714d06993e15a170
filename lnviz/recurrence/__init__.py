"""Recurrence: what happens to a state that passes through the same weights at every step.

`python -m lnviz.recurrence.train` trains the networks that the lesson compares.
"""

from lnviz.recurrence.cells import BATCH_GAIN, GRUCell, LSTMCell
from lnviz.recurrence.drift import Drift, drift, steps_in_range
from lnviz.recurrence.flow import Flow, Untrained, flow
from lnviz.recurrence.rnn import RNN
from lnviz.recurrence.saturation import Saturation, saturation
from lnviz.recurrence.stepnorm import StepNorm
from lnviz.recurrence.steps import GRUStep, Joined, LSTMStep
from lnviz.recurrence.wiring import Wiring, state_share, wiring

__all__ = [
    "BATCH_GAIN",
    "RNN",
    "Drift",
    "Flow",
    "GRUCell",
    "GRUStep",
    "Joined",
    "LSTMCell",
    "LSTMStep",
    "Saturation",
    "StepNorm",
    "Untrained",
    "Wiring",
    "drift",
    "flow",
    "saturation",
    "state_share",
    "steps_in_range",
    "wiring",
]
