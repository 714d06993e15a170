"""The batch: what norms that look across cases take from it."""

from lnviz.batch.prefixes import Prefixes, prefixes

__all__ = ["Prefixes", "prefixes"]
