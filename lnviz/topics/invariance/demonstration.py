"""A detailed view of one table entry: a small layer before and after a transformation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from lnviz.data.examples import worked_example
from lnviz.device import device
from lnviz.norms import CATALOGUE, Norm
from lnviz.norms.arguments import check_eps
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.invariance.arguments import (
    as_data,
    as_strengths,
    reason_not_applicable,
    require,
    require_sizes,
)
from lnviz.topics.invariance.layers import ACTIVATIONS, RandomLayers, preactivations
from lnviz.topics.invariance.transformations import TRANSFORMATIONS, largest_change

ROUNDING = 1e-9
"""Differences below this fraction of the largest value are float64 rounding."""


@dataclass(frozen=True, eq=False)
class LayerPass:
    """Forward pass of a small layer: all intermediate values; leading dimensions are allowed.

    Statistics are repeated for every cell of their group.

    Attributes:
        data: x, one row per example.
        weight: W, one row per unit.
        summed: a.
        mean: mu.
        var: sigma squared, without epsilon.
        outputs: h.
        flat: cells of constant groups, where 0/0 is shown as 0.
    """

    data: Float[Tensor, "*strengths N I"]
    weight: Float[Tensor, "*strengths H I"]
    summed: Float[Tensor, "*strengths N H"]
    mean: Float[Tensor, "*strengths N H"]
    var: Float[Tensor, "*strengths N H"]
    outputs: Float[Tensor, "*strengths E N H"]
    flat: Bool[Tensor, "*strengths N H"]


@dataclass(frozen=True)
class Note:
    """A note on something not visible in the figure, with the strengths at which it holds.

    Attributes:
        kind: "zero outputs" (every output was 0 before), "turned" (normalized values change sign),
            or the reason why a group is constant: it has a single value ("alone"), its weights are
            0 ("weights"), or its pre-activations are 0 ("summed") or equal ("equal").
        strengths: the strengths at which it holds, for every epsilon.
        groups: the constant groups.
        is_before: whether it concerns only the layer before the transformation.
    """

    kind: str
    strengths: tuple[float, ...]
    groups: str = ""
    is_before: bool = False


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A small layer before a transformation, and after the transformation at each strength.

    Attributes:
        norm: key of the norm.
        transformation: key of the transformation.
        strengths: S strengths, the leading dimension.
        eps: E epsilons, the next dimension where epsilon matters.
        before: the layer before the transformation.
        after: the layer after the transformation.
        change: the largest relative change of an output.
        mean_moved: mask of the cells whose mean the transformation changes.
        var_moved: mask of the cells whose variance the transformation changes.
        groups: ids of the cells that share statistics.
        notes: the remarks.
    """

    norm: str
    transformation: str
    strengths: tuple[float, ...]
    eps: tuple[float, ...]
    before: LayerPass
    after: LayerPass
    change: Float[Tensor, "S E"]
    mean_moved: Bool[Tensor, "S N H"]
    var_moved: Bool[Tensor, "S N H"]
    groups: Int[Tensor, "N H"]
    notes: tuple[Note, ...]


def demonstrate(
    norm: str,
    transformation: str,
    *,
    strengths: Sequence[float],
    eps: Sequence[float],
    units: int = 6,
    data: Shaped[Tensor, "..."] | None = None,
    activation: str = "identity",
    seed: int = 0,
) -> Demonstration:
    r"""Compute a small layer before and after a transformation, for many strengths and epsilons.

    $$h = f\Big(\frac{a - \mu}{\sqrt{\sigma^2 + \epsilon}}\Big), \quad a = W x$$

    For readability, the gain is 1 and the bias 0, and weights and re-centering vectors have one
    decimal. If a group is constant, as it is at strength 0, 0/0 is shown as 0, with a note.

    Args:
        norm: a key of the catalogue.
        transformation: a key of `TRANSFORMATIONS`.
        strengths: factors, or multiples of the added vector, of any sign.
        eps: values added to the variance, each 0 or more.
        units: H.
        data: examples x inputs; by default the worked example.
        activation: f, a key of `ACTIVATIONS`.
        seed: seed of the weights.

    Returns:
        The layer before and after, in float64, and the differences.

    Raises:
        TypeError: data is not floating point.
        ValueError: a name, size, strength or epsilon is invalid, the data are empty, not finite or
            not examples x inputs, squares of pre-activations overflow, or the norm does not
            apply to this layer.

    Source: Ba, Kiros and Hinton 2016, section 5.1, equations 5 to 7.

    >>> shown = demonstrate("layer", "case_rescale", strengths=[-1.0, 0.0, 2.0], eps=[0.0])
    >>> shown.after.summed.shape, shown.after.outputs.shape
    (torch.Size([3, 4, 6]), torch.Size([3, 1, 4, 6]))
    >>> [round(change, 2) for change in shown.change.flatten().tolist()]
    [1.62, 0.81, 0.0]
    """
    require("norm", norm, CATALOGUE)
    require("transformation", transformation, TRANSFORMATIONS)
    require("activation", activation, ACTIVATIONS)
    require_sizes(units=units)
    at = as_strengths(strengths)
    if not eps:
        raise ValueError("eps must hold at least one epsilon, got none.")
    for epsilon in eps:
        check_eps(epsilon)
    if why := reason_not_applicable(norm, 1):
        raise ValueError(why)
    values = as_data(worked_example().values if data is None else data)
    if values.shape[1] > 1:
        raise ValueError(
            f"A demonstration takes cases x inputs, got shape {tuple(values.shape)}. "
            f"Join the places and inputs of a case with data.flatten(1)."
        )

    applied = CATALOGUE[norm]
    layer = _draw(units, values, seed).to(device(), torch.float64)
    swept = torch.tensor(tuple(eps), dtype=torch.float64, device=device())
    before = _evaluate(applied, layer, swept, activation)
    moved = layer.transformed(transformation, at.to(device()))
    after = _evaluate(applied, moved, swept, activation)
    return Demonstration(
        norm=norm,
        transformation=transformation,
        strengths=tuple(at.tolist()),
        eps=tuple(eps),
        before=before,
        after=after,
        change=largest_change(before.outputs, after.outputs),
        mean_moved=_moved(before.mean, after.mean, before.summed.abs().max()),
        var_moved=_moved(before.var, after.var, before.var.max()),
        groups=applied.groups((len(values), units), "ND"),
        notes=_notes(applied, transformation, before, after, at.tolist()),
    )


