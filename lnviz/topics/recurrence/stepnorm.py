"""The norm inside one time step of a recurrent network."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.norms import BATCH, LAYER, RMS, Norm, Normalized, normalize

NORMS: dict[str, Norm] = {norm.key: norm for norm in (LAYER, RMS, BATCH)}
"""The norms of a cell by key; `"none"` is no norm."""

MOMENTUM = 0.1
"""Weight of a batch in the running statistics, PyTorch's default."""


class StepNorm(nn.Module):
    r"""A norm inside a recurrent time step; its gain and bias are shared by all time steps.

    $$y^t = \gamma \odot \frac{x^t - \mu^t}{\sqrt{(\sigma^t)^2 + \epsilon}} + \beta$$

    LayerNorm and RMSNorm compute the statistics of each example over its units, from scratch at
    every step. BatchNorm computes them over the examples, per unit and step, and keeps running
    averages for each step. In evaluation, step t uses the running mean and variance of step t, or
    those of step `steps` if t is beyond it.

    Args:
        units: D, number of features.
        norm: `"layer"`, `"rms"` or `"batch"`.
        groups: number of equal groups of features that LayerNorm and RMSNorm normalize separately.
        gain: initial value of `weight`.
        bias: whether there is a bias.
        eps: added to the variance.
        steps: number of steps with running statistics in BatchNorm.

    Raises:
        ValueError: the norm is unknown, `groups` does not divide `units`, a group has a single
            unit, BatchNorm has no `steps`, or another norm has `steps` or BatchNorm has `groups`.

    Source: Ba, Kiros and Hinton 2016, equations 15 and 16; Cooijmans et al. 2016 (arXiv
        1603.09025) for BatchNorm. Running statistics are updated as in `nn.BatchNorm1d`.

    >>> StepNorm(2, "layer", eps=0.0)(torch.tensor([[1.0, 3.0]])).y
    tensor([[-1.,  1.]], grad_fn=<AddcmulBackward0>)
    """

    bias: nn.Parameter | None
    running_mean: Tensor
    running_var: Tensor

    def __init__(
        self,
        units: int,
        norm: str,
        *,
        groups: int = 1,
        gain: float = 1.0,
        bias: bool = True,
        eps: float = 1e-5,
        steps: int | None = None,
    ) -> None:
        super().__init__()
        if norm not in NORMS:
            raise ValueError(f"A norm is one of {', '.join(NORMS)}; got {norm!r}.")
        self.norm = NORMS[norm]
        if self.norm is BATCH and (steps is None or steps < 1):
            raise ValueError(
                f"BatchNorm remembers statistics for each step, got steps={steps}. "
                f"Give steps=, the length of the longest training sequence."
            )
        if self.norm is not BATCH and steps is not None:
            raise ValueError(
                f"{self.norm.label} remembers no statistics, got steps={steps}. Leave steps out."
            )
        if self.norm is BATCH and groups != 1:
            raise ValueError(
                f"BatchNorm takes statistics for each unit separately, got {groups} groups of "
                f"units. Leave groups out."
            )
        if groups < 1 or units % groups:
            raise ValueError(
                f"Groups of one size are needed, got {units} units for {groups} groups."
            )
        if self.norm is not BATCH and units == groups:
            raise ValueError(
                f"{self.norm.label} over a single unit leaves nothing of it but "
                f"{'its sign' if self.norm is RMS else 'zero'}, got {units} units in {groups} "
                f"groups. Use a hidden size of 2 or more."
            )
        self.groups, self.eps, self.steps = groups, eps, steps
        self.weight = nn.Parameter(torch.full((units,), gain))
        self.bias = nn.Parameter(torch.zeros(units)) if bias else None
        if steps is not None:
            self.register_buffer("running_mean", torch.zeros(steps, units))
            self.register_buffer("running_var", torch.ones(steps, units))

    def forward(self, x: Float[Tensor, "*cases D"], t: int = 0) -> Normalized:
        """Normalize the values of one time step.

        Args:
            x: examples x features, with any leading dimensions.
            t: index of the step, from 0; used for BatchNorm's running statistics only.

        Returns:
            The normalized values; `mean` and `var` broadcast against `x`. With several groups, they
            are repeated for every unit of their group.

        Raises:
            ValueError: BatchNorm in training has fewer than two examples or a step beyond `steps`.
        """
        if self.steps is not None:
            return self._over_cases(x, t, self.steps)
        if self.groups == 1:
            return normalize(
                x, -1, center=self.norm.center, gain=self.weight, bias=self.bias, eps=self.eps
            )
        cut = x.unflatten(-1, (self.groups, -1))  # ...,G,D/G
        gain = self.weight.view(cut.shape[-2:])
        bias = None if self.bias is None else self.bias.view(cut.shape[-2:])
        part = normalize(cut, -1, center=self.norm.center, gain=gain, bias=bias, eps=self.eps)
        mean, var = (each.expand_as(cut).flatten(-2) for each in (part.mean, part.var))
        return Normalized(mean, var, part.x_hat.flatten(-2), part.y.flatten(-2))

    def _over_cases(self, x: Tensor, t: int, steps: int) -> Normalized:
        if not self.training:
            at = min(t, steps - 1)
            return self._of_cases(x, self.running_mean[at], self.running_var[at])
        if t >= steps:
            raise ValueError(
                f"BatchNorm remembers the statistics of {steps} steps, got step {t + 1} in "
                f"training. Give a larger steps=; at evaluation the last step's are used again."
            )
        if x.dim() != 2 or len(x) < 2:
            raise ValueError(
                f"BatchNorm in training needs cases x units and at least two cases, since one "
                f"case minus its own mean is zero; got shape {tuple(x.shape)}."
            )
        result = self._of_cases(x)
        with torch.no_grad():
            # Written out, since vmap has no batching rule for lerp_.
            for running, seen in (
                (self.running_mean[t], result.mean[0]),
                (self.running_var[t], result.var[0] * len(x) / (len(x) - 1)),
            ):
                running.mul_(1 - MOMENTUM).add_(seen, alpha=MOMENTUM)
        return result

    def _of_cases(
        self, x: Tensor, mean: Tensor | None = None, var: Tensor | None = None
    ) -> Normalized:
        return normalize(x, -2, gain=self.weight, bias=self.bias, eps=self.eps, mean=mean, var=var)

    def extra_repr(self) -> str:
        """Return the module's arguments, which PyTorch prints in its representation."""
        groups = f" in {self.groups} groups" if self.groups > 1 else ""
        return f"{self.norm.label}, {len(self.weight)} units{groups}, eps={self.eps}"
