"""Stored results: what takes too long to compute for a page, and the command that makes each."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Stored:
    """A file of this room.

    Attributes:
        name: of the file.
        command: writes it here.
    """

    name: str
    command: str

    @property
    def path(self) -> Path:
        """Where the file stands."""
        return Path(__file__).parent / self.name


COST_CPU = Stored("cost-cpu.json", "python -m lnviz.topics.cost.measure --device cpu")
"""What norms cost on a CPU, for /cost."""

COST_CUDA = Stored("cost-cuda.json", "python -m lnviz.topics.cost.measure --device cuda")
"""What norms cost on a graphics card, for /cost; it is there where somebody has made it."""

COSTS = tuple(each for each in (COST_CPU, COST_CUDA) if each.path.exists())

STORED = (*COSTS,)
