"""Two published models, MiniLM and SmolLM2, with access to the input and output of every norm.

>>> from lnviz.pretrained import MINILM, ModelUnavailable, load
>>> if MINILM.is_installed():
...     trace = load("minilm").run(load("minilm").ids("A norm stands here."))
...     list(trace.norms)[:2]
... else:
...     ['embedding', 'layers.0.attention']
['embedding', 'layers.0.attention']
"""

from lnviz.pretrained.loading import load, unload_all
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2, ModelUnavailable
from lnviz.pretrained.texts import TextError

__all__ = [
    "MINILM",
    "PACKAGES",
    "SMOLLM2",
    "ModelUnavailable",
    "TextError",
    "load",
    "unload_all",
]
