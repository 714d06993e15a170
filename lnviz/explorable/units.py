"""Activation maps of a network's hidden units over its two-dimensional input plane."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, Template, When
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class UnitMaps(BaseView, kind="units"):
    """Small activation maps of each layer's units, in columns from the input to the output.

    Args:
        title: A template, as in `Readout`.
        inputs: The tensor of the inputs, `(inputs, height, width)`, from -1 to 1.
        values: The tensor of the units' activations, `(layers, units, height, width)`, from -1 to
            1; NaN for layers that the network lacks.
        layers: The tensor of the number of layers drawn.
        every: The tensor of the distance between layers drawn, which labels them: with 2, they are
            layers 2, 4, 6, ...
        alt: The alternative text, a template.
        norm: The name of the norm between the weights and the nonlinearity of each layer, a
            template; "" for none.
        when: The control values at which it is shown.
    """

    title: Template
    inputs: Name
    values: Name
    layers: Name
    every: Name
    alt: Template
    norm: Template = ""
    when: When = field(default_factory=dict)
