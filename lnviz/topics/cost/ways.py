"""Implementations of norms to compare in cost: unfused, PyTorch's function, and compiled."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional as F

from lnviz.norms import ALPHA

EPS = 1e-5

Kernel = Callable[..., Tensor]
"""A function of `(rows, width)` numbers and the norm's parameters, in the order of `parameters`."""


# PyTorch compiles these, and sees through no check of shapes: x is N,D, gain and bias are D.


def written_layer(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """Compute LayerNorm unfused, with one line of code per step of the formula."""
    mean = x.mean(-1, keepdim=True)  # N,1
    centered = x - mean
    var = centered.square().mean(-1, keepdim=True)  # N,1
    return centered / (var + EPS).sqrt() * gain + bias


def written_rms(x: Tensor, gain: Tensor) -> Tensor:
    """Compute RMSNorm unfused, with one line of code per step of the formula."""
    mean_square = x.square().mean(-1, keepdim=True)  # N,1
    return x / (mean_square + EPS).sqrt() * gain


def written_batch(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """Compute BatchNorm unfused, in training mode, without running averages."""
    mean = x.mean(0, keepdim=True)  # 1,D
    centered = x - mean
    var = centered.square().mean(0, keepdim=True)  # 1,D
    return centered / (var + EPS).sqrt() * gain + bias


def written_dyt(x: Tensor, alpha: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    """Compute Dynamic Tanh (DyT): scale, apply tanh, then apply gain and bias.

    Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622), algorithm 1.
    """
    return torch.tanh(alpha * x) * gain + bias


WRITTEN: Mapping[str, Kernel] = MappingProxyType(
    {"layer": written_layer, "rms": written_rms, "batch": written_batch, "dyt": written_dyt}
)
"""The unfused norms by key of the catalogue."""

FUNCTIONS: Mapping[str, Kernel] = MappingProxyType(
    {
        "layer": lambda x, gain, bias: F.layer_norm(x, gain.shape, gain, bias, EPS),
        "rms": lambda x, gain: F.rms_norm(x, gain.shape, gain, EPS),
        "batch": lambda x, gain, bias: F.batch_norm(
            x, None, None, gain, bias, training=True, eps=EPS
        ),
    }
)
"""PyTorch's function for each norm that has one. It may not be a single kernel: on the CPU,
`F.rms_norm` consists of several.
"""

WAYS: Mapping[str, str] = MappingProxyType(
    {"written": "written out", "function": "PyTorch's function", "compiled": "compiled"}
)
"""The implementations by key, with their descriptions."""


def parameters(norm: str, width: int, on: torch.device) -> tuple[Tensor, ...]:
    """Return a norm's initial parameters: alpha (DyT only), gain, bias (all but RMSNorm)."""
    gain = torch.ones(width, device=on)
    bias = torch.zeros(width, device=on)
    alpha = torch.tensor(ALPHA, device=on)
    learned = {"rms": (gain,), "dyt": (alpha, gain, bias)}.get(norm, (gain, bias))
    return tuple(each.requires_grad_() for each in learned)


def can_compile(on: torch.device) -> bool:
    """Return whether `torch.compile` works on a device; on the CPU, it needs a C++ compiler."""
    return on.type != "cpu" or any(shutil.which(name) for name in ("g++", "clang++", "cl"))


@cache
def _compiled(norm: str) -> Kernel:
    # One program for all widths: compiling for each of them would take minutes.
    kernel: Kernel = torch.compile(WRITTEN[norm], dynamic=True)
    return kernel


def kernel(norm: str, way: str) -> Kernel | None:
    """Return the implementation of a norm that a key of `WAYS` names, or None if there is none."""
    if norm not in WRITTEN or way not in WAYS:
        raise ValueError(
            f"Norms are run as {', '.join(WRITTEN)}, each {', '.join(WAYS)}; got {norm!r}, {way!r}."
        )
    if way == "compiled":
        return _compiled(norm)
    return (WRITTEN if way == "written" else FUNCTIONS).get(norm)
