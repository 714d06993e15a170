"""A network, layer by layer: each unit as the small picture of what it says over a plane."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, Template, When
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class UnitMaps(BaseView, kind="units"):
    """The units of each layer as small pictures, in columns from the input to the output.

    Args:
        title: A template, as in `Readout`.
        inputs: The tensor of what comes in, `(inputs, height, width)`, from -1 to 1.
        values: The tensor of what the units say, `(layers, units, height, width)`, from -1 to 1;
            NaN in layers that the network has not.
        layers: The tensor of how many layers it has.
        alt: The network in words, a template that follows the state.
        norm: What stands between the weights and the nonlinearity of each layer, a template; empty
            where nothing does.
        when: Where it is shown.
    """

    title: Template
    inputs: Name
    values: Name
    layers: Name
    alt: Template
    norm: Template = ""
    when: When = field(default_factory=dict)
