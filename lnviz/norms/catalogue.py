"""The catalogue of norms: all norms, all replacements for norms, and "no norm"."""

from collections.abc import Mapping
from types import MappingProxyType

import torch

from lnviz.norms.arguments import FEATURES, SPACE
from lnviz.norms.norm import Norm

NONE = Norm(
    key="none",
    label="no norm",
    equation="a_i",
    note="",
    shared_axes="",
    code="x",
    color=("#5F6775", "#A3ABB8"),
    elementwise=lambda x: x,
)
BATCH = Norm(
    key="batch",
    label="BatchNorm",
    equation=r"\frac{a_i - \mu_i}{\sigma_i}",
    note=(
        r", with $\mu_i$ and $\sigma_i$ over the examples, (1, D);"
        " for images, over N, H and W, (1, C, 1, 1)."
    ),
    shared_axes="NT" + SPACE,
    code="F.batch_norm(x, None, None, training=True)",
    color=("#B84F00", "#F08A3C"),
    dash="dash",
)
WEIGHT = Norm(
    key="weight",
    label="WeightNorm",
    equation=r"\frac{a_i}{\lVert w_i \rVert}",
    note=", with $w_i$ the weights of unit $i$; the lengths are (1, D).",
    shared_axes="NT" + SPACE,
    code="x / weight.norm(dim=1)",
    color=("#A44E82", "#CC79A7"),
    dash="dot",
    center=False,
    from_weights=True,
)
LAYER = Norm(
    key="layer",
    label="LayerNorm",
    equation=r"\frac{a_i - \mu}{\sigma}",
    note=r", with $\mu$ and $\sigma$ over the units of an example, (N, 1).",
    shared_axes=FEATURES + SPACE,
    code="F.layer_norm(x, x.shape[-1:])",
    color=("#0072B2", "#56B4E9"),
)
RMS = Norm(
    key="rms",
    label="RMSNorm",
    equation=r"\frac{a_i}{\sqrt{\frac1H \sum_j a_j^2}}",
    note="; the root mean squares are (N, 1).",
    shared_axes=FEATURES + SPACE,
    code="F.rms_norm(x, x.shape[-1:], eps=1e-5)",
    color=("#007A58", "#2CC295"),
    dash="dashdot",
    center=False,
)
INSTANCE = Norm(
    key="instance",
    label="InstanceNorm",
    equation=r"\frac{a_i - \mu_{ni}}{\sigma_{ni}}",
    note=", over the positions of a channel of image $n$, (N, C, 1, 1).",
    shared_axes="T" + SPACE,
    code="F.instance_norm(x)",
    color=("#1E79A7", "#8CCBF0"),
    dash="longdashdot",
)

ALPHA = 0.5
"""The initial value of DyT's factor. Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622).
"""

DYT = Norm(
    key="dyt",
    label="DyT",
    equation=r"\tanh(\alpha a_i)",
    note=r", with one learned $\alpha$ and no statistics.",
    shared_axes="",
    code=f"torch.tanh({ALPHA} * x)",
    color=("#6A51A3", "#B9A6F2"),
    dash="dot",
    elementwise=lambda x: torch.tanh(ALPHA * x),
    successor=True,
)
DERF = Norm(
    key="derf",
    label="Derf",
    equation=r"\mathrm{erf}(\alpha a_i + s)",
    note=r", with learned $\alpha$ and $s$ and no statistics.",
    shared_axes="",
    code=f"torch.erf({ALPHA} * x)",
    color=("#7A4B32", "#D9A98A"),
    dash="dash",
    elementwise=lambda x: torch.erf(ALPHA * x),
    successor=True,
)
"""Derf with s = 0. Source: Chen, Lu, Zhu, Sun and Liu 2025 (arXiv 2512.10938)."""

SLOPE = 0.1
"""AdaNorm's k. Source: Xu, Sun, Zhang, Zhao and Lin 2019 (arXiv 1911.07013)."""

