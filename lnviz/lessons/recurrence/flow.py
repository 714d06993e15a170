"""A random recurrent matrix: the state on its way forth, the gradient on its way back."""

from __future__ import annotations

import itertools

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Pick,
    Readout,
    Slider,
    Swept,
    Whole,
)
from lnviz.lessons.inputs import swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import decades, legend, line, powers
from lnviz.recurrence import Flow, Network, flow

RADIUS = Slider.linear("spectral radius", 0.8, 1.2, 0.002, 1.1)
SIZES = Whole("hidden", "Hidden size", 2, 48, 32)
STEPS_TAKEN = Whole("steps", "Steps", 10, 500, 200)
NONLINEARITY = Pick(
    "nonlinearity", "Nonlinearity", (Option("identity", "none"), Option("tanh", "tanh")), "identity"
)
INPUTS = {"none": 0.0, "large": 1.0}
INPUT = Pick(
    "input",
    "Input at each step",
    (Option("none", "none"), Option("large", "as large as the state")),
    "none",
)
LABELS = {"none": "no norm", "layer": "LayerNorm", "rms": "RMSNorm", "batch": "BatchNorm"}
CODES = {
    "none": "a",
    "layer": "F.layer_norm(a, a.shape[-1:])",
    "rms": "F.rms_norm(a, a.shape[-1:], eps=1e-5)",
    "batch": "F.batch_norm(a, None, None, training=True)",
}
NORM = Choice("norm", tuple(Option(key, LABELS[key], key, f'"{key}"') for key in LABELS), "layer")
CASES = 8
POINTS = 101  # of a curve, at most
SPECTRA = 11  # steps whose Jacobian is looked at
SHARES = {"largest": 0.0, "75%": 0.25, "median": 0.5, "25%": 0.75}


def build(
    hidden: int = 32, steps: int = 200, nonlinearity: str = "identity", input: str = "none"
) -> Explorable:
    """Magnitudes of state and gradient under four norms, and what one step does to a gradient."""
    network = Network(hidden, steps, CASES, nonlinearity, INPUTS[input])
    radii = swept(RADIUS.values)
    shown = _spread(0, steps, POINTS)
    looked = _spread(1, steps, SPECTRA)
    found = {key: flow(key, radii, network, at=looked) for key in LABELS}
    moved = (RADIUS.name,)
    tensors = {}
    for key, track in found.items():
        tensors[f"{key} state"] = Swept(moved, decades(track.state[:, shown]), 2)
        tensors[f"{key} gradient"] = Swept(moved, decades(track.gradient[:, shown]), 2)
        tensors[f"{key} last"] = Swept(moved, track.state[:, -1])
        tensors[f"{key} first"] = Swept(moved, track.gradient[:, 0])
    drawn = torch.cat([tensor.values for tensor in tensors.values() if tensor.values.dim() == 2])
    ends = (drawn.nan_to_num().amin().item() - 1, drawn.nan_to_num().amax().item() + 1)
    both = (NORM.name, RADIUS.name)
    spectra = torch.stack([_quantiles(track) for track in found.values()])  # norms,F,shares,at
    for at, name in enumerate(SHARES):
        tensors[name] = Swept(both, decades(spectra[:, :, at]), 2)
    stretches = torch.stack([_multiplied(track, looked) for track in found.values()])
    tensors["multiplied"] = Swept(both, stretches, 2)
    tensors["ends"] = Swept(both, decades(spectra[..., -1]), 2)
    looked_at = torch.cat([decades(spectra).flatten(), stretches.flatten()]).nan_to_num(0, 0, 0)
    stretched = (looked_at.amin().floor().item() - 0.1, looked_at.amax().ceil().item() + 0.1)
    return Explorable(
        title="State and gradient through one recurrent matrix",
        controls=(RADIUS, NORM),
        tensors=tensors,
        views=(
            (
                _tracks("Magnitude of the state, step by step", "state", shown, ends),
                _tracks(
                    "Magnitude of the gradient, from the last step back", "gradient", shown, ends
                ),
            ),
            (
                Readout(
                    f"State after {steps} steps: {{none last:g3 value}} without a norm, "
                    "{layer last:g3 value} with LayerNorm, {rms last:g3 value} with RMSNorm, "
                    "{batch last:g3 value} with BatchNorm."
                ),
                Readout(
                    "Gradient that reaches step 1, as a multiple of the one that enters at the "
                    "end: {none first:g3 value} without a norm, {layer first:g3 value} with "
                    "LayerNorm, {rms first:g3 value} with RMSNorm, {batch first:g3 value} with "
                    "BatchNorm.",
                    "verdict",
                ),
            ),
            (_spectrum(steps, looked, stretched),),
            (
                Readout(
                    f"One step multiplies a gradient by its Jacobian, a matrix of {hidden} × "
                    f"{hidden} with {hidden} singular values: the most and the least it can "
                    "stretch a direction. A quarter of them lies above the line 75%, a quarter "
                    "below 25%. The dashed line is what the gradient of the figure above, over all "
                    f"{CASES} sequences, was really multiplied by. "
                    f"BatchNorm takes its statistics over {CASES} sequences here, so "
                    "that a gradient also leaks from one to another, which the Jacobian of a "
                    "single sequence leaves out."
                ),
            ),
        ),
        code=_code(network),
    )


