"""The table of invariances: measured, explained, and opened entry by entry."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.explorable import (
    Choice,
    Explorable,
    Grid,
    Margin,
    Option,
    ParameterError,
    Pick,
    Pointer,
    Readout,
    Row,
    Slider,
    Swept,
    Whole,
)
from lnviz.invariance import (
    SCALES,
    STRENGTHS,
    TABLE_1,
    TRANSFORMATIONS,
    VISIBLE,
    Demonstration,
    demonstrate,
    measure,
)
from lnviz.lessons.inputs import KEPT, WRITTEN, literal, own
from lnviz.lessons.invariance.reasons import REASONS
from lnviz.lessons.lesson import Figure
from lnviz.norms import CATALOGUE
from lnviz.norms.spread import ROUNDINGS

NORMS = ("batch", "weight", "layer", "rms", "group", "dyt", "none")
CHANGES = tuple(TRANSFORMATIONS)
ENTRIES = tuple((norm, change) for norm in NORMS for change in CHANGES)
HEADS = ("re-scale W", "re-center W", "re-scale one w", "re-scale data", "re-center data")
EPSILONS = (0.0, 1e-5, 1e-3)
STRENGTH = Slider.linear("strength", -3, 3, 0.025, 2)
LAYERS = 64
CASES, UNITS, MOST = 4, 6, 64
LIMIT_LAYERS = 4  # over many more strengths than the table
START = (NORMS.index("layer"), CHANGES.index("case_rescale"))

DATA = Pick(
    "data",
    "Data",
    (Option("random", "random"), Option("digits", "handwritten digits")),
    "random",
    own=(KEPT, WRITTEN),
)
ACTIVATION = Pick(
    "activation",
    "Activation",
    (Option("identity", "none"), Option("relu", "ReLU"), Option("tanh", "tanh")),
    "identity",
)
SEED = Whole("seed", "Seed", 0, 9_999, 0, fresh="New layers")


def build(data: str = "random", activation: str = "identity", seed: int = 0) -> Explorable:
    """The measured table, and the demonstration of the entry that is pointed at."""
    inputs = _inputs(data)
    try:
        changes = _measured(inputs, activation, seed)
        below = _limits(inputs, activation, seed)
        shown = [
            demonstrate(
                norm,
                change,
                units=UNITS,
                data=None if inputs is None else inputs[:CASES],
                strengths=STRENGTH.values,
                eps=EPSILONS,
                activation=activation,
                seed=seed,
            )
            for norm, change in ENTRIES
        ]
    except ValueError as error:
        raise ParameterError(str(error), {"data": DATA.start}) from error
    first = shown[0]
    cases = len(first.before.summed)
    cells = Pointer(
        "unit",
        tuple(f"case {n}" for n in range(1, cases + 1)),
        tuple(str(d) for d in range(1, UNITS + 1)),
        "unit",
    )
    entry = Pointer(
        "entry",
        tuple(CATALOGUE[norm].label for norm in NORMS),
        (*HEADS, "re-scale a case"),
        "",
        START,
        codes=tuple(f'"{norm}", "{change}"' for norm, change in ENTRIES),
    )
    tensors = {
        "changes": Swept(("with epsilon", "entry"), changes),
        "below": Swept(("with epsilon", "entry"), below),
        "change": Swept(
            ("entry", "strength", "with epsilon"), 100 * _stack(shown, lambda d: d.change), 3
        ),
        "before": Swept(("unit",), first.before.summed.flatten(), 2),
        "after": Swept(
            ("entry", "strength", "unit"), _stack(shown, lambda d: d.after.summed).flatten(2), 2
        ),
        "out before": Swept(
            ("entry", "with epsilon", "unit"),
            _stack(shown, lambda d: d.before.outputs).flatten(2),
            2,
        ),
        "out after": Swept(
            ("entry", "strength", "with epsilon", "unit"),
            _stack(shown, lambda d: d.after.outputs).flatten(3),
            2,
        ),
        "groups": Swept(("entry", "unit"), _stack(shown, lambda d: d.groups).flatten(1), 0),
    }
    before_margins, after_margins = _margins(shown, tensors)
    drawn = [swept.values for name, swept in tensors.items() if name != "below"]
    if not all(bool(values.isfinite().all()) for values in drawn):
        raise ParameterError(
            f"The squares of the summed inputs must fit into float32, whose largest number is "
            f"{torch.finfo(torch.float32).max:.2g}. Divide the data by a number.",
            {"data": DATA.start},
        )
    return Explorable(
        title="What each norm leaves unchanged, measured",
        controls=(
            STRENGTH,
            Choice(
                "with epsilon",
                tuple(
                    Option(f"{eps:g}", f"ε = {eps:g}".replace("e-0", "e-"), code=repr(eps))
                    for eps in EPSILONS
                ),
                "0",
            ),
            entry,
            cells,
        ),
        tensors=tensors,
        views=(
            (
                Grid(
                    "Largest change of an output",
                    "entry",
                    1.0,
                    "changes",
                    format="g2",
                    words=tuple(_stated(norm, change) for norm, change in ENTRIES),
                ),
            ),
            (
                Readout(
                    f"A share of the layer's largest output: 1 is 100 percent. Each entry is the "
                    f"largest over {LAYERS} random layers and over {len(STRENGTHS)} strengths from "
                    f"{STRENGTHS[0]:g} to {STRENGTHS[-1]:g}, all positive. It does not follow the "
                    f"strength above, which moves the small layer below."
                ),
                *_window(inputs),
            ),
            (Readout("{entry}", "formula"), *_reasons(shown), *_departures()),
            (
                _sheet("Summed inputs before", "before", 3.0, before_margins),
                _sheet("Summed inputs after", "after", 3.0, after_margins),
            ),
            (
                _sheet("Outputs before", "out before", 2.0),
                _sheet("Outputs after", "out after", 2.0),
            ),
            (
                Readout(
                    "At strength {strength} the largest change of an output of this small layer "
                    "is {change:g3 value} percent of its largest output before."
                ),
                *_notes(shown),
            ),
        ),
        code=_code(first, shown, activation),
    )


def _sheet(title: str, values: str, reach: float, margins: tuple[Margin, ...] = ()) -> Grid:
    """One of the demonstration's four grids."""
    return Grid(title, "unit", reach, values, groups="groups", margins=margins)


