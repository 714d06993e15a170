"""Roofline model: the attainable performance of a device at a given arithmetic intensity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jaxtyping import Float
from torch import Tensor

from lnviz.topics.cost.block import NONE, operations
from lnviz.topics.cost.costs import Costs, stored_costs
from lnviz.topics.cost.kernels import COPY, minimal_bytes
from lnviz.topics.transformer.counts import OPERATIONS


@dataclass(frozen=True)
class Device:
    """Bandwidth and peak performance of a device, from a data sheet or from measurements.

    Attributes:
        label: printed name.
        bandwidth: memory bandwidth in bytes per second.
        plain: float32 operations per second on ordinary cores, without matrix units.
        matrix: 16-bit operations per second on the matrix units, for dense matrices.
        sixteen: the 16-bit format; empty if it was not measured.
        source: a citation for the values.
    """

    label: str
    bandwidth: float
    plain: float
    matrix: float
    sixteen: str
    source: str


CARDS: Mapping[str, Device] = MappingProxyType(
    {
        "v100": Device("V100 (SXM2)", 900e9, 15.7e12, 125e12, "float16", "NVIDIA V100 data sheet"),
        "a100": Device(
            "A100 80GB (SXM)",
            2039e9,
            19.5e12,
            312e12,
            "bfloat16",
            "NVIDIA A100 data sheet",
        ),
        "h100": Device("H100 (SXM)", 3.35e12, 67e12, 989e12, "bfloat16", "NVIDIA H100 data sheet"),
        "h200": Device("H200 (SXM)", 4.8e12, 67e12, 989e12, "bfloat16", "NVIDIA H200 data sheet"),
    }
)
"""The cards by key. The data sheets of H100 and H200 list the matrix units' performance for sparse
matrices, which is twice that for dense ones.
"""


def device_from_costs(costs: Costs) -> Device:
    """Derive a machine's bandwidth and peak performance from its stored cost measurements.

    The bandwidth is measured by copying the widest rows. The peak performance is measured on the
    forward pass of the widest block without norms: the operations of its matrix products, divided
    by the block's whole time. It is in float32, and is used for 16 bits as well.
    """
    rows, width = costs.kernels.specification.rows, costs.kernels.specification.widths[-1]
    bandwidth = minimal_bytes(COPY, rows, width, both=False) / costs.kernels.copy[-1][1]
    s = costs.blocks.specification
    done = float(operations(s.tokens, s.widths).maps[-1])
    speed = done / costs.blocks.whole[NONE][0][-1][1]
    source = "measured: a copy, and a block without norms"
    return Device(costs.kernels.machine.words, bandwidth, speed, speed, "", source)


DEVICES: Mapping[str, Device] = MappingProxyType(
    dict(CARDS)
    | {f"stored-{kind}": device_from_costs(each) for kind, each in stored_costs().items()}
)
"""The cards, and the machines of the stored measurements."""


def attainable(
    intensity: Float[Tensor, "*sizes"], bandwidth: float, peak: float
) -> Float[Tensor, "*sizes"]:
    r"""Return the operations per second that the roofline model allows at an arithmetic intensity.

    $$\min(\text{peak},\ \text{bandwidth} \cdot \text{intensity})$$

    Args:
        intensity: operations per byte.
        bandwidth: bytes per second.
        peak: operations per second.

    >>> import torch
    >>> attainable(torch.tensor([1.0, 1000.0]), 2.0, 100.0)
    tensor([  2., 100.])
    """
    return (bandwidth * intensity).clamp(max=peak)


def norm_operations(
    norm: str, rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
) -> Float[Tensor, "*sizes"]:
    """Return the number of additions and multiplications in a norm's forward pass."""
    return OPERATIONS[norm] * rows * width


def product_operations(
    rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
) -> Float[Tensor, "*sizes"]:
    r"""Return the number of operations of N rows times a $D \times D$ matrix: $2ND^2$."""
    return 2 * rows * width.square()


def product_bytes(
    rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"], size: int
) -> Float[Tensor, "*sizes"]:
    """Return the bytes moved by the product of an N x D matrix and a D x D matrix.

    The rows, the matrix and the result are moved once each.
    """
    return size * (2 * rows * width + width.square())