def _spread(first: int, last: int, count: int) -> list[int]:
    """Whole numbers from first to last, evenly, as many as asked for or fewer."""
    return sorted({round(step) for step in torch.linspace(first, last, count).tolist()})


def _quantiles(track: Flow) -> Float[Tensor, "F shares at"]:
    """A few of each Jacobian's singular values, from the largest down."""
    size = track.singular.shape[-1]
    ranks = [min(size - 1, int(share * size)) for share in SHARES.values()]
    return track.singular[:, :, ranks].mT


def _multiplied(track: Flow, looked: list[int]) -> Float[Tensor, "F at"]:
    """Decades by which one step multiplies the gradient, on average around the steps looked at."""
    logs = decades(track.gradient).double()
    edges = [0, *[(a + b) // 2 for a, b in itertools.pairwise(looked)], looked[-1]]
    pairs = itertools.pairwise(edges)
    return torch.stack([(logs[:, a] - logs[:, b]) / max(1, b - a) for a, b in pairs], 1).float()


def _tracks(title: str, what: str, shown: list[int], ends: tuple[float, float]) -> Chart:
    steps = [float(step) for step in shown]
    figure = go.Figure([line(label, key, steps) for key, label in LABELS.items()])
    # BatchNorm may lie on top of the others: dashes let them through.
    figure.data[2].line.dash, figure.data[3].line.dash = "dash", "dot"
    figure.update_xaxes(range=[0, 1.03 * steps[-1]], title="step")
    powers(figure, "y", ends, f"magnitude of the {what}")
    legend(figure)
    name = "last" if what == "state" else "first"
    return Chart(
        title,
        figure,
        {at: {"y": f"{key} {what}"} for at, key in enumerate(LABELS)},
        f"{title}, logarithmic, at spectral radius {{spectral radius}}. At its end it is "
        f"{{none {name}:g3}} without a norm, {{layer {name}:g3}} with LayerNorm, "
        f"{{rms {name}:g3}} with RMSNorm, {{batch {name}:g3}} with BatchNorm.",
        height=340,
    )


def _spectrum(steps: int, looked: list[int], ends: tuple[float, float]) -> Chart:
    x = [float(step) for step in looked]
    figure = go.Figure([line(name, "soft", x, width=1.5) for name in SHARES])
    figure.add_trace(line("what the gradient is multiplied by", "ink", x, dash="dash"))
    figure.add_scatter(
        x=[steps * 1.01] * len(SHARES),
        mode="text",
        text=list(SHARES),
        textposition="middle right",
        textfont={"color": "var(--ln-soft)", "size": 13},
        cliponaxis=False,
    )
    for trace in figure.data:
        trace.showlegend = trace.name == "what the gradient is multiplied by"
    figure.update_xaxes(range=[0, steps * 1.22], tickvals=_spread(0, steps, 6), title="step")
    powers(figure, "y", ends, "stretched by, in one step")
    legend(figure)
    curves = [*SHARES, "multiplied", "ends"]
    return Chart(
        "Singular values of the recurrent Jacobian, with {norm}",
        figure,
        {at: {"y": name} for at, name in enumerate(curves)},
        "Singular values of the Jacobian of single steps with {norm}, and by how much the gradient "
        "is multiplied at each, logarithmic, at spectral radius {spectral radius}.",
        height=320,
    )


def _code(network: Network) -> str:
    norms = "\n".join(f'    "{key}": lambda a: {code},' for key, code in CODES.items())
    size, steps, cases = network.size, network.steps, network.cases
    act = "torch.tanh" if network.nonlinearity == "tanh" else "torch.nn.Identity()"
    return f"""import torch
from torch.nn import functional as F

generator = torch.Generator().manual_seed({network.seed})


def normal(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


weight = normal({size}, {size})
weight = (weight / torch.linalg.eigvals(weight).abs().max()).float() * «spectral radius»
h = normal({cases}, {size})
h = (h / h.square().mean(-1, keepdim=True).sqrt()).float().requires_grad_()
inputs = (normal({steps}, {cases}, {size}) * {network.inputs}).float()
last = normal({cases}, {size}).float()
f = {act}
norms = {{
{norms}
}}


def magnitudes(values):
    return torch.stack([v.detach().double().square().mean().sqrt() for v in values])


forth, back = [], []
for norm in norms.values():
    states = [h]
    for x in inputs:
        states.append(f(norm(states[-1] @ weight.T + x)))
    gradients = torch.autograd.grad((states[-1] * last).sum(), states)
    forth.append(magnitudes(states))
    back.append(magnitudes(gradients) / magnitudes(gradients)[-1])


def own(first):
    cases = torch.cat([first[None], states[-2][1:].detach()])
    return f(norm(cases @ weight.T + inputs[-1]))[0]


# The Jacobian of the last step, for the first sequence.
norm = norms[«norm»]
states = [h]
for x in inputs:
    states.append(f(norm(states[-1] @ weight.T + x)))
jacobian = torch.func.jacrev(own)(states[-2][0].detach())
print(torch.stack(forth), torch.stack(back), torch.linalg.svdvals(jacobian))
"""


FIGURE = Figure("flow", build, (SIZES, STEPS_TAKEN, NONLINEARITY, INPUT))
