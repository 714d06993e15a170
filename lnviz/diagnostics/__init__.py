"""Norm debugger: detects a model's norms, records statistics of each call, and finds problems."""

from lnviz.diagnostics.comparison import Comparison, NormDifference
from lnviz.diagnostics.findings import Finding, NormFaultError
from lnviz.diagnostics.hooks import NormWatcher
from lnviz.diagnostics.norm_spec import NormSpec
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.diagnostics.runs import Run, load

__all__ = [
    "Comparison",
    "Finding",
    "NormDifference",
    "NormFaultError",
    "NormSpec",
    "NormStats",
    "NormWatcher",
    "Run",
    "load",
]
