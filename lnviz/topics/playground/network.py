"""Networks side by side: every norm and every place on an axis, in one model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

EPS = 1e-5
MOMENTUM = 0.1
UNITS = 16
NORMS = ("none", "batch", "layer", "rms")
"""Keys of `lnviz.norms.CATALOGUE`."""


class Place(nn.Module):
    """A norm as PyTorch has it, for networks side by side: gains, and biases but for RMSNorm.

    BatchNorm's statistics in training are means over the cases of a batch with weights, so that
    networks with batches of several sizes stand side by side.
    """

    mean: Tensor
    var: Tensor

    def __init__(self, norm: str, networks: int, units: int) -> None:
        super().__init__()
        self.norm = norm
        if norm != "none":
            self.gain = nn.Parameter(torch.ones(networks, 1, units))
        if norm in ("batch", "layer"):
            self.bias = nn.Parameter(torch.zeros(networks, 1, units))
        if norm == "batch":
            self.register_buffer("mean", torch.zeros(networks, 1, units))
            self.register_buffer("var", torch.ones(networks, 1, units))

    def forward(
        self, a: Float[Tensor, "A B D"], weights: Float[Tensor, "A batch 1"]
    ) -> Float[Tensor, "A B D"]:
        """Normalize the summed inputs; weights of the cases add up to 1 in each batch."""
        if self.norm == "none":
            return a
        if self.norm == "layer":
            y: Tensor = nn.functional.layer_norm(a, a.shape[-1:], eps=EPS) * self.gain + self.bias
            return y
        if self.norm == "rms":
            return a * (a.square().mean(-1, keepdim=True) + EPS).rsqrt() * self.gain
        if self.training:
            mean = (weights * a).sum(-2, keepdim=True)
            var = (weights * (a - mean).square()).sum(-2, keepdim=True)
            self._keep(mean.detach(), var.detach(), weights)
        else:
            mean, var = self.mean, self.var
        return (a - mean) * ((var + EPS).rsqrt() * self.gain) + self.bias

    def _keep(self, mean: Tensor, var: Tensor, weights: Tensor) -> None:
        """Let the running statistics follow; PyTorch's variance there is the unbiased one."""
        unbiased = var / (1 - weights.square().sum(-2, keepdim=True))
        self.mean.mul_(1 - MOMENTUM).add_(MOMENTUM * mean)
        self.var.mul_(1 - MOMENTUM).add_(MOMENTUM * unbiased)


class Tower(nn.Module):
    r"""Networks under one norm, one for each place on the axis, the deepest last.

    A layer is $h = \max(0, \mathrm{norm}(W h + b))$; the last one gives one number for a case,
    above 0 for class 1.
    """

    def __init__(
        self,
        norm: str,
        depths: Sequence[int],
        scales: Float[Tensor, " A"],
        bias: bool,
        start: Start,
    ) -> None:
        super().__init__()
        self.depths = tuple(depths)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        self.norms = nn.ModuleList()
        for layer in range(depths[-1]):
            deep = scales[self._first(layer) :]
            drawn = start.layers[layer]
            self.weights.append(nn.Parameter(deep[:, None, None] * drawn))
            if norm == "none" or (bias and norm != "batch"):
                self.biases.append(nn.Parameter(torch.zeros(len(deep), 1, drawn.shape[1])))
            self.norms.append(Place(norm, len(deep), drawn.shape[1]))
        self.head = nn.Parameter(start.head.repeat(len(scales), 1, 1))
        self.head_bias = nn.Parameter(torch.zeros(len(scales), 1, 1))

    def _first(self, layer: int) -> int:
        """The first network that has this layer, counted from 0."""
        return sum(depth <= layer for depth in self.depths)

    def forward(
        self, x: Float[Tensor, "B 2"], weights: Float[Tensor, "A batch 1"]
    ) -> tuple[Float[Tensor, "A B"], list[Tensor]]:
        """Return the number of each case, by the place on the axis, and what each layer puts out.

        A layer has its own dimension of networks: those that are deep enough.
        """
        h, shown, first = x, [], 0
        for layer, (weight, norm) in enumerate(zip(self.weights, self.norms, strict=True)):
            now = self._first(layer)
            h = h if layer == 0 else h[now - first :]
            a = h @ weight
            if self.biases:
                a = a + self.biases[layer]
            h, first = torch.relu(norm(a, weights[now:])), now
            shown.append(h)
        firsts = [*map(self._first, range(len(shown))), len(self.depths)]
        last = [h[: b - a] for h, a, b in zip(shown, firsts, firsts[1:], strict=False) if b > a]
        return (torch.cat(last) @ self.head + self.head_bias)[..., 0], shown


class Start:
    """What networks of one seed begin with, whatever their norm and their place on the axis.

    After He et al. 2015: normal, of variance 2 / inputs; the last layer's is 1 / inputs.
    """

    def __init__(self, layers: int, units: int = UNITS) -> None:
        self.head = torch.randn(units, 1) / math.sqrt(units)
        inputs = [2, *[units] * (layers - 1)]
        self.layers = [math.sqrt(2 / count) * torch.randn(count, units) for count in inputs]


class Networks(nn.Module):
    """All networks of one seed and learning rate: norms by places on the axis."""

    shares: Tensor

    def __init__(
        self,
        norms: Sequence[str],
        depths: Sequence[int],
        scales: Sequence[float],
        batches: Sequence[int],
        bias: bool,
    ) -> None:
        super().__init__()
        start = Start(depths[-1])
        factors = torch.tensor(scales)
        self.towers = nn.ModuleDict(
            {norm: Tower(norm, depths, factors, bias, start) for norm in norms}
        )
        sizes = torch.tensor(batches)[:, None]
        within = torch.arange(max(batches)) < sizes
        self.register_buffer("shares", (within / sizes)[..., None])  # A,B,1: in a batch

    def forward(self, x: Float[Tensor, "B 2"]) -> dict[str, tuple[Tensor, list[Tensor]]]:
        """Return what each norm's tower does."""
        return {norm: tower(x, self.shares) for norm, tower in self.towers.items()}
