"""Two axes: the batch-versus-feature grid."""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.batch.prefixes import prefixes
from lnviz.data.examples import Cases
from lnviz.explorable import (
    OWN,
    Choice,
    Explorable,
    Margin,
    Option,
    Pointer,
    Slider,
    Stepper,
    Swept,
    Switch,
    Whole,
)
from lnviz.lessons.axes.views import EPS, STEPS, views, written
from lnviz.lessons.inputs import DATA, SEED, cases, literal, swept
from lnviz.lessons.lesson import Figure
from lnviz.norms import BATCH, GROUP, LAYER, RMS, Norm, Normalized

SHOWN_CASES, SHOWN_UNITS = 16, 8
CODE_CELLS = 4096


def build(data: str = "worked", seed: int = 0, case: int = 1, feature: int = 1) -> Explorable:
    """Raw values beside normalized ones, for every norm, batch size and step."""
    source = cases(data, seed, units=SHOWN_UNITS)
    window = _window(source, case, feature)
    batch = source.values[window[0]]
    n, width = batch.shape
    gain, bias = _example_gain_and_bias(width)
    norms = _norms(width)
    shown = batch[:, window[1]]
    results = [_every_batch_size(norm, batch, gain, bias, window[1]) for norm in norms]
    inside = prefixes(shown).inside  # B,N,1

    def sheet(values: list[Float[Tensor, "..."]]) -> Float[Tensor, "norms B N shown"]:
        """One field of every norm, for every batch size, blank outside the batch."""
        full = torch.stack([v.expand(n, *shown.shape) for v in values])
        return torch.where(inside, full, torch.nan)

    mean, var = sheet([r.mean for r in results]), sheet([r.var for r in results])
    x_hat, y = sheet([r.x_hat for r in results]), sheet([r.y for r in results])
    centered = sheet([shown - r.mean for r in results])
    group_ids = torch.stack([norm.groups(batch.shape, "ND")[:, window[1]] for norm in norms]).to(
        batch.device
    )
    groups = torch.where(inside, group_ids[:, None], -1)
    steps = torch.stack([centered, centered.square(), x_hat, y], dim=2)

    size = float(shown.abs().max())
    places = written(size)
    # A batch of one has no variance whatever its numbers are; that has a sentence of its own.
    alone = torch.zeros(len(norms), n, 1, 1, dtype=torch.bool, device=var.device)
    alone[norms.index(BATCH), 0] = True
    flat = torch.where((var == 0) & ~alone, 1.0, torch.nan)

    per_cell = ("norm", "batch size", "cell")
    tensors = {
        "x": Swept(("cell",), shown.flatten(), places.stored),
        "mean": Swept(per_cell, mean.flatten(2), places.stored),
        "var": Swept(per_cell, var.flatten(2), places.stored),
        "centered": Swept(per_cell, centered.flatten(2), places.stored),
        "squared": Swept(per_cell, centered.square().flatten(2), places.stored),
        "x_hat": Swept(per_cell, x_hat.flatten(2), 4),
        "y": Swept(per_cell, y.flatten(2), 4),
        "flat": Swept(per_cell, flat.flatten(2), 0),
        "drawn": Swept(
            ("norm", "batch size", "step", "cell"), steps.flatten(3), places.stored and 2
        ),
        "groups": Swept(per_cell, groups.flatten(2), 0),
        "gain": Swept(("cell",), gain[window[1]].repeat(n), 2),
        "bias": Swept(("norm", "cell"), _biases(norms, bias[window[1]], n), 2),
        "gain row": Swept((), gain[window[1]], 2),
        "bias row": Swept(("norm",), torch.stack([bias[window[1]] * m.center for m in norms]), 2),
    }
    if source.pictures is not None:
        tensors["pictures"] = Swept((), source.pictures[window[0]], 4)
    margins = []
    for norm, norm_mean, norm_var in zip(norms, mean, var, strict=True):
        for margin, values in _margins(norm, norm_mean, norm_var, source, window[1]):
            tensors[margin.values] = Swept(("batch size",), values, places.stored and 2)
            margins.append(replace(margin, format=places.cells))

    controls = (
        Choice("norm", tuple(_option(norm, width) for norm in norms), "layer"),
        Slider.linear("batch size", 1, n, 1, n),
        Stepper(
            "step", tuple(Option(step, step, code=_step_code(step)) for step in STEPS), STEPS[2]
        ),
        Switch(
            "layout",
            (Option("rows", "Cases as rows"), Option("columns", "Cases as columns")),
            "rows",
        ),
        Pointer(
            "cell",
            source.case_labels[window[0]],
            source.unit_labels[window[1]],
            "feature",
            (0, 1),
        ),
    )
    return Explorable(
        title="Summed inputs, before and after normalization",
        controls=controls,
        tensors=tensors,
        views=views(n, tuple(margins), size, places, norms, source, window),
        code=_code(batch, gain, bias, data, window[0].start),
    )


def _window(source: Cases, case: int, feature: int) -> tuple[slice, slice]:
    """Rows and columns on the screen; a window that would hang over the edge is moved inside."""
    n, width = source.values.shape
    first_case = min(case - 1, max(0, n - SHOWN_CASES))
    first_unit = min(feature - 1, max(0, width - SHOWN_UNITS))
    return (
        slice(first_case, min(n, first_case + SHOWN_CASES)),
        slice(first_unit, min(width, first_unit + SHOWN_UNITS)),
    )