def _draw(units: int, values: Float[Tensor, "N P I"], seed: int) -> RandomLayers:
    """Draw random values with one decimal place, none of them 0."""
    generator = torch.Generator().manual_seed(seed)

    def decimals(*shape: int) -> Tensor:
        drawn = torch.randn(*shape, generator=generator, dtype=torch.float64)
        return torch.where(drawn < 0, -1, 1) * (10 * drawn).abs().clamp(min=1).round() / 10

    inputs = values.shape[-1]
    largest = float(values.abs().max()) or 1.0
    return RandomLayers(
        weight=decimals(units, inputs),
        gain=torch.ones(units, dtype=torch.float64),
        bias=torch.zeros(units, dtype=torch.float64),
        data=values,
        weight_shift=decimals(inputs),
        data_shift=decimals(inputs) * 10.0 ** math.floor(math.log10(largest)),
    )


def _evaluate(
    norm: Norm, layer: RandomLayers, eps: Float[Tensor, " E"], activation: str
) -> LayerPass:
    summed = preactivations(layer.data, layer.weight).squeeze(-2)  # ...,N,H
    swept = summed.unsqueeze(-3)  # ...,1,N,H
    weight = layer.weight.unsqueeze(-3)
    result = normalize_degenerate(norm, swept, "ND", eps=eps.view(-1, 1, 1), weight=weight)
    sweeps, cells = summed.shape[:-2], summed.shape[-2:]

    def each_cell(statistic: Tensor) -> Tensor:
        """Repeat a group's statistic for every value in the group."""
        return statistic.expand_as(swept).squeeze(-3)

    return LayerPass(
        data=layer.data.squeeze(-2).expand(*sweeps, -1, -1),
        weight=layer.weight.expand(*sweeps, -1, -1),
        summed=summed,
        mean=each_cell(result.mean),
        var=each_cell(result.var),
        outputs=ACTIVATIONS[activation](result.x_hat).expand(*sweeps, len(eps), *cells),
        flat=each_cell(result.constant),
    )


def _moved(
    before: Float[Tensor, "N H"], after: Float[Tensor, "S N H"], scale: Float[Tensor, ""]
) -> Bool[Tensor, "S N H"]:
    """Return a mask of the statistics that a transformation changes by more than rounding error."""
    return (after - before).abs() > ROUNDING * torch.maximum(scale, after.abs().amax())


def _notes(
    norm: Norm, transformation: str, before: LayerPass, after: LayerPass, strengths: list[float]
) -> tuple[Note, ...]:
    """Return notes on a demonstration, about things that are not visible in its figure."""
    notes = []
    if not bool(before.outputs.any()):
        notes.append(Note("zero outputs", tuple(strengths)))
    reasons = [_constant_groups(norm, flat) for flat in after.flat.cpu()]

    for own in dict.fromkeys(reasons):
        if own:
            at = (s for s, reason in zip(strengths, reasons, strict=True) if reason == own)
            notes.append(Note(own[0], tuple(at), own[1]))
    if first := _constant_groups(norm, before.flat.cpu()):
        at = (s for s, reason in zip(strengths, reasons, strict=True) if reason != first)
        notes.append(Note(first[0], tuple(at), first[1], is_before=True))
    negative = tuple(s for s in strengths if s < 0)
    rescales = TRANSFORMATIONS[transformation].kind != "recenter"
    if rescales and negative and norm.elementwise is None:
        turned = _turned(before, after).tolist()
        if all(t for s, t in zip(strengths, turned, strict=True) if s < 0):
            notes.append(Note("turned", negative))
    return tuple(note for note in notes if note.strengths)


def _turned(before: LayerPass, after: LayerPass) -> Bool[Tensor, " S"]:
    """Return a mask of the strengths at which normalized values change only in sign."""
    old, new = (
        ((p.summed - p.mean) / p.var.sqrt()).masked_fill(p.flat, 0.0) for p in (before, after)
    )
    same_size = (new.abs() - old.abs()).abs() <= ROUNDING * old.abs().amax()
    return same_size.all(-1).all(-1) & (new * old < 0).any(-1).any(-1)


def _constant_groups(norm: Norm, flat: Bool[Tensor, "N H"]) -> tuple[str, str] | None:
    """Return why some groups are constant (a kind of `Note`), and which groups are.

    Returns None if no group is constant.
    """
    if not bool(flat.any()):
        return None
    by_unit = "N" in norm.shared_axes
    hit = (flat.any(0 if by_unit else 1).nonzero().flatten() + 1).tolist()
    what = "unit" if by_unit else "example"
    who = f"{what}{'s' * (len(hit) > 1)} {', '.join(map(str, hit))}"
    if len(hit) == flat.shape[1 if by_unit else 0]:
        who = f"every {what}"
    if norm.center and int((norm.groups(flat.shape, "ND") == 0).sum()) == 1:
        return "alone", who
    if norm.from_weights:
        return "weights", who
    return ("equal" if norm.center else "summed"), who
