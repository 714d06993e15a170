"""Normalization: the computation, and the catalogue of norms."""

from lnviz.norms.catalogue import (
    ALPHA,
    BATCH,
    CATALOGUE,
    DYT,
    GROUP,
    INSTANCE,
    LAYER,
    NONE,
    RMS,
    WEIGHT,
)
from lnviz.norms.norm import Norm
from lnviz.norms.normalize import Normalized, normalize, one_pass_variance, reference

__all__ = [
    "ALPHA",
    "BATCH",
    "CATALOGUE",
    "DYT",
    "GROUP",
    "INSTANCE",
    "LAYER",
    "NONE",
    "RMS",
    "WEIGHT",
    "Norm",
    "Normalized",
    "normalize",
    "one_pass_variance",
    "reference",
]
