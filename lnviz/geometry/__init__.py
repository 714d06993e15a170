"""The geometry of parameter space: how far a step in weights moves what a model predicts.

`steps` measures it, `fisher` gives the matrix behind it, `scaled`, `gains` and `descend` what
follows from it. `equations` holds the paper's closed forms.
"""

from lnviz.geometry.curvature import Gains, Scaled, gains, scaled
from lnviz.geometry.descent import Descent, descend, taught
from lnviz.geometry.divergences import Divergence, Steps, steps
from lnviz.geometry.equations import (
    chi,
    equation_12,
    equation_13,
    equation_32,
    equation_33,
    equation_34,
    equation_35,
    shared_jacobian,
)
from lnviz.geometry.families import FAMILIES, Family, linear
from lnviz.geometry.information import Fisher, fisher
from lnviz.geometry.models import NORMS, Glm, draw
from lnviz.geometry.planes import PARTS, Plane, plane

__all__ = [
    "FAMILIES",
    "NORMS",
    "PARTS",
    "Descent",
    "Divergence",
    "Family",
    "Fisher",
    "Gains",
    "Glm",
    "Plane",
    "Scaled",
    "Steps",
    "chi",
    "descend",
    "draw",
    "equation_12",
    "equation_13",
    "equation_32",
    "equation_33",
    "equation_34",
    "equation_35",
    "fisher",
    "gains",
    "linear",
    "plane",
    "scaled",
    "shared_jacobian",
    "steps",
    "taught",
]