def _inputs(data: str) -> Float[Tensor, "N I"] | None:
    """Real inputs, or None for random ones."""
    if data == "random":
        return None
    if data == "digits":
        return digit_images().images[:MOST]
    return own(data, DATA.start).values[:MOST, :MOST]


def _window(inputs: Float[Tensor, "N I"] | None) -> Row:
    """What of the data is looked at."""
    if inputs is None:
        return ()
    count, width = inputs.shape
    return (
        Readout(
            f"Of the data, the table takes {count} cases of {width} inputs, at most the first "
            f"{MOST} of each, and the small layer the first {min(CASES, count)} cases."
        ),
    )


def _measured(
    inputs: Float[Tensor, "N I"] | None, activation: str, seed: int
) -> Float[Tensor, "E entries"]:
    """The largest change of every entry, for each epsilon."""
    tables = [
        measure(NORMS, layers=LAYERS, data=inputs, eps=eps, activation=activation, seed=seed)
        for eps in EPSILONS
    ]
    return torch.stack([found.changes.amax((-2, -1)).flatten() for found in tables])


def _limits(
    inputs: Float[Tensor, "N I"] | None, activation: str, seed: int
) -> Float[Tensor, "E entries"]:
    """Below which factor an output that should stay changes; NaN where none was found."""
    rows = []
    for eps in EPSILONS:
        found = measure(
            NORMS,
            data=inputs,
            eps=eps,
            activation=activation,
            seed=seed,
            strengths=SCALES,
            layers=LIMIT_LAYERS,
        )
        limits = [
            found.limits(norm, change).below if TABLE_1.get(norm, {}).get(change) else None
            for norm, change in ENTRIES
        ]
        rows.append([torch.nan if limit is None else limit for limit in limits])
    return torch.tensor(rows)


def _stated(norm: str, change: str) -> str:
    if norm not in TABLE_1:
        return " "
    return "paper: stays" if TABLE_1[norm][change] else "paper: changes"


def _stack(shown: list[Demonstration], of: Callable[[Demonstration], Tensor]) -> Tensor:
    return torch.stack([of(demonstration).float() for demonstration in shown])


def _margins(
    shown: list[Demonstration], tensors: dict[str, Swept]
) -> tuple[tuple[Margin, ...], tuple[Margin, ...]]:
    """Each norm's statistics, where the norm takes them, before and after."""
    before, after = [], []
    places = {
        "batch": (("column", "mean"), ("column", "var")),
        "weight": (("column", "var"),),
        "layer": (("row", "mean"), ("row", "var")),
        "rms": (("row", "var"),),
    }
    labels = {("weight", "var"): "|w|²", ("rms", "var"): "mean sq."}
    for norm, statistics in places.items():
        when = {"entry": tuple((NORMS.index(norm), column) for column in range(len(CHANGES)))}
        for side, statistic in statistics:
            label = labels.get((norm, statistic), statistic)
            line = (..., 0) if side == "row" else (..., 0, slice(None))
            old = torch.stack([getattr(d.before, statistic)[line] for d in shown])
            new = torch.stack([getattr(d.after, statistic)[line] for d in shown])
            moved = torch.stack([getattr(d, f"{statistic}_moved")[line] for d in shown])
            name = f"{norm} {statistic}"
            tensors[f"{name} before"] = Swept(("entry",), old.float(), 2)
            tensors[f"{name} after"] = Swept(("entry", "strength"), new.float(), 2)
            tensors[f"{name} moved"] = Swept(("entry", "strength"), moved.float(), 0)
            before.append(Margin(side, label, f"{name} before", when))
            after.append(Margin(side, label, f"{name} after", when, marks=f"{name} moved"))
    return tuple(before), tuple(after)


