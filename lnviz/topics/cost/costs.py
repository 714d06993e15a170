"""Measured costs that are stored: how they are read, and on which machines they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lnviz.results import COSTS, Stored
from lnviz.results.making import read
from lnviz.topics.cost.block import Blocks
from lnviz.topics.cost.block import Specification as BlockSpecification
from lnviz.topics.cost.kernels import Kernels, Specification
from lnviz.topics.cost.machine import Machine


@dataclass(frozen=True)
class Costs:
    """What one machine was measured to take.

    Attributes:
        kernels: norms by themselves.
        blocks: norms in a block of a Transformer.
        versions: of Python and the packages.
    """

    kernels: Kernels
    blocks: Blocks
    versions: Mapping[str, str]


def from_json(text: str, stored: Stored) -> Costs:
    """Return what the command of `stored` has written.

    Raises:
        ValueError: the text is something else.

    >>> from lnviz.results import COST_CPU
    >>> from_json("{}", COST_CPU)
    Traceback (most recent call last):
    ValueError: This is no measurement of costs. ...
    """
    return read(text, _made, "measurement of costs", stored)


def _made(found: dict[str, Any]) -> Costs:
    return Costs(
        kernels=Kernels(**_typed(found["kernels"], Specification)),
        blocks=Blocks(**_typed(found["blocks"], BlockSpecification)),
        versions=found["versions"],
    )


def _typed(found: dict[str, Any], specification: type) -> dict[str, Any]:
    return found | {
        "specification": specification(**found["specification"]),
        "machine": Machine(**found["machine"]),
    }


@cache
def stored() -> Mapping[str, Costs]:
    """Return the measurements that are stored, by the kind of device.

    >>> "cpu" in stored()
    True
    """
    made = [from_json(each.path.read_text(encoding="utf-8"), each) for each in COSTS]
    return {each.kernels.machine.device: each for each in made}
