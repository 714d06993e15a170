"""The vectors computed in one time step of a gated cell, concatenated across its gates."""

from __future__ import annotations

import torch
from torch import Tensor

from lnviz.norms import Normalized
from lnviz.topics.recurrence.cell_steps import GRUStep, LSTMStep, ProjectionSum
from lnviz.topics.recurrence.stepnorm import StepNorm
from lnviz.topics.recurrence.wiring import Wiring

STATISTIC = ("mean", "std", "gain", "bias", "y")
NORMED = (
    *("from_input", "from_state", "raw", "total", "gates"),
    *(f"{key} {what}" for key in ("ih", "hh", "sum") for what in STATISTIC),
)


def projection_sums(wired: Wiring) -> tuple[ProjectionSum, ...]:
    """Return the projection sums of a time step: for the gates, and for a GRU's candidate."""
    step = wired.step
    return (step.joined,) if isinstance(step, LSTMStep) else (step.gates, step.new)


def vectors(wired: Wiring) -> dict[str, Tensor]:
    """Return the vectors of a time step by name, one row per input scale; NaN for missing norms.

    Args:
        wired: the time step.

    Returns:
        The vectors named in `NORMED`, with the gates concatenated, and the new state `"h"`; for an
        LSTM also the new cell state `"c"`, with `"cell mean"` and other values of its norm.

    >>> from lnviz.topics.recurrence import wiring
    >>> wired = vectors(wiring(torch.tensor([1.0, 100.0]), units=4))
    >>> wired["gates"].shape, wired["h"].shape
    (torch.Size([2, 16]), torch.Size([2, 4]))
    """
    step, sums = wired.step, projection_sums(wired)
    first, second = (
        torch.cat([getattr(each, name) for each in sums], -1)
        for name in ("from_input", "from_state")
    )
    values = {"from_input": first, "from_state": second}
    modules = dict(wired.cell.named_children())
    for key, name in (("ih", "norm_ih"), ("hh", "norm_hh"), ("sum", "norm_sum")):
        for what in STATISTIC:
            parts = [
                _part(getattr(each, name), modules.get(name + end), each.from_input, what)
                for each, end in zip(sums, ("", "_new"), strict=False)
            ]
            values[f"{key} {what}"] = torch.cat(parts, -1)
    separate = sums[0].norm_sum is None
    a, b = (values["ih y"], values["hh y"]) if separate else (first, second)
    if isinstance(step, GRUStep):
        # The reset gate stands between the state's part and the candidate.
        b = torch.cat([b[:, : -step.r.shape[-1]], step.r * b[:, -step.r.shape[-1] :]], -1)
        gates = [step.r, step.z, step.n]
    else:
        gates = [step.i, step.f, step.g, step.o]
        values["c"] = step.c
        for what in STATISTIC:
            values[f"cell {what}"] = _part(step.norm_cell, modules.get("norm_cell"), step.c, what)
    return values | {
        "raw": a + b,
        "total": torch.cat([each.total for each in sums], -1),
        "gates": torch.cat(gates, -1),
        "h": step.h,
    }


def _part(
    norm: Normalized | None, module: torch.nn.Module | None, like: Tensor, what: str
) -> Tensor:
    if norm is None or not isinstance(module, StepNorm) or module.bias is None:
        return torch.full_like(like, torch.nan)
    value = {
        "mean": norm.mean,
        "std": norm.var.sqrt(),
        "gain": module.weight.detach(),
        "bias": module.bias.detach(),
        "y": norm.y,
    }[what]
    return value.expand_as(like)
