"""The lab: experiments in which users train models with several norms."""

from lnviz.topics.lab.digits import DIGITS
from lnviz.topics.lab.images import IMAGES
from lnviz.topics.lab.mnist import MNIST
from lnviz.topics.lab.sequences import SEQUENCES
from lnviz.topics.lab.table import TABLE
from lnviz.topics.lab.text import TEXT
from lnviz.training.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for each in (DIGITS, SEQUENCES, IMAGES, TEXT, MNIST, TABLE)
}
"""All experiments by name."""

__all__ = ["EXPERIMENTS"]
