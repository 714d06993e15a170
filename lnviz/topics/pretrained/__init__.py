"""Two published models, read from files, with every norm open to the eye and to replacement.

>>> from lnviz.topics.pretrained import MINILM, Unavailable, load
>>> if MINILM.installed():
...     trace = load("minilm").run(load("minilm").ids("A norm stands here."))
...     list(trace.norms)[:2]
... else:
...     ['embedding', 'layers.0.attention']
['embedding', 'layers.0.attention']
"""

from lnviz.topics.pretrained.loading import drop, load
from lnviz.topics.pretrained.model import Edit, Model, NormRecord, Trace
from lnviz.topics.pretrained.packages import MINILM, PACKAGES, SMOLLM2, Package, Unavailable
from lnviz.topics.pretrained.swapping import Swap
from lnviz.topics.pretrained.texts import TextError

__all__ = [
    "MINILM",
    "PACKAGES",
    "SMOLLM2",
    "Edit",
    "Model",
    "NormRecord",
    "Package",
    "Swap",
    "TextError",
    "Trace",
    "Unavailable",
    "drop",
    "load",
]
