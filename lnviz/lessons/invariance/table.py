"""The table of invariances of each norm: measured, explained, and demonstrated on a small layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.explorable import (
    CellPicker,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    ParameterError,
    SweptTensor,
    load_program,
)
from lnviz.lessons.data_parameters import INLINE_PREFIX, STORED_PREFIX, load_table, tensor_literal
from lnviz.lessons.invariance.table_controls import (
    CHANGES,
    ENTRIES,
    ENTRY,
    EPSILON,
    EPSILONS,
    NORMS,
    STRENGTH,
)
from lnviz.lessons.invariance.table_views import cancels, render_captions, table_views
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.number_format import number
from lnviz.topics.invariance import Demonstration, Limits, demonstrate, measure

LAYERS = 8
CASES, UNITS = 4, 6
MOST_CASES, MOST_INPUTS = 16, 64
"""The most examples and inputs used of a data set, as each is multiplied by many factors."""

DATA = EnumParameter(
    "data",
    "Data",
    (Option("random", "random"), Option("digits", "handwritten digits")),
    "random",
    custom_prefixes=(STORED_PREFIX, INLINE_PREFIX),
    accepts="table",
)
ACTIVATION = EnumParameter(
    "activation",
    "Activation",
    (Option("identity", "none"), Option("relu", "ReLU"), Option("tanh", "tanh")),
    "identity",
)
SEED = IntParameter("seed", "Seed", 0, 9_999, 0, reroll_label="New layers")


@dataclass(frozen=True, eq=False)
class Measurements:
    """Measured invariances of all norms, and a demonstration of each of them on a small layer.

    Attributes:
        changes: the largest change of an output.
        limits: the strengths beyond which outputs change, for each epsilon and entry.
        opened: the demonstrations.
    """

    changes: Float[Tensor, "E S entries"]
    limits: tuple[tuple[Limits, ...], ...]
    opened: tuple[Demonstration, ...]


def build(data: str = "random", activation: str = "identity", seed: int = 0) -> Explorable:
    """Build the table of measured invariances, and a demonstration of the selected entry."""
    inputs = _inputs(data)
    try:
        measured = _compute(inputs, activation, seed)
    except ValueError as error:
        raise ParameterError(str(error), {"data": DATA.start}) from error
    tensors = _tensors(measured)
    if not all(bool(swept.values.isfinite().all()) for swept in tensors.values()):
        raise ParameterError(
            f"The squares of the pre-activations must fit into float32, whose largest number is "
            f"{number(torch.finfo(torch.float32).max, 'g2')}. Divide the data by a number.",
            {"data": DATA.start},
        )
    cases = len(measured.opened[0].before.summed)
    units = CellPicker(
        "unit",
        tuple(f"row {n}" for n in range(1, cases + 1)),
        tuple(str(d) for d in range(1, UNITS + 1)),
        "unit",
    )
    words = render_captions(LAYERS, _window(inputs), measured.opened)
    return Explorable(
        title=words.title,
        controls=(STRENGTH, EPSILON, ENTRY, units),
        tensors=tensors | _ends(measured),
        views=table_views(measured.limits, words),
        code=_code(measured.opened, activation),
    )


def _compute(inputs: Float[Tensor, "N I"] | None, activation: str, seed: int) -> Measurements:
    measured = [
        measure(
            NORMS,
            layers=LAYERS,
            data=inputs,
            strengths=STRENGTH.values,
            eps=eps,
            activation=activation,
            seed=seed,
        )
        for eps in EPSILONS
    ]
    changes = [table.changes.amax(-1).flatten(0, 1).T for table in measured]
    return Measurements(
        changes=torch.stack(changes),
        limits=tuple(tuple(table.limits(*entry) for entry in ENTRIES) for table in measured),
        opened=tuple(
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
        ),
    )


def _tensors(measured: Measurements) -> dict[str, SweptTensor]:
    def stacked(attribute: str) -> Float[Tensor, "entries ..."]:
        of = attrgetter(attribute)
        return torch.stack([of(demonstration).float() for demonstration in measured.opened])

    eps, strength, entry = EPSILON.name, STRENGTH.name, ENTRY.name
    tensors = {
        "changes": SweptTensor((eps, strength, entry), measured.changes.float(), 5),
        "change": SweptTensor((entry, strength, eps), 100 * stacked("change"), 3),
        "before": SweptTensor(("unit",), stacked("before.summed")[0].flatten(), 2),
        "after": SweptTensor((entry, strength, "unit"), stacked("after.summed").flatten(2), 2),
        "out before": SweptTensor((entry, eps, "unit"), stacked("before.outputs").flatten(2), 2),
        "out after": SweptTensor(
            (entry, strength, eps, "unit"), stacked("after.outputs").flatten(3), 2
        ),
        "groups": SweptTensor((entry, "unit"), stacked("groups").flatten(1), 0),
    }
    # Every cell has its group's statistics; the first cell of a row has those of the row.
    for side, line in {"row": (..., 0), "column": (..., 0, slice(None))}.items():
        for name in ("mean", "var"):
            before, after = stacked(f"before.{name}")[line], stacked(f"after.{name}")[line]
            moved = stacked(f"{name}_moved")[line]
            tensors[f"{side} {name} before"] = SweptTensor((entry,), before, 2)
            tensors[f"{side} {name} after"] = SweptTensor((entry, strength), after, 2)
            tensors[f"{side} {name} moved"] = SweptTensor((entry, strength), moved, 0)
    return tensors


def _ends(measured: Measurements) -> dict[str, SweptTensor]:
    """Return the scale factors nearest 1 (below, above) at which epsilon breaks an invariance."""
    over = (EPSILON.name, ENTRY.name)
    bitten = [[cancels(*entry) and eps > 0 for entry in ENTRIES] for eps in EPSILONS]  # E,entries

    def numbers(of: Callable[[Limits], float | None]) -> SweptTensor:
        """Return one of the limits for every epsilon and table entry; NaN if there is no limit."""
        rows = [
            [of(limits) if bites else None for limits, bites in zip(row, where, strict=True)]
            for row, where in zip(measured.limits, bitten, strict=True)
        ]
        missing = [[torch.nan if value is None else value for value in row] for row in rows]
        return SweptTensor(over, torch.tensor(missing))

    return {
        "below": numbers(lambda limits: limits.below),
        "above": numbers(lambda limits: limits.above),
        "holds": numbers(lambda limits: 1.0 if limits == Limits(None, None) else None),
    }


def _inputs(data: str) -> Float[Tensor, "N I"] | None:
    """Return inputs from the chosen data set, or None if inputs are to be random."""
    if data == "random":
        return None
    if data == "digits":
        return digit_images().images[:MOST_CASES]
    return load_table(data, DATA.start).values[:MOST_CASES, :MOST_INPUTS]


def _window(inputs: Float[Tensor, "N I"] | None) -> str:
    """Return a caption that says which examples and inputs of the data set are used."""
    if inputs is None:
        return f"Each of the {LAYERS} layers draws its own data; the small layer has other data."
    count, width = inputs.shape
    return (
        f"The table uses {count} examples of {width} inputs, at most the first {MOST_CASES} and "
        f"{MOST_INPUTS} of the data; the small layer uses the first {min(CASES, count)} examples."
    )


def _code(opened: tuple[Demonstration, ...], activation: str) -> str:
    """Return the program shown with the figure: the small layer, each norm, each transformation."""
    one = STRENGTH.values.index(1.0)
    weight, data = (
        opened[CHANGES.index(change)] for change in ("weight_matrix_recenter", "dataset_recenter")
    )
    return load_program(
        __file__,
        x=tensor_literal(data.before.data.float()),
        W=tensor_literal(weight.before.weight.float()),
        v=tensor_literal((weight.after.weight[one] - weight.before.weight)[0].float()),
        c=tensor_literal((data.after.data[one] - data.before.data)[0].float()),
        activation=repr(activation),
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    after, change = printed
    yield after.flatten(), shown.lookup("out after", {**state, "unit": slice(None)})
    yield 100 * change, shown.lookup("change", state)


FIGURE = FigureSpec(
    "table",
    build,
    (DATA, ACTIVATION, SEED),
    cpu_seconds=0.8,
    program_output=ProgramOutput(_printed),
)
