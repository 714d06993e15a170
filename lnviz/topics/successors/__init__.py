"""Successors of layer normalization: computations that compare them, and a timeline.

`lnviz results make cloud` trains the language models whose norms the lesson shows.
"""

from lnviz.topics.successors.backward import VARIANTS, Backward, backward
from lnviz.topics.successors.curves import NORMS, Curves, curves, treats_units_alike
from lnviz.topics.successors.timeline import SUCCESSORS, Successor

__all__ = [
    "NORMS",
    "SUCCESSORS",
    "VARIANTS",
    "Backward",
    "Curves",
    "Successor",
    "backward",
    "curves",
    "treats_units_alike",
]
