"""One step of a recurrent cell with norms inside: a block diagram, and the values of each block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from lnviz.explorable import (
    CellPicker,
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    Grid,
    Margin,
    Option,
    Slider,
    StepChoice,
    SweptTensor,
    View,
    When,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import chart, line
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.lessons.recurrence.block_diagrams import (
    ROW,
    GateDiagram,
    draw_diagram,
    gru_diagram,
    lstm_diagram,
)
from lnviz.topics.recurrence import LSTMStep, Wiring, state_share, wiring
from lnviz.topics.recurrence.vectors import NORMED, STATISTIC, projection_sums, vectors

UNITS = 4
SCALE = Slider.decades("input scale", -2, 2, 50, 1.0)
PLACE = Choice(
    "norms",
    (
        Option("separate", "a norm on each part", code="True"),
        Option("one", "one norm on their sum", code="False"),
    ),
    "separate",
)
STATISTICS = Choice(
    "statistics",
    (
        Option("together", "statistics over all gates", code="False"),
        Option("gate", "statistics gate by gate", code="True"),
    ),
    "together",
)
CELL = EnumParameter("cell", "Cell", (Option("lstm", "LN-LSTM"), Option("gru", "LN-GRU")), "lstm")
GATES = {
    "lstm": ("input i", "forget f", "candidate g", "output o"),
    "gru": ("reset r", "update z", "candidate ĥ"),
}
STAGES = {
    "lstm": ("input", "state", "sum", "gates", "cell", "output"),
    "gru": ("input", "state", "sum", "gates", "output"),
}
SWITCHED = (PLACE.name, STATISTICS.name, SCALE.name)
EVERYWHERE: When = {}
SEPARATE: When = {PLACE.name: ("separate",)}
ONE: When = {PLACE.name: ("one",)}
GATEWISE = (False, True)
EPS = 1e-5  # of the cells' norms
DRAWN = {"lstm": lstm_diagram, "gru": gru_diagram}
CAPTIONS = load_captions(__file__)


def build(cell: str = "lstm") -> Explorable:
    """Build the block diagram of one step of a cell, and the values of the selected block."""
    scales = to_tensor(SCALE.values)
    wirings = [
        [wiring(scales, cell=cell, separate=place, per_gate=gate, units=UNITS) for gate in GATEWISE]
        for place in (True, False)
    ]
    stages = STAGES[cell]
    walk = StepChoice("block", tuple(Option(stage, stage) for stage in stages), "input")
    columns = tuple(str(unit) for unit in range(1, UNITS + 1))
    unit = CellPicker("unit", GATES[cell], columns, "unit", (0, 1))
    state_unit = CellPicker("state unit", ("",), columns, "unit", (0, 1))
    diagrams = {option.value: DRAWN[cell](option.value == "separate") for option in PLACE.options}
    said = _captions(cell)
    return Explorable(
        title=said.title,
        controls=(SCALE, PLACE, STATISTICS, walk, unit, state_unit),
        tensors=_tensors(wirings),
        views=(
            (*(_picture(cell, drawn, norms) for norms, drawn in diagrams.items()), _shares()),
            tuple(_grids(cell)),
            said.readouts,
        ),
        code=load_program(
            __file__,
            cell=f'"{cell}"',
            row=f"scale * torch.tensor({tensor_literal(wirings[0][0].x[SCALE.start_index])})",
        ),
    )


def _tensors(wirings: list[list[Wiring]]) -> dict[str, SweptTensor]:
    """Return the tensors of the grids, by norm placement, statistics, input scale and unit."""
    over = (*SWITCHED, "unit")
    values = _stacked(wirings)
    tensors = {name: SweptTensor(over, values[name], 6) for name in NORMED}
    for key in ("ih", "hh", "sum"):
        for what in ("mean", "std"):
            rows = values[f"{key} {what}"].unflatten(-1, (-1, UNITS))[..., 0]
            tensors[f"{key} {what} rows"] = SweptTensor(SWITCHED, rows, 6)
    count = values["total"].shape[-1] // UNITS
    gate = torch.arange(count).repeat_interleave(UNITS)
    together = torch.zeros_like(gate) if count == 4 else (gate == 2).long()
    tensors["groups"] = SweptTensor((STATISTICS.name, "unit"), torch.stack([together, gate]), 0)
    state = (*SWITCHED, "state unit")
    tensors["h"] = SweptTensor(state, values["h"], 3)
    before = wirings[0][0].state
    tensors["h before"] = SweptTensor(("state unit",), before[0], 3)
    if isinstance(wirings[0][0].step, LSTMStep):
        tensors["c"] = SweptTensor(state, values["c"], 6)
        tensors["c before"] = SweptTensor(("state unit",), before[1], 3)
        for what in STATISTIC:
            tensors[f"cell {what}"] = SweptTensor(state, values[f"cell {what}"], 6)
    share = torch.stack(
        [torch.stack([state_share(projection_sums(w)[0]) for w in row]) for row in wirings]
    )
    both = (STATISTICS.name, SCALE.name)
    tensors["share separate"] = SweptTensor(both, share[0], 4)
    tensors["share one"] = SweptTensor(both, share[1], 4)
    return tensors


def _stacked(wirings: list[list[Wiring]]) -> dict[str, Tensor]:
    """Return the vectors of one time step by name, stacked by norm placement and statistics."""
    every = [[vectors(each) for each in row] for row in wirings]
    return {
        name: torch.stack([torch.stack([each[name] for each in row]) for row in every])
        for name in every[0][0]
    }


def _picture(cell: str, diagram: GateDiagram, norms: str) -> View:
    return draw_diagram(
        diagram,
        STAGES[cell],
        title="One step: {norms}, {statistics}",
        control="block",
        alt=f"Block diagram of one step of a recurrent cell ({cell.upper()}) with layer "
        "normalization, {norms}. Thick frame: {block}, with its values below.",
        when={PLACE.name: (norms,)},
    )


def _grids(cell: str) -> Iterator[View]:
    """Yield the grids of values before and after each norm of the cell."""

    def gates(
        stage: str,
        title: str,
        values: str,
        norm: str = "",
        *,
        reach: float = 2.0,
        when: When = EVERYWHERE,
    ) -> Grid:
        margins = tuple(
            Margin("row", what, f"{norm} {what} rows", format="g2") for what in ("mean", "std")
        )
        return Grid(
            title,
            "unit",
            reach,
            values,
            groups="groups" if norm else None,
            margins=margins if norm else (),
            color="layer",
            when={"block": (stage,), **when},
        )

    for stage, key in (("input", "ih"), ("state", "hh")):
        title, values = f"The {stage}, projected", f"from_{stage}"
        yield gates(stage, title, values, key, when=SEPARATE)
        yield gates(stage, "After its LayerNorm", f"{key} y", when=SEPARATE)
        yield gates(stage, title, values, when=ONE)
    raw = (
        "The sum of the two parts"
        if cell == "lstm"
        else "The sum of the two parts; for ĥ, the state’s part times r, from the row of r"
    )
    yield gates("sum", raw, "raw", when=SEPARATE)
    yield gates("sum", raw, "raw", "sum", when=ONE)
    yield gates("sum", "After the LayerNorm", "sum y", when=ONE)
    if cell == "lstm":
        yield gates("sum", "Plus the bias b: the inputs of the gates", "total")
    yield gates("gates", "Inputs", "total")
    curves = "sigmoid, candidate: tanh"
    yield gates("gates", f"Outputs ({curves})", "gates", reach=1.0)
    if cell == "lstm":
        rows = (("before", "c before"), ("after", "c"), ("normalized", "cell y"))
        yield Grid(
            "The cell", "state unit", 1.0, rows=rows, color="layer", when={"block": ("cell",)}
        )
    states = (("before", "h before"), ("after", "h"))
    yield Grid("The state", "state unit", 1.0, rows=states, when={"block": ("output",)})


def _captions(cell: str) -> RenderedCaptions:
    """Return the captions on the arithmetic of the selected unit, and on the selected block."""
    lines = {
        "input": ("ih", "from_input", SEPARATE),
        "state": ("hh", "from_state", SEPARATE),
        "sum": ("sum", "raw", ONE),
    }
    gates = tuple(
        CaptionVariant({"block": (stage,), **when}, {"key": key, "before": before})
        for stage, (key, before, when) in lines.items()
    )
    output = CaptionVariant({"block": ("cell",)}, {"key": "cell", "before": "c"})
    is_lstm = cell == "lstm"
    places = tuple(CaptionVariant(case.when) for case in gates)
    return CAPTIONS.render(
        {"eps": EPS, "units": UNITS},
        {
            "normed": (*gates, output) if is_lstm else gates,
            "normed gates": places,
            "normed gates of the LSTM": places if is_lstm else (),
            "normed gates of the GRU": () if is_lstm else places,
            "no norm": (
                CaptionVariant({"block": ("input", "state"), **ONE}),
                CaptionVariant({"block": ("sum",), **SEPARATE}),
            ),
            "the LSTM": is_lstm,
            "the GRU": not is_lstm,
        },
    )


def _shares() -> Chart:
    """Draw the state's fraction of the gates' pre-activations against the scale of the input."""
    return chart(
        "The previous state’s fraction of the gates’ input",
        [
            line("a norm on each part", "layer", SCALE, "share separate"),
            line("one norm on their sum", "none", SCALE, "share one", dash="dash"),
        ],
        log_axis(SCALE.name, -2, 2),
        linear_axis("fraction from the state", 0, 1.03, padded=False),
        "At input scale {input scale}, the state’s fraction is {share separate:3} with a norm on "
        "each part and {share one:3} with one norm on their sum. Curves over all scales.",
        height=7 * ROW,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    names = ("gates", "c", "h")[-len(printed) :] if len(printed) > 2 else ("gates", "h")
    for values, name in zip(printed, names, strict=True):
        units = dict.fromkeys(("unit", "state unit"), slice(None))
        yield values, shown.lookup(name, {**state, **units})


FIGURE = FigureSpec(
    "wiring", build, (CELL,), cpu_seconds=0.7, program_output=ProgramOutput(_printed)
)
