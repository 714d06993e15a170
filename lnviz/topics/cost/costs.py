"""Access to the stored cost measurements of CPU and GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from jaxtyping import Float
from torch import Tensor

from lnviz.results.stored import Result
from lnviz.rounding import rounded_tuples
from lnviz.topics.cost.block import BlockTimes
from lnviz.topics.cost.clock import DIGITS
from lnviz.topics.cost.kernels import Kernels
from lnviz.topics.cost.machine import Machine
from lnviz.topics.cost.measure import COST_CPU, COST_CUDA, CostSpecification


@dataclass(frozen=True)
class Costs:
    """Times of norms and of Transformer blocks, measured on one machine.

    Attributes:
        kernels: times of norms run separately.
        blocks: times of Transformer blocks.
        made_with: a sentence with the versions and the device.
    """

    kernels: Kernels
    blocks: BlockTimes
    made_with: str


@cache
def stored_costs() -> Mapping[str, Costs]:
    """Return the stored cost measurements, keyed by device type ("cpu" or "cuda")."""
    kept = (stored for stored in (COST_CPU, COST_CUDA) if stored.path.is_file())
    return {stored.device: costs(stored.device, stored.result) for stored in kept}


def costs(kind: str, result: Result[CostSpecification]) -> Costs:
    """Convert a stored result to a `Costs` object.

    Args:
        kind: the device type, "cpu" or "cuda".
        result: the stored result.
    """
    s, where = result.specification, Machine(kind, result.header.device)
    ways, kinds = result.labels("way"), result.labels("kind")
    curve, block_curve = ("pass", "width", "quartile"), ("pass", "block_width", "quartile")
    times = {
        f"{norm} {way}": result.tensor("times", *curve, norm=norm, way=way)
        for way in ways
        for norm in result.labels("norm")
    }
    kernels = Kernels(
        replace(s.kernels, ways=ways),
        where,
        _written(result.tensor("copy", "width", "quartile")),
        {name: _written(values) for name, values in times.items() if not values.isnan().any()},
        {way: _written(result.tensor("ratios", *curve, way=way)) for way in ways},
        float(result.tensor("kernels_own")),
    )
    whole = {
        kind: _written(result.tensor("whole", *block_curve, kind_or_none=kind))
        for kind in result.labels("kind_or_none")
    }
    alone, shares, differences = (
        {kind: _written(result.tensor(name, *block_curve, kind=kind)) for kind in kinds}
        for name in ("alone", "shares", "differences")
    )
    own = float(result.tensor("blocks_own"))
    blocks = BlockTimes(s.blocks, where, whole, alone, shares, differences, own)
    return Costs(kernels, blocks, result.header.made_with)


def _written(values: Float[Tensor, "*shape 3"]) -> Any:
    return rounded_tuples(values, DIGITS)
