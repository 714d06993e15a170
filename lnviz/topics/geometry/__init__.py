"""Geometry of parameter space: how a step of the weights changes a model's predictions.

`divergences` computes it exactly for a small model; `gain_curvature` and `descend` show
consequences. `downhill` evaluates the loss along the gradient of a network during training.
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
