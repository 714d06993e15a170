"""Layer normalization and its relatives, computed so that every intermediate can be shown."""

from lnviz.norms import (
    BATCH,
    GROUP,
    INSTANCE,
    LAYER,
    RMS,
    WEIGHT,
    Norm,
    Normalized,
    normalize,
    one_pass_variance,
    reference,
)

__all__ = [
    "BATCH",
    "GROUP",
    "INSTANCE",
    "LAYER",
    "RMS",
    "WEIGHT",
    "Norm",
    "Normalized",
    "normalize",
    "one_pass_variance",
    "reference",
]
