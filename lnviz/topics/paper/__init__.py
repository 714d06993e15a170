"""What Ba, Kiros and Hinton 2016 (arXiv 1607.06450) printed of their experiments, and what not."""

from lnviz.topics.paper.axis import cut
from lnviz.topics.paper.experiments import EXPERIMENTS, Experiment
from lnviz.topics.paper.printed import CAPTIONS, DRAW, IMAGES, SENTENCES, Measure, Printed

__all__ = [
    "CAPTIONS",
    "DRAW",
    "EXPERIMENTS",
    "IMAGES",
    "SENTENCES",
    "Experiment",
    "Measure",
    "Printed",
    "cut",
]
