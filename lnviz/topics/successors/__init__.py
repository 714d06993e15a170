"""What came after layer normalization: replacements compared, and where they come from.

`python -m lnviz.topics.successors.train` trains the language models whose norms the lesson opens.
"""

from lnviz.topics.successors.backward import VARIANTS, Backward, Variant, backward
from lnviz.topics.successors.curves import ELEMENTWISE, OF_BATCH, OF_VECTOR, Curves, curves
from lnviz.topics.successors.timeline import SUCCESSORS, Successor

__all__ = [
    "ELEMENTWISE",
    "OF_BATCH",
    "OF_VECTOR",
    "SUCCESSORS",
    "VARIANTS",
    "Backward",
    "Curves",
    "Successor",
    "Variant",
    "backward",
    "curves",
]