def _norms(width: int) -> tuple[Norm, ...]:
    """The norms on offer; a prime width has no GroupNorm, groups of one leave nothing."""
    halves = [count for count in (2, 3, 5, 7) if width % count == 0 and width > count]
    grouped = (GROUP(halves[0]),) if halves else ()
    return (BATCH, LAYER, *grouped, RMS)


def _every_batch_size(
    norm: Norm,
    batch: Float[Tensor, "N D"],
    gain: Float[Tensor, " D"],
    bias: Float[Tensor, " D"],
    units: slice,
) -> Normalized:
    """The units shown under a norm, for batch sizes 1 to N; only BatchNorm has a use for them."""
    bias = bias if norm.center else torch.zeros_like(bias)
    if norm is BATCH:
        # A unit of its own: those not shown play no part, and there may be many.
        part, gain, bias = batch[:, units], gain[units], bias[units]
        statistics = prefixes(part)
        mean, var = statistics.mean, statistics.var
        return norm.apply(part, "ND", gain=gain, bias=bias, eps=EPS, mean=mean, var=var)
    result = norm.apply(batch, "ND", gain=gain, bias=bias, eps=EPS)
    fields = (result.mean, result.var, result.x_hat, result.y)
    return Normalized(*(field.expand(batch.shape)[:, units] for field in fields))


def _example_gain_and_bias(width: int) -> tuple[Float[Tensor, " D"], Float[Tensor, " D"]]:
    """One gain and one bias a feature, as training would find them: different from each other."""
    index = torch.arange(width)
    gains, biases = swept((1.5, 0.5, 1.0, 2.0)), swept((0.0, 0.5, -0.5))
    return gains[index % 4], biases[index % 3]


def _biases(
    norms: tuple[Norm, ...], bias: Float[Tensor, " D"], n: int
) -> Float[Tensor, "norms cell"]:
    return torch.stack([bias * norm.center for norm in norms]).repeat(1, n)


def _margins(
    norm: Norm,
    mean: Float[Tensor, "B N D"],
    var: Float[Tensor, "B N D"],
    source: Cases,
    units: slice,
) -> list[tuple[Margin, Float[Tensor, "B length"]]]:
    """The statistics beside the grid: one number a group."""
    when = {"norm": (norm.key,)}
    if norm is BATCH:
        return [
            (Margin("column", "mean", "batch mean", when), mean[:, 0]),
            (Margin("column", "var", "batch var", when), var[:, 0]),
        ]
    if norm is RMS:
        return [(Margin("row", "mean sq.", "rms var", when), var[:, :, 0])]
    if norm is LAYER:
        return [
            (Margin("row", "mean", "layer mean", when), mean[:, :, 0]),
            (Margin("row", "var", "layer var", when), var[:, :, 0]),
        ]
    width = source.values.shape[1]
    size = int((norm.groups((1, width), "ND") == 0).sum())
    first_shown, last_shown = units.start // size, (units.stop - 1) // size
    spans = []
    for group in range(first_shown, last_shown + 1):
        column = max(group * size, units.start) - units.start
        label = f"{group * size + 1}-{(group + 1) * size}"
        for name, values in (("mean", mean), ("var", var)):
            margin = Margin("row", f"{name} {label}", f"group {name} {label}", when)
            spans.append((margin, values[:, :, column]))
    return sorted(spans, key=lambda span: "var" in span[0].label)


def _option(norm: Norm, width: int) -> Option:
    groups, over, center = {
        "batch": (1, 0, True),
        "layer": (1, (1, 2), True),
        "group": (norm.group_count, 2, True),
        "rms": (1, (1, 2), False),
    }[norm.key]
    module = {
        "batch": f"nn.BatchNorm1d({width}) while training",
        "layer": f"nn.LayerNorm({width})",
        "group": f"nn.GroupNorm({norm.group_count}, {width})",
        "rms": f"nn.RMSNorm({width}, eps=1e-5)",
    }[norm.key]
    return Option(norm.key, norm.label, norm.key, f"{groups}, {over}, {center}  # {module}")


def _step_code(step: str) -> str:
    return {"mean": "centered", "variance": "centered.square()", "standardize": "x_hat"}.get(
        step, "y"
    )


def _code(
    batch: Float[Tensor, "N D"],
    gain: Float[Tensor, " D"],
    bias: Float[Tensor, " D"],
    data: str,
    first: int,
) -> str:
    width = batch.shape[1]
    if batch.numel() <= CODE_CELLS:
        values = f"x = torch.tensor({literal(batch)})[:«batch size»]  # B,{width}"
    else:
        values = (
            "# Put your array beside this script, saved by numpy.save.\n"
            f'x = torch.from_numpy(numpy.load("array.npy")).float()[{first}:{first} + «batch size»]'
        )
    imports = "import torch" if batch.numel() <= CODE_CELLS else "import numpy\nimport torch"
    return f"""{imports}

{values}
gain = torch.tensor([1.5, 0.5, 1.0, 2.0])[torch.arange({width}) % 4]
bias = torch.tensor([0.0, 0.5, -0.5])[torch.arange({width}) % 3]

groups, over, center = «norm»
v = x.reshape(len(x), groups, -1)
mean = v.mean(over, keepdim=True) * center
centered = v - mean
var = centered.square().mean(over, keepdim=True)
x_hat = centered / (var + 1e-5).sqrt()
y = gain * x_hat.reshape(x.shape) + bias * center

step = «step»
print(step.reshape(x.shape))
"""


FIGURE = Figure(
    "grid",
    build,
    (
        DATA,
        SEED,
        Whole("case", "First case", 1, 1_000_000, 1, when={"data": (OWN,)}),
        Whole("feature", "First feature", 1, 1_000_000, 1, when={"data": (OWN,)}),
    ),
)
