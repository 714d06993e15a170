"""The batch: what norms that look across cases take from it."""

from lnviz.batch.prefixes import Prefixes, prefixes
from lnviz.batch.walk import Walk, walk

__all__ = ["Prefixes", "Walk", "prefixes", "walk"]
