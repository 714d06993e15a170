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


RECURRENCE = Stored("recurrence.json", "python -m lnviz.topics.recurrence.train")
"""Networks that learned to read digits, for /recurrence."""

LANDSCAPE = Stored("landscape.json", "python -m lnviz.topics.geometry.trainings")
"""What lies along the gradients of networks that learn to read digits, for /geometry."""

GROUPS = Stored("groups.json", "python -m lnviz.topics.images.training")
"""A convolutional network under GroupNorm and its neighbors, for /images."""

DEPTH = Stored("depth.json", "python -m lnviz.topics.depth.learning")
"""Deep networks that learned to read digits from weights of many sizes, for /why."""

WARMUP = Stored("warmup.json", "python -m lnviz.topics.transformer.warmup")
"""Language models trained with and without warm-up, for /placement."""

CENTERING = Stored("centering.json", "python -m lnviz.topics.transformer.centering")
"""Means in language models as they train, for /rmsnorm."""

CLOUD = Stored("cloud.json", "python -m lnviz.topics.successors.train")
"""What goes into and out of the norms of language models, for /successors."""

PROFILES = Stored("profiles.json", "python -m lnviz.topics.transformer.profiles")
"""Gradients of every layer of untrained Transformers, for /placement."""

COST_CPU = Stored("cost-cpu.json", "python -m lnviz.topics.cost.measure --device cpu")
"""What norms cost on a CPU, for /cost."""

COST_CUDA = Stored("cost-cuda.json", "python -m lnviz.topics.cost.measure --device cuda")
"""What norms cost on a graphics card, for /cost; it is there where somebody has made it."""

COSTS = tuple(each for each in (COST_CPU, COST_CUDA) if each.path.exists())

PRETRAINED = Stored("pretrained.json", "python -m lnviz.topics.pretrained")
"""Texts in published models, for /inside."""

STORED = (
    *(RECURRENCE, LANDSCAPE, GROUPS, DEPTH, WARMUP, CLOUD, PROFILES, CENTERING),
    PRETRAINED,
    *COSTS,
)
