"""Two published models, read from files, with every norm open to the eye and to replacement.

>>> from lnviz.pretrained import MINILM, Unavailable, load
>>> if MINILM.installed():
...     trace = load("minilm").run(load("minilm").ids("A norm stands here."))
...     list(trace.norms)[:2]
... else:
...     ['embedding', 'layers.0.attention']
['embedding', 'layers.0.attention']
"""

from lnviz.pretrained.loading import drop, load
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2, Unavailable
from lnviz.pretrained.texts import TextError

__all__ = [
    "MINILM",
    "PACKAGES",
    "SMOLLM2",
    "TextError",
    "Unavailable",
    "drop",
    "load",
]
