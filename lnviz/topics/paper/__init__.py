"""The published results of Ba, Kiros and Hinton (arXiv 1607.06450), and what they leave open."""

from lnviz.topics.paper.axis import cut
from lnviz.topics.paper.experiments import EXPERIMENTS, PaperExperiment
from lnviz.topics.paper.printed import CAPTIONS, DRAW, IMAGES, SENTENCES, PrintedTable, TableColumn

__all__ = [
    "CAPTIONS",
    "DRAW",
    "EXPERIMENTS",
    "IMAGES",
    "SENTENCES",
    "PaperExperiment",
    "PrintedTable",
    "TableColumn",
    "cut",
]
