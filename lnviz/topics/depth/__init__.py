"""Computations for the lesson on depth: signals in deep networks, with and without norms.

`lnviz results make depth` trains the networks that the lesson compares.
"""

from lnviz.topics.depth.spread import NONLINEARITIES, WEIGHT_GAIN, RandomNetwork, Spread, spread

__all__ = ["NONLINEARITIES", "WEIGHT_GAIN", "RandomNetwork", "Spread", "spread"]
