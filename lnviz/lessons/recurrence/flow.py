"""A recurrent network with random weights: magnitudes of its state and of its gradient."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, drawing_order, line, norm_line
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import BATCH, CATALOGUE, NONE
from lnviz.progress import subtasks
from lnviz.topics.recurrence import Flow, UntrainedNetwork, flow
from lnviz.topics.recurrence.flow import NORMS

RADIUS = Slider.linear("spectral radius", 0.8, 1.2, 0.005, 1.1)
SIZES = IntParameter("hidden", "Hidden size", 2, 40, 32)
STEPS_TAKEN = IntParameter("steps", "Steps", 10, 500, 200)
NONLINEARITY = EnumParameter(
    "nonlinearity", "Nonlinearity", (Option("identity", "none"), Option("tanh", "tanh")), "identity"
)
INPUTS = {"none": 0.0, "large": 1.0}
INPUT = EnumParameter(
    "input",
    "Input at each step",
    (Option("none", "none"), Option("large", "as large as the state")),
    "none",
)
NORM = Choice(
    "norm", tuple(Option(key, CATALOGUE[key].label, key, f'"{key}"') for key in NORMS), "layer"
)
CASES = 8
CAPTIONS = load_captions(__file__)
POINTS = 101  # of a curve, at most
SPECTRA = 11  # steps whose Jacobian is computed
SHARES = {"largest": 0.0, "¼ down": 0.25, "½ down": 0.5, "¾ down": 0.75}


def build(
    hidden: int = 32, steps: int = 200, nonlinearity: str = "identity", input: str = "none"
) -> Explorable:
    """Build charts of state and gradient magnitudes under four norms, and of a step's Jacobian."""
    network = UntrainedNetwork(hidden, steps, CASES, nonlinearity, INPUTS[input])
    shown, looked = _spread(0, steps, POINTS), _spread(1, steps, SPECTRA)
    flows = {
        key: flow(key, to_tensor(RADIUS.values), network, at=looked)
        for key in subtasks(tuple(NORMS))
    }
    curves, spectra = _curves(flows, shown), _spectra(flows, looked)
    ends = _ends(curves)
    said = CAPTIONS.render(
        {
            "steps": steps,
            "hidden": hidden,
            "cases": CASES,
            "ranks": ", ".join(str(1 + rank) for rank in sorted(set(_ranks(hidden)))),
        },
        {"norm": tuple(map(_norm, NORMS))},
    )
    return Explorable(
        title=said.title,
        controls=(RADIUS, NORM),
        tensors=curves | spectra | _last(flows),
        views=(
            (
                _tracks("Size of the state, step by step", "state", shown, ends),
                _tracks("Size of the gradient, from the last step back", "gradient", shown, ends),
            ),
            (_stretches(network, looked, _ends(spectra)),),
            said.readouts,
        ),
        code=load_program(
            __file__,
            hidden=str(hidden),
            steps=str(steps),
            input=str(network.inputs),
            tanh=str(nonlinearity == "tanh"),
        ),
    )


def _norm(key: str) -> CaptionVariant:
    """Return the captions on one norm, shown when it is selected."""
    with_it = "Without a norm" if key == NONE.key else f"With {CATALOGUE[key].label}"
    return CaptionVariant({NORM.name: (key,)}, {"key": key, "with": with_it})


def _spread(first: int, last: int, count: int) -> list[int]:
    """Return evenly spaced integers from first to last, at most `count` of them."""
    return sorted({round(step) for step in torch.linspace(first, last, count).tolist()})


def _curves(flows: Mapping[str, Flow], shown: list[int]) -> dict[str, SweptTensor]:
    """Return tensors of the magnitudes of state and gradient at each step."""
    return {
        f"{key} {what}": SweptTensor((RADIUS.name,), to_log10(values[:, shown]), 2)
        for key, track in flows.items()
        for what, values in (("state", track.state), ("gradient", track.gradient))
    }


def _last(flows: Mapping[str, Flow]) -> dict[str, SweptTensor]:
    """Return tensors of the last state's magnitude, and of the gradient's at the first step."""
    return {
        f"{key} {what}": SweptTensor((RADIUS.name,), values)
        for key, track in flows.items()
        for what, values in (("last", track.state[:, -1]), ("first", track.gradient[:, 0]))
    }


