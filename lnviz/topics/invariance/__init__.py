"""Invariances of norms: table 1 of Ba et al. (2016), checked by measurement.

`measure` computes the table, `TABLE_1` has the papers' claims, and `demonstrate` shows one entry in
detail. `confidence` shows the cost of invariance where LayerNorm is applied to a classifier's
logits.
"""

from lnviz.topics.invariance.classifier import (
    CLASSES,
    TRAINING_CASES,
    Classifier,
    digits_classifier,
)
from lnviz.topics.invariance.confidence import Confidence, confidence
from lnviz.topics.invariance.demonstration import Demonstration, demonstrate
from lnviz.topics.invariance.layers import RandomData
from lnviz.topics.invariance.measured import (
    SCALES,
    STRENGTHS,
    VISIBLE,
    InvarianceTable,
    Limits,
    measure,
)
from lnviz.topics.invariance.one_case import OneCase, one_case
from lnviz.topics.invariance.stated import SOURCES, TABLE_1
from lnviz.topics.invariance.transformations import TRANSFORMATIONS, largest_change, rescale_case

__all__ = [
    "CLASSES",
    "SCALES",
    "SOURCES",
    "STRENGTHS",
    "TABLE_1",
    "TRAINING_CASES",
    "TRANSFORMATIONS",
    "VISIBLE",
    "Classifier",
    "Confidence",
    "Demonstration",
    "InvarianceTable",
    "Limits",
    "OneCase",
    "RandomData",
    "confidence",
    "demonstrate",
    "digits_classifier",
    "largest_change",
    "measure",
    "one_case",
    "rescale_case",
]
