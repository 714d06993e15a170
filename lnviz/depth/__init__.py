"""Depth: what many layers, one behind the other, make of what comes in.

`python -m lnviz.depth.learning` trains the networks that the lesson compares.
"""

from lnviz.depth.spread import KEEPING, NONLINEARITIES, Network, Spread, spread

__all__ = ["KEEPING", "NONLINEARITIES", "Network", "Spread", "spread"]
