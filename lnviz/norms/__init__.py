"""Normalization layers: their computation, and the catalogue that lists all of them."""

from lnviz.norms.catalogue import (
    ADA,
    ALPHA,
    BATCH,
    CATALOGUE,
    DERF,
    DYT,
    GROUP,
    INSTANCE,
    LAYER,
    NONE,
    POWER,
    RMS,
    SCALE,
    SLOPE,
    WEIGHT,
    group_norm,
)
from lnviz.norms.norm import Family, Norm
from lnviz.norms.normalize import Normalized, normalize, one_pass_variance, reference

__all__ = [
    "ADA",
    "ALPHA",
    "BATCH",
    "CATALOGUE",
    "DERF",
    "DYT",
    "GROUP",
    "INSTANCE",
    "LAYER",
    "NONE",
    "POWER",
    "RMS",
    "SCALE",
    "SLOPE",
    "WEIGHT",
    "Family",
    "Norm",
    "Normalized",
    "group_norm",
    "normalize",
    "one_pass_variance",
    "reference",
]
