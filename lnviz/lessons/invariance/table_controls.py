"""Controls of the table of invariances: the entry, the strength of the change, and epsilon."""

from __future__ import annotations

from lnviz.explorable import CellPicker, Choice, Option, Slider
from lnviz.norms import CATALOGUE
from lnviz.topics.invariance import TRANSFORMATIONS

NORMS = ("batch", "weight", "layer", "rms", "group", "dyt", "none")
CHANGES = tuple(TRANSFORMATIONS)
ENTRIES = tuple((norm, change) for norm in NORMS for change in CHANGES)
HEADS = (
    "re-scale W",
    "re-center W",
    "re-scale one w",
    "re-scale data",
    "re-center data",
    "re-scale an example",
)
EPSILONS = (0.0, 1e-5, 1e-3)
_SIZES = Slider.decades("size", -3, 1, 30, 1.0).values
STRENGTH = Slider("strength", (*(-s for s in reversed(_SIZES)), 0.0, *_SIZES), 2.0, log=True)
EPSILON = Choice(
    "with epsilon",
    tuple(
        Option(f"{eps:g}", f"ε = {eps:g}".replace("e-0", "e-"), code=repr(eps)) for eps in EPSILONS
    ),
    "0",
)
ENTRY = CellPicker(
    "entry",
    tuple(CATALOGUE[norm].label for norm in NORMS),
    HEADS,
    "",
    (NORMS.index("layer"), CHANGES.index("case_rescale")),
    codes=tuple(f'"{norm}", "{change}"' for norm, change in ENTRIES),
)
