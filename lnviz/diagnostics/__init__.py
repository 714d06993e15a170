"""Norms of a model that somebody brings: found, watched while it runs, and told about."""

from lnviz.diagnostics.detection import Facts
from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.hooks import Watched
from lnviz.diagnostics.norm_statistics import Seen
from lnviz.diagnostics.runs import Run, load

__all__ = ["Facts", "Finding", "Run", "Seen", "Watched", "load"]
