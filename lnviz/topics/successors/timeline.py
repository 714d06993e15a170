"""Timeline of the successors of LayerNorm: alternatives with their papers and dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Successor:
    """A published alternative to LayerNorm or to its placement, with its paper.

    Attributes:
        key: short name, for URLs; the key of the norm, if the catalogue has it.
        label: printed name.
        arxiv: arXiv id of its paper, which begins with year and month of the first version.
        changes: "norm" if it replaces or removes the norm, "placement" if it changes the placement,
            or both.
    """

    key: str
    label: str
    arxiv: str
    changes: str

    @property
    def day(self) -> date:
        """The publication date: the first day of the month of the paper's first version."""
        return date(2000 + int(self.arxiv[:2]), int(self.arxiv[2:4]), 1)


SUCCESSORS = (
    Successor("scale", "ScaleNorm", "1910.05895", "norm"),
    Successor("rms", "RMSNorm", "1910.07467", "norm"),
    Successor("ada", "AdaNorm", "1911.07013", "norm"),
    Successor("power", "PowerNorm", "2003.07845", "norm"),
    Successor("qk", "QK-norm", "2010.04245", "placement"),
    Successor("sandwich", "Sandwich-LN", "2105.13290", "placement"),
    Successor("deepnorm", "DeepNorm", "2203.00555", "placement"),
    Successor("ngpt", "nGPT", "2410.01131", "both"),
    Successor("mix", "Mix-LN", "2412.13795", "placement"),
    Successor("peri", "Peri-LN", "2502.02732", "placement"),
    Successor("lns", "LayerNorm Scaling", "2502.05795", "placement"),
    Successor("dyt", "DyT", "2503.10622", "norm"),
    Successor("derf", "Derf", "2512.10938", "norm"),
    Successor("keel", "Keel", "2601.19895", "placement"),
)
"""The proposals in chronological order."""
