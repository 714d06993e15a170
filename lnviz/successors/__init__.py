"""What came after layer normalization: replacements compared, and where they come from.

`python -m lnviz.successors.train` trains the language models whose norms the lesson looks into.
"""

from lnviz.successors.backward import VARIANTS, Backward, Variant, backward
from lnviz.successors.curves import ELEMENTWISE, OF_BATCH, OF_VECTOR, Curves, curves
from lnviz.successors.timeline import SUCCESSORS, Successor

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
