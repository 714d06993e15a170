"""Gain and bias: one case through standardizing, gain and bias, and a nonlinearity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from lnviz.explorable import (
    Along,
    Chart,
    Choice,
    Explorable,
    Grid,
    Option,
    ParameterError,
    Pointer,
    Readout,
    Slider,
    Swept,
    Whole,
)
from lnviz.explorable.parameters import parse
from lnviz.lessons.inputs import DATA, SEED, cases, literal, swept
from lnviz.lessons.lesson import Figure
from lnviz.norms import LAYER, normalize
from lnviz.norms.parity import Differences, against_layer_norm

EPS = 1e-5
UNITS = 6
GAIN = Slider.linear("gain", -3, 3, 0.02, 1)
BIAS = Slider.linear("bias", -3, 3, 0.02, 0)
# Uploads belong to the first lesson; here the two examples do.
EXAMPLES = replace(DATA, own=())
CASE = Whole("case", "Case", 1, 16, 1)


def build(data: str = "worked", seed: int = 0, case: int = 1) -> Explorable:
    """One case: input, standardized, after gain and bias, after a nonlinearity."""
    x, labels = one_case(data, seed, case)
    gains, biases = swept(GAIN.values), swept(BIAS.values)
    result = normalize(x, -1, gain=gains[:, None, None], bias=biases[:, None], eps=EPS)
    y = result.y  # G,B,D
    after = torch.stack([y, F.relu(y), torch.tanh(y), F.gelu(y)])  # 4,G,B,D
    moved = ("gain", "bias", "unit")
    tensors = {
        "x": Swept(("unit",), x, 4),
        "x_hat": Swept(("unit",), result.x_hat, 4),
        "y": Swept(moved, y, 2),
        "after": Swept(("nonlinearity", *moved), after, 2),
        "mean": Swept((), result.mean, 4),
        "var": Swept((), result.var, 4),
        "y mean": Swept(("gain", "bias"), y.mean(-1), 2),
        "y std": Swept(("gain", "bias"), y.std(-1, correction=0), 2),
    }
    affine = "{gain} × {x_hat:4n value} + {bias:n} = {y:2 value}"
    return Explorable(
        title="One case on its way through layer normalization",
        controls=(
            GAIN,
            BIAS,
            Choice(
                "nonlinearity",
                (
                    Option("none", "no nonlinearity", code="y"),
                    Option("relu", "ReLU", code="F.relu(y)"),
                    Option("tanh", "tanh", code="torch.tanh(y)"),
                    Option("gelu", "GELU", code="F.gelu(y)"),
                ),
                "none",
            ),
            Pointer("unit", ("",), labels, "unit", (0, 1)),
        ),
        tensors=tensors,
        views=(
            (
                Grid(
                    "Summed inputs of one case, step by step",
                    "unit",
                    3.0,
                    rows=(
                        ("input", "x"),
                        ("standardized", "x_hat"),
                        ("gain and bias", "y"),
                        ("then {nonlinearity}", "after"),
                    ),
                    color=LAYER.key,
                ),
            ),
            (_number_lines(result.x_hat, labels),),
            (
                Readout(
                    affine,
                    "formula",
                    {"nonlinearity": ("none",)},
                ),
                Readout(
                    f"{affine}, and {{nonlinearity}}({{y:2}}) = {{after:2 value}}",
                    "formula",
                    {"nonlinearity": ("relu", "tanh", "gelu")},
                ),
                Readout(
                    "The standardized row has mean 0 and standard deviation 1, wherever the "
                    "sliders stand. After gain and bias the mean is {y mean:2 value} and the "
                    "standard deviation {y std:2 value}."
                ),
                Readout(
                    "At gain 0 the input is gone: every unit puts out the bias.",
                    "verdict",
                    {"gain": (0.0,)},
                ),
                Readout(
                    "A negative gain turns the order around: the largest input becomes the "
                    "smallest value after gain and bias.",
                    "verdict",
                    {"gain": tuple(value for value in GAIN.values if value < 0)},
                ),
            ),
        ),
        code=f"""import torch
