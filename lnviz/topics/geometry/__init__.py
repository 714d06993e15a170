"""The geometry of parameter space: how far a step in weights moves what a model predicts.

`divergences` measures it for a small model whose every number is known; `gain_curvature` and
`descend` show what follows from it. `downhill` looks along the gradient of a network as it trains.
"""

from lnviz.topics.geometry.curvature import gain_curvature
from lnviz.topics.geometry.descent import Descent, descend, teacher_targets
from lnviz.topics.geometry.families import FAMILIES, Family
from lnviz.topics.geometry.models import Glm, random_glm
from lnviz.topics.geometry.planes import PARTS, plane
from lnviz.topics.geometry.step import Divergences, divergences

__all__ = [
    "FAMILIES",
    "PARTS",
    "Descent",
    "Divergences",
    "Family",
    "Glm",
    "descend",
    "divergences",
    "gain_curvature",
    "plane",
    "random_glm",
    "teacher_targets",
]
