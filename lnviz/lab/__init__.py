"""The lab: what can be trained under several norms."""

from lnviz.lab.digits import DIGITS
from lnviz.lab.images import IMAGES
from lnviz.lab.mnist import MNIST
from lnviz.lab.sequences import SEQUENCES
from lnviz.lab.text import TEXT
from lnviz.training.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for each in (DIGITS, SEQUENCES, IMAGES, TEXT, MNIST)
}
"""Every experiment by its name."""

__all__ = ["EXPERIMENTS"]