def _reasons(shown: list[Demonstration]) -> Row:
    """Why each entry is what it is; where the reason ends, at factors of 0 or less, what holds."""
    positive = {STRENGTH.name: tuple(s for s in STRENGTH.values if s > 0)}
    row = []
    for index, ((norm, change), text) in enumerate(REASONS.items()):
        here = {"entry": (divmod(index, len(CHANGES)),)}
        row.append(Readout(text, when=here | (positive if _cancels(norm, change) else {})))
        row += [
            Readout(_plain(note.text), when=here | {STRENGTH.name: note.strengths})
            for note in shown[index].notes
            if note.instead
        ]
    return tuple(row)


def _cancels(norm: str, change: str) -> bool:
    """Whether the reason is that a positive factor cancels."""
    stays = TABLE_1.get(norm, TABLE_1["layer"])[change] and CATALOGUE[norm].elementwise is None
    return stays and TRANSFORMATIONS[change].kind != "recenter"


def _plain(text: str) -> str:
    """A text in which braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")


def _departures() -> Row:
    """Where the table above differs from the paper's: epsilon bites."""
    return (
        Readout(
            f"With this epsilon the statement ends: once the factor is at {{below:g2 value}} or "
            f"below, an output changes by more than {VISIBLE:.0%} in at "
            f"least one of {LIMIT_LAYERS} layers.",
            "verdict",
            given="below",
        ),
    )


def _notes(shown: list[Demonstration]) -> Row:
    """What a picture alone would leave unexplained, said where it holds."""
    return tuple(
        Readout(
            _plain(note.text),
            "verdict",
            {"entry": (divmod(index, len(CHANGES)),), "strength": note.strengths},
        )
        for index, demonstration in enumerate(shown)
        for note in demonstration.notes
        if not note.instead
    )


def _code(first: Demonstration, shown: list[Demonstration], activation: str) -> str:
    """The layer of the demonstration, every norm and every transformation in PyTorch."""
    one = STRENGTH.index(1.0)
    vector = shown[CHANGES.index("weight_matrix_recenter")]
    shift = shown[CHANGES.index("dataset_recenter")]
    gamma = (vector.after.weight[one] - vector.before.weight)[0]
    c = (shift.after.data[one] - shift.before.data)[0]
    f = {"identity": "h", "relu": "torch.relu(h)", "tanh": "torch.tanh(h)"}[activation]
    return f"""import torch

x = torch.tensor({literal(first.before.data.float())}).double()
W = torch.tensor({literal(first.before.weight.float())}).double()
gamma = torch.tensor({literal(gamma.float())}).double()
c = torch.tensor({literal(c.float())}).double()
s, eps = «strength», «with epsilon»
norm, change = «entry»

only_first = torch.ones(len(W), 1).index_fill(0, torch.tensor(0), s)
first_case = torch.ones(len(x), 1).index_fill(0, torch.tensor(0), s)
changed = {{
    "weight_matrix_rescale": (s * W, x),
    "weight_matrix_recenter": (W + s * gamma, x),
    "weight_vector_rescale": (only_first * W, x),
    "dataset_rescale": (W, s * x),
    "dataset_recenter": (W, x + s * c),
    "case_rescale": (W, first_case * x),
}}


def layer(W, x):
    a = x @ W.T
    halves = a.unflatten(1, (2, -1))
    mean, var = {{
        "batch": (a.mean(0), a.var(0, correction=0)),
        "weight": (0, W.square().sum(1)),
        "layer": (a.mean(1, True), a.var(1, correction=0, keepdim=True)),
        "rms": (0, a.square().mean(1, True)),
        "group": tuple(
            t.expand_as(halves).flatten(1)
            for t in (halves.mean(2, True), halves.var(2, correction=0, keepdim=True))
        ),
        "dyt": (0, None),
        "none": (0, None),
    }}[norm]
    if var is None:
        h = torch.tanh(0.5 * a) if norm == "dyt" else a
    else:
        rounding = {ROUNDINGS} * torch.finfo(a.dtype).eps
        flat = var <= (rounding * mean) ** 2  # equal values: 0/0 counts as 0
        h = ((a - mean) / (var + eps).sqrt()).masked_fill(flat, 0)
    return {f}


before, after = layer(W, x), layer(*changed[change])
print(after)
largest = before.abs().max()
print((after - before).abs().max() / (largest if largest > 0 else 1))
"""


FIGURE = Figure("table", build, (DATA, ACTIVATION, SEED))