ADA = Norm(
    key="ada",
    label="AdaNorm",
    equation=r"(1 - k \hat a_i)\, \hat a_i, \quad \hat a_i = \frac{a_i - \mu}{\sigma}",
    note=", where the factor in parentheses is treated as a constant in the backward pass.",
    shared_axes=FEATURES + SPACE,
    code=f"(1 - {SLOPE} * F.layer_norm(x, x.shape[-1:])) * F.layer_norm(x, x.shape[-1:])",
    color=("#A02C3B", "#F2959F"),
    dash="dot",
    self_gate=lambda x_hat: 1 - SLOPE * x_hat,
    successor=True,
)
"""AdaNorm with its constant C = 1. The authors' code uses the unbiased variance."""

POWER = Norm(
    key="power",
    label="PowerNorm",
    equation=r"\frac{a_i}{\psi_i}",
    note=r", with $\psi_i^2$ a running mean of squares over the examples, (1, D).",
    shared_axes="NT" + SPACE,
    code="x / (x.square().mean(0) + 1e-5).sqrt()",
    color=("#7A6A00", "#D6C64A"),
    dash="12px,4px,4px,4px,4px,4px",
    center=False,
    successor=True,
)
r"""PowerNorm with $\psi^2$ of the current batch. The paper's final version uses a running mean of
squares, which can be passed as `var=`. Source: Shen, Yao, Gholami, Mahoney and Keutzer 2020 (arXiv
2003.07845).
"""

SCALE = Norm(
    key="scale",
    label="ScaleNorm",
    equation=r"\sqrt H \frac{a_i}{\lVert a \rVert}",
    note=", with one gain for all units; the lengths are (N, 1).",
    shared_axes=FEATURES + SPACE,
    code="x.shape[-1] ** 0.5 * F.normalize(x, dim=-1)",
    color=("#4C7A1E", "#9CCB62"),
    dash="4px,8px",
    center=False,
    one_gain=True,
    successor=True,
)
r"""The square root of H is the initial value of its single gain in the authors' code; here, epsilon
is added to the mean square, as in RMSNorm. Source: Nguyen and Salazar 2019 (arXiv 1910.05895).
"""


def group_norm(groups: int) -> Norm:
    """Return GroupNorm with `groups` groups of adjacent features.

    With one group it is LayerNorm; on images, with one group per channel, it is InstanceNorm.

    Args:
        groups: number of groups, at least 1; must divide the number of features.

    Returns:
        The norm.

    Raises:
        ValueError: `groups` is less than 1.

    Source: Wu and He 2018 (arXiv 1803.08494), section 3.

    >>> group_norm(2).apply(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), "ND").mean
    tensor([[ 2.,  2., 20., 20.]])
    """
    if groups < 1:
        raise ValueError(f"GroupNorm needs at least 1 group, but got {groups}.")
    return Norm(
        key="group",
        label="GroupNorm",
        equation=r"\frac{a_i - \mu_{k(i)}}{\sigma_{k(i)}}",
        note=(
            ", with $k(i)$ the group of channel $i$;"
            " for images, over C/G channels, H and W, (N, G)."
        ),
        shared_axes=FEATURES + SPACE,
        code=f"F.group_norm(x, {groups})",
        color=("#946300", "#E69F00"),
        dash="longdash",
        group_count=groups,
    )


GROUP = group_norm(2)
"""GroupNorm with two groups, as in the catalogue. `group_norm` returns it with any number of
groups.
"""

CATALOGUE: Mapping[str, Norm] = MappingProxyType(
    {
        norm.key: norm
        for norm in (
            *(NONE, BATCH, WEIGHT, LAYER, RMS, SCALE, ADA, GROUP),
            *(INSTANCE, POWER, DYT, DERF),
        )
    }
)
"""The norms by key, in the order of the tables. GroupNorm has two groups.

Adding an entry adds a norm everywhere: tables, formulas, colors, `lnviz invariance` and the tests
read the catalogue.
"""
