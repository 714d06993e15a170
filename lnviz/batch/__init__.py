"""The batch: what norms that look across cases take from it."""

from lnviz.batch.walk import Walk, walk

__all__ = ["Walk", "walk"]