def _spectra(flows: Mapping[str, Flow], looked: list[int]) -> dict[str, SweptTensor]:
    """Return singular values of one-step Jacobians, and the gradient's actual change per step."""
    over = (NORM.name, RADIUS.name)
    values = to_log10(torch.stack([_ranked(track) for track in flows.values()]))
    curves = {name: values[:, :, at] for at, name in enumerate(SHARES)}  # norms,F,at
    curves["multiplied"] = torch.stack([_multiplied(track, looked) for track in flows.values()])
    return {name: SweptTensor(over, curve, 2) for name, curve in curves.items()}


def _ranks(size: int) -> list[int]:
    """Return the ranks of the singular values drawn, for a state of this many units."""
    return [int(share * size) for share in SHARES.values()]


def _ranked(track: Flow) -> Float[Tensor, "F shares at"]:
    return track.singular[:, :, _ranks(track.singular.shape[-1])].mT


def _multiplied(track: Flow, looked: list[int]) -> Float[Tensor, "F at"]:
    """Return the mean log10 of the factor by which the gradient changes per step backward."""
    logs = to_log10(track.gradient).double()
    edges = [0, *[(a + b) // 2 for a, b in itertools.pairwise(looked)], looked[-1]]
    pairs = itertools.pairwise(edges)
    return torch.stack([(logs[:, a] - logs[:, b]) / max(1, b - a) for a, b in pairs], 1).float()


def _ends(drawn: Mapping[str, SweptTensor]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis: whole decades around all curves, and a margin."""
    values = torch.cat([each.values.flatten() for each in drawn.values()])
    low, high = values[~values.isnan()].aminmax()
    return low.floor().item() - 0.1, high.ceil().item() + 0.1


def _each(what: str, style: str) -> str:
    """Return a caption template that lists a quantity's value with each norm."""
    said = {key: f"{{{key} {what}:g3{style}}}" for key in NORMS}
    rest = ", ".join(f"{said[key]} with {CATALOGUE[key].label}" for key in NORMS if key != "none")
    return f"{said['none']} without a norm, {rest}"


def _tracks(title: str, what: str, shown: list[int], ends: tuple[float, float]) -> Chart:
    return chart(
        title,
        [norm_line(key, shown, f"{key} {what}") for key in drawing_order(NORMS)],
        linear_axis("step", 0, 1.03 * shown[-1], padded=False),
        log_axis(f"size of the {what}", *ends),
        f"{title}, at spectral radius {{spectral radius}}: it ends at "
        f"{_each('last' if what == 'state' else 'first', '')}. Logarithmic axis.",
        height=300,
    )


def _stretches(network: UntrainedNetwork, looked: list[int], ends: tuple[float, float]) -> Chart:
    steps, ranks = network.steps, _ranks(network.size)
    named = enumerate(zip(SHARES, ranks, strict=True))
    # With few units, lines coincide, so only the first one is labeled.
    first = {name: rank not in ranks[:at] for at, (name, rank) in named}
    return chart(
        "Singular values of the recurrent Jacobian, with {norm}",
        [
            *(
                line(name, "soft", looked, name, width=1.5, label_at_end=is_first, showlegend=False)
                for name, is_first in first.items()
            ),
            line("factor for this gradient", "ink", looked, "multiplied", dash="dash"),
        ],
        linear_axis("step", 0, steps * 1.22, padded=False, ticks=_spread(0, steps, 6)),
        log_axis("factor in one step", *ends),
        "For each step with {norm}, the singular values of the Jacobian, and the factor by which "
        "the gradient is multiplied, at spectral radius {spectral radius}. Logarithmic axis.",
        height=260,
    )


def _seconds(hidden: int, steps: int, **_: str) -> float:
    return 0.3 + hidden * steps / 12_000


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    forth, back, singular = printed
    for curves, name in ((forth, "state"), (back, "gradient")):
        steps = _spread(0, curves.shape[1] - 1, POINTS)
        for norm, curve in zip(NORMS, curves.log10()[:, steps], strict=True):
            if norm != BATCH.key:  # chaotic without inputs, so that rounding decides
                yield curve, shown.lookup(f"{norm} {name}", state)
    if NORM.options[state[NORM.name]].value != BATCH.key:
        ranks = [int(share * len(singular)) for share in SHARES.values()]
        drawn = torch.stack([shown.lookup(share, state)[-1] for share in SHARES])
        yield singular[ranks].log10(), drawn


FIGURE = FigureSpec(
    "flow",
    build,
    (SIZES, STEPS_TAKEN, NONLINEARITY, INPUT),
    _seconds,
    program_output=ProgramOutput(_printed, tolerance=0.02),
)
