"""Many networks in one module: one for every norm and every value of the varied setting."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

EPS = 1e-5
MOMENTUM = 0.1
UNITS = 16
NORMS = ("none", "batch", "layer", "rms")
"""Keys of `lnviz.norms.CATALOGUE`."""
GAINED, BIASED = ("batch", "layer", "rms"), ("batch", "layer")
"""Those with gains, and with biases, as PyTorch has them."""
BIAS_BEFORE = ("none", "layer", "rms")
"""Those before which a bias matters; BatchNorm would subtract it again."""


class StackedBatchNorm(nn.Module):
    """BatchNorm without gain and bias, for many networks computed at once.

    Args:
        sizes: number of distinct examples in each network's batch; within a batch, each is repeated
            equally often.
        units: number of features.
    """

    mean: Tensor
    var: Tensor
    unbiased: Tensor

    def __init__(self, sizes: Int[Tensor, " A"], units: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(len(sizes), 1, units))
        self.register_buffer("var", torch.ones(len(sizes), 1, units))
        self.register_buffer("unbiased", (sizes / (sizes - 1))[:, None, None])

    def forward(self, a: Float[Tensor, "A B D"]) -> Float[Tensor, "A B D"]:
        """Normalize each feature; in training, with statistics of each network's own batch."""
        if not self.training:
            return (a - self.mean) * (self.var + EPS).rsqrt()
        # Over the last dimension PyTorch has it in one piece.
        y, mean, scale = torch.native_layer_norm(a.mT, a.shape[-2:-1], None, None, EPS)
        mean, var = mean.detach().mT, scale.detach().mT ** -2 - EPS
        self.mean.copy_(self.mean.lerp(mean, MOMENTUM))
        # PyTorch's variance there is the unbiased one.
        self.var.copy_(self.var.lerp(var * self.unbiased, MOMENTUM))
        return y.mT


class Networks(nn.Module):
    r"""All networks with one seed and learning rate, by norm and axis value; the deepest come last.

    A layer of a plain stack returns $\max(0, g \odot \mathrm{norm}(W x + b) + c)$. A Pre-norm
    residual block returns $x + \max(0, W (g \odot \mathrm{norm}(x) + c) + b)$; before the first, a
    linear layer without bias, the stem, maps the two inputs to the units. If a norm has no gain g,
    it stays at 1; missing biases b and c stay at 0. The output layer has one logit, above 0 for
    class 1. Initial weights are the same for every norm and axis value: normal with variance
    2 / inputs (He et al. 2015), and 1 / inputs in the output layer.

    Args:
        norms: a selection from `NORMS`.
        depths: number of hidden layers at each axis value, ascending.
        scales: initialization scale at each axis value.
        batches: number of distinct examples in a batch at each axis value.
        bias: whether layers have a bias before the norm; without a norm they always do.
        residual: whether layers are Pre-norm residual blocks rather than a plain stack; they
            always have a bias after the weights.
    """

    has_bias: Tensor
    has_gain: Tensor
    has_shift: Tensor

    def __init__(
        self,
        norms: Sequence[str],
        depths: Sequence[int],
        scales: Sequence[float],
        batches: Sequence[int],
        bias: bool,
        residual: bool,
    ) -> None:
        super().__init__()
        self.norms, self.depths, self.residual = tuple(norms), tuple(depths), residual
        networks = (len(norms), len(depths))
        head = torch.randn(UNITS, 1) / math.sqrt(UNITS)
        self.head = nn.Parameter(head.repeat(*networks, 1, 1))
        self.head_bias = nn.Parameter(torch.zeros(*networks, 1, 1))
        factors, sizes = torch.tensor(scales)[:, None, None], torch.tensor(batches)
        self.weights, self.statistics = nn.ParameterList(), nn.ModuleList()
        if residual:
            self.stem = nn.Parameter(torch.randn(2, UNITS).repeat(*networks, 1, 1))
        first = UNITS if residual else 2
        for layer, inputs in enumerate([first, *[UNITS] * (depths[-1] - 1)]):
            drawn = math.sqrt(2 / inputs) * torch.randn(inputs, UNITS)
            deep = factors[self._first(layer) :] * drawn
            self.weights.append(nn.Parameter(deep.repeat(len(norms), 1, 1, 1)))
            self.statistics.append(StackedBatchNorm(sizes[self._first(layer) :], UNITS))
        of_units = (depths[-1], *networks, 1, UNITS)
        self.bias = nn.Parameter(torch.zeros(of_units))
        self.gain = nn.Parameter(torch.ones(of_units))
        self.shift = nn.Parameter(torch.zeros(of_units))
        for name, those in (
            ("has_bias", norms if residual else BIAS_BEFORE if bias else ("none",)),
            ("has_gain", GAINED),
            ("has_shift", BIASED),
        ):
            has = torch.tensor([norm in those for norm in norms])
            self.register_buffer(name, has.view(-1, 1, 1, 1))

    def _first(self, layer: int) -> int:
        """Return the index on the axis of the shallowest networks with the given hidden layer."""
        return sum(depth <= layer for depth in self.depths)

    def forward(
        self, x: Float[Tensor, "*A B 2"]
    ) -> tuple[Float[Tensor, "norms A B"], list[Float[Tensor, "norms deep B D"]]]:
        """Return every network's output for each example, and each hidden layer's activations.

        Activations are the outputs of ReLU, before a residual block adds its input. The tensor of a
        layer holds only the networks that are deep enough to have that layer.
        """
        biases = self.bias.where(self.has_bias, 0)
        gains = self.gain.where(self.has_gain, 1)
        shifts = self.shift.where(self.has_shift, 0)
        own = zip(self.weights, self.statistics, biases, gains, shifts, strict=True)
        h = x @ self.stem if self.residual else x
        shown, last, first = [], [], 0
        for layer, (weight, statistics, bias, gain, shift) in enumerate(own):
            now = self._first(layer)
            if now > first:
                last.append(h[:, : now - first])
                h = h[:, now - first :]
            bias, gain, shift = bias[:, now:], gain[:, now:], shift[:, now:]
            if self.residual:
                y = self._norms(h, statistics)
                units = torch.relu(torch.addcmul(shift, y, gain) @ weight + bias)
                h = h + units
            else:
                y = self._norms(h @ weight + bias, statistics)
                h = units = torch.relu(torch.addcmul(shift, y, gain))
            first = now
            shown.append(units)
        return (torch.cat([*last, h], 1) @ self.head + self.head_bias)[..., 0], shown

    def _norms(
        self, a: Float[Tensor, "norms A B D"], statistics: nn.Module
    ) -> Float[Tensor, "norms A B D"]:
        """Normalize each network's values with its norm, without gain and bias."""
        found = [
            _normalized(*each, statistics) for each in zip(self.norms, a.unbind(), strict=True)
        ]
        return torch.stack(found)


def _normalized(
    norm: str, a: Float[Tensor, "A B D"], statistics: nn.Module
) -> Float[Tensor, "A B D"]:
    """Normalize pre-activations with the given norm, without gain and bias."""
    if norm == "batch":
        y: Tensor = statistics(a)
    elif norm == "layer":
        y = nn.functional.layer_norm(a, a.shape[-1:], eps=EPS)
    elif norm == "rms":
        y = nn.functional.rms_norm(a, a.shape[-1:], eps=EPS)
    else:
        y = a
    return y
