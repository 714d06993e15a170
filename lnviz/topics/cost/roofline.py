"""Rooflines: what a device reaches, by how much one computes with each byte.

Source: Williams, Waterman and Patterson 2009 (Communications of the ACM 52:4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jaxtyping import Float
from torch import Tensor

from lnviz.topics.cost.block import NONE, operations
from lnviz.topics.cost.costs import Costs, stored_costs
from lnviz.topics.cost.kernels import COPY, must_move
from lnviz.topics.transformer.counts import OPERATIONS


@dataclass(frozen=True)
class Device:
    """A graphics card by its maker's data sheet, or a machine by what was measured on it.

    Attributes:
        label: the label as it is printed.
        bandwidth: the bandwidth of its memory, bytes a second.
        plain: additions and multiplications of float32 a second, on its ordinary units.
        matrix: the same of 16-bit numbers on its matrix units, for dense matrices.
        sixteen: the format of these 16 bits; empty where none was measured.
        source: where the numbers stand.
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
"""The cards by key. The sheets of H100 and H200 give twice the matrix units' number, for sparse
matrices."""


def device_from_costs(costs: Costs) -> Device:
    """Return what a stored measurement says of its machine.

    The bandwidth is that of copying the widest rows; the arithmetic is that of the widest block
    without norms, forward: additions and multiplications of its products by its whole time, in
    float32, which stands for 16 bits as well.
    """
    rows, width = costs.kernels.specification.rows, costs.kernels.specification.widths[-1]
    bandwidth = must_move(COPY, rows, width, both=False) / costs.kernels.copy[-1][1]
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
    r"""Return the operations a second that a device can reach.

    $$\min(\text{peak},\ \text{bandwidth} \cdot \text{intensity})$$

    Args:
        intensity: operations a byte.
        bandwidth: bytes a second.
        peak: operations a second.

    >>> import torch
    >>> attainable(torch.tensor([1.0, 1000.0]), 2.0, 100.0)
    tensor([  2., 100.])
    """
    return (bandwidth * intensity).clamp(max=peak)


def norm_operations(
    norm: str, rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
) -> Float[Tensor, "*sizes"]:
    """Return the additions and multiplications of a norm, forward."""
    return OPERATIONS[norm] * rows * width


def product_operations(
    rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
) -> Float[Tensor, "*sizes"]:
    r"""Return the operations of a product with a $D \times D$ matrix: $2ND^2$."""
    return 2 * rows * width.square()


def product_bytes(
    rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"], size: int
) -> Float[Tensor, "*sizes"]:
    """Return the bytes that such a product reads and writes once each: rows, matrix, result."""
    return size * (2 * rows * width + width.square())
