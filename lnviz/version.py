"""The version of lnviz."""

__version__ = "0.1.0"