from torch import nn
from torch.nn import functional as F

x = torch.tensor({literal(x)})
norm = nn.LayerNorm({len(x)})  # eps=1e-5, biased variance
nn.init.constant_(norm.weight, «gain»)
nn.init.constant_(norm.bias, «bias»)

y = norm(x)
print(«nonlinearity»)
""",
    )


def one_case(data: str, seed: int, case: int) -> tuple[Float[Tensor, " D"], tuple[str, ...]]:
    """The case that the parameters name, and its units' labels.

    Raises:
        ParameterError: The data has fewer cases.
    """
    source = cases(data, seed, units=UNITS)
    count = len(source.values)
    if case > count:
        raise ParameterError(
            f"This data has {count} cases. Choose a case from 1 to {count}.",
            {"case": str(count)},
        )
    return source.values[case - 1], source.unit_labels


@dataclass(frozen=True)
class State:
    """What the figure shows: which case, and where its sliders stand."""

    case: int
    gain: float
    bias: float


def check(query: Mapping[str, str]) -> tuple[State, Differences]:
    """Runs `nn.LayerNorm` on what the figure shows at an address's query.

    What cannot be used in the query counts as the figure takes it: the nearest allowed value.
    """
    parameters = FIGURE.parameters
    named = {p.name: query[p.name] for p in parameters if p.name in query}
    while True:
        try:
            values = parse(parameters, named)
            x, _ = one_case(**values)
            break
        except ParameterError as error:
            named = named | error.nearest
    state = State(
        case=values["case"],
        gain=GAIN.values[GAIN.read(query.get(GAIN.name, ""))],
        bias=BIAS.values[BIAS.read(query.get(BIAS.name, ""))],
    )
    return state, against_layer_norm(x[None], gain=state.gain, bias=state.bias, eps=EPS)


def _number_lines(x_hat: Float[Tensor, " D"], labels: tuple[str, ...]) -> Chart:
    """Four number lines, one below the other; each dot is a unit."""
    farthest = max(GAIN.values) * float(x_hat.abs().max()) + max(BIAS.values)
    reach = 1.06 * farthest  # room for half a dot
    # Neighbors lie on different lanes, whatever the gain: it keeps or turns around their order.
    lanes = (0.24 * (x_hat.argsort().argsort() % 3 - 1)).tolist()
    rows = (
        ("x", "none"),
        ("x_hat", LAYER.key),
        ("y", LAYER.key),
        ("after", LAYER.key),
    )
    figure = go.Figure(
        [
            go.Scatter(
                y=[len(rows) - 1 - row + lane for lane in lanes],
                mode="markers+text",
                text=labels,
                textfont={"color": "var(--ln-on-accent)", "size": 12},
                marker={
                    "size": 22,
                    "color": f"var(--ln-{color})",
                    "line": {"color": "var(--ln-page)", "width": 1},
                },
            )
            for row, (_, color) in enumerate(rows)
        ]
    )
    figure.update_xaxes(range=[-reach, reach], title="value", zerolinewidth=2)
    figure.update_yaxes(
        range=[-0.5, len(rows) - 0.5],
        tickvals=list(range(len(rows))),
        ticktext=["nonlinearity", "gain and bias", "standardized", "input"],
        zeroline=False,
    )
    return Chart(
        "The same numbers as dots; each dot is a unit",
        figure,
        {row: {"x": Along(tensor, "unit")} for row, (tensor, _) in enumerate(rows)},
        "Four number lines. The standardized values never move. At gain {gain} and bias {bias} the "
        "output has mean {y mean} and standard deviation {y std}; then {nonlinearity}.",
        height=300,
    )


FIGURE = Figure("line", build, (EXAMPLES, SEED, CASE))
