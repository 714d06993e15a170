"""Depth: what many layers, one behind the other, make of what comes in.

`lnviz results make depth` trains the networks that the lesson compares.
"""

from lnviz.topics.depth.spread import NONLINEARITIES, WEIGHT_GAIN, RandomNetwork, Spread, spread

__all__ = ["NONLINEARITIES", "WEIGHT_GAIN", "RandomNetwork", "Spread", "spread"]
