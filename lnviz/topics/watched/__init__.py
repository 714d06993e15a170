"""Norms of a model that somebody brings: found, watched while it runs, and told about."""

from lnviz.topics.watched.findings import Finding
from lnviz.topics.watched.recognized import Facts
from lnviz.topics.watched.runs import Run, load
from lnviz.topics.watched.seen import Seen
from lnviz.topics.watched.watching import Watched

__all__ = ["Facts", "Finding", "Run", "Seen", "Watched", "load"]
