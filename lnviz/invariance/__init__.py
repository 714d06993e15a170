"""What a norm leaves unchanged: the paper's table of invariances, measured.

`measure` fills the table and `TABLE_1` holds what the papers state. `python -m lnviz.invariance`
prints both.
"""

from lnviz.invariance.layer import ACTIVATIONS, ALPHA, LABELS, NORMS, applies
from lnviz.invariance.layers import RandomData
from lnviz.invariance.measured import (
    SCALES,
    STRENGTHS,
    VISIBLE,
    Entry,
    Limits,
    Measured,
    measure,
)
from lnviz.invariance.stated import SOURCES, TABLE_1
from lnviz.invariance.transformations import (
    TRANSFORMATIONS,
    Transformation,
    largest_change,
    rescale_case,
)

__all__ = [
    "ACTIVATIONS",
    "ALPHA",
    "LABELS",
    "NORMS",
    "SCALES",
    "SOURCES",
    "STRENGTHS",
    "TABLE_1",
    "TRANSFORMATIONS",
    "VISIBLE",
    "Entry",
    "Limits",
    "Measured",
    "RandomData",
    "Transformation",
    "applies",
    "largest_change",
    "measure",
    "rescale_case",
]
