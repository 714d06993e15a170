"""Where norms stand: every placement as a block diagram, with what goes along its arrows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
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
    View,
    program,
)
from lnviz.lessons.chart_axes import decades, linear, logarithmic, powers
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import Figure
from lnviz.lessons.placement.block_diagrams import (
    INSIDE,
    STEPS,
    attention_diagram,
    block_diagram,
    equation,
)
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.norms import CATALOGUE, Norm
from lnviz.topics.transformer import DEEPNORM, OLMO2, PERI, POST, PRE, SANDWICH, Placement
from lnviz.topics.transformer.flow import SHAPE, Statistics, attention_flow, flow, passage

SHOWN = (POST, PRE, SANDWICH, PERI, OLMO2, DEEPNORM)
LAYERS = SHAPE.layers
ALL, PLAIN, QK = "all", "plain", "qk"
DIAGRAM = Choice(
    "diagram",
    (
        Option(ALL, "side by side", code=f'"{ALL}"'),
        *(Option(p.key, p.label, code=f'"{p.key}"') for p in SHOWN),
        Option(QK, "QK-norm", code=f'"{QK}"'),
    ),
    ALL,
)
BLOCK = Slider("block", tuple(map(float, range(1, LAYERS + 1))), 6.0, decimals=0)


def _walk(name: str, steps: tuple[str, ...], diagrams: tuple[str, ...], start: float) -> Slider:
    places = tuple(map(float, range(1, len(steps) + 1)))
    when = {DIAGRAM.name: diagrams}
    return Slider(name, places, start, decimals=0, when=when, walks=True, names=steps)


STEP = _walk("step", STEPS, (ALL, *(p.key for p in SHOWN)), 2.0)
WITHIN = _walk("step inside", INSIDE, (QK,), 1.0)
_FACTORS = Slider.decades("weight factor", -1, 1, 20, 1.0)
FACTOR = Slider(_FACTORS.name, _FACTORS.values, 1.0, log=True, when={DIAGRAM.name: (QK,)})
KIND = Pick("kind", "Norm", tuple(Option(k, CATALOGUE[k].label) for k in ("layer", "rms")), "layer")
WHERE = {
    POST.key: "The norm stands in the stream itself, on the sum.",
    PRE.key: "The norm stands before the sublayer and leaves the stream alone; a last one stands "
    "before the read-out.",
    SANDWICH.key: "One norm stands before the sublayer, another after it, both off the stream.",
    PERI.key: "Inside a block it is the sandwich; a norm after the embeddings joins it. Gemma 2 "
    "has norms on both sides of a sublayer, too, and none after the embeddings.",
    OLMO2.key: "The norm stands after the sublayer, before the sum. Its authors call it a "
    "reordered norm, and use QK-norm with it.",
    DEEPNORM.key: "Post-LN with a stream that counts for more: α = (2L)^¼, and the matrices of "
    "values, output and feed-forward layer start multiplied by β = (8L)^−¼.",
}


def build(kind: str = "layer") -> Explorable:
    """Build six placements, and attention with and without norms on queries and keys."""
    norm = CATALOGUE[kind]
    flows = {placement.key: flow(placement, norm) for placement in SHOWN}
    inside = {key: attention_flow(FACTOR.values, key == QK, norm) for key in (PLAIN, QK)}
    return Explorable(
        title="Where norms stand in a block",
        controls=(DIAGRAM, BLOCK, STEP, WITHIN, FACTOR),
        tensors=_tensors(flows, inside),
        views=(
            (*_diagrams(norm), *(_lengths(p, flows) for p in SHOWN), _scores(norm, inside)),
            tuple(_words()),
            _notes(norm),
        ),
        code=program(__file__, kind=f'"{kind}"'),
    )


def _tensors(flows: Mapping[str, Statistics], inside: Mapping[str, Statistics]) -> dict[str, Swept]:
    """Statistics of every tensor, logarithms but for means."""
    within = (BLOCK.name, FACTOR.name, WITHIN.name)
    return {
        "before": Swept((BLOCK.name,), torch.arange(LAYERS), 0),
        "after": Swept((BLOCK.name,), torch.arange(LAYERS).flip(0), 0),
        **_statistics((BLOCK.name, STEP.name), flows, None),
        **_statistics(within, inside, 4),
    }


def _statistics(
    over: tuple[str, ...], statistics: Mapping[str, Statistics], decimals: int | None
) -> dict[str, Swept]:
    tensors = {}
    for key, tensor in statistics.items():
        tensors[f"{key} mean"] = Swept(over, tensor.mean, 4)
        tensors[f"{key} variance"] = Swept(over, decades(tensor.var), decimals)
        tensors[f"{key} length"] = Swept(over, decades(tensor.length), decimals)
    return tensors


def _numbers(key: str) -> str:
    """The statistics of the tensor that stands out."""
    return f"mean {{{key} mean:3}}\nvariance {{{key} variance:d3}}\nlength {{{key} length:d3}}"


def _diagrams(norm: Norm) -> Iterator[View]:
    for placement in SHOWN:
        drawn = block_diagram(placement, norm, LAYERS, STEP.name, _numbers(placement.key))
        yield replace(drawn, when={DIAGRAM.name: (ALL, placement.key)})
    for key, title in ((PLAIN, "Attention\nwithout QK-norm"), (QK, "Attention\nwith QK-norm")):
        drawn = attention_diagram(norm if key == QK else None, title, WITHIN.name, _numbers(key))
        yield replace(drawn, when={DIAGRAM.name: (QK,)})


def _lengths(placement: Placement, flows: Mapping[str, Statistics]) -> Chart:
    """The length of the tensor that stands out, in every block."""
    others = [other for other in SHOWN if other is not placement]
    every = torch.stack([statistics.length for statistics in flows.values()])
    return chart(
        "“{step}”: its length in every block",
        [
            *(
                line(
                    "the other placements",
                    "soft",
                    BLOCK,
                    f"{other.key} length",
                    width=1,
                    mark=None,
                    showlegend=not at,
                )
                for at, other in enumerate(others)
            ),
            line(placement.label, "accent", BLOCK, f"{placement.key} length", width=3.5),
        ],
        linear(BLOCK.name, BLOCK.values[0], BLOCK.values[-1]),
        logarithmic("length", float(every.min()), float(every.max())),
        f"Length of the tensor “{{step}}” in every block, for six placements. In block {{block}} "
        f"it is {{{placement.key} length:d3}} with {placement.label}.",
        height=460,
        when={DIAGRAM.name: (placement.key,)},
    )


def _scores(norm: Norm, inside: Mapping[str, Statistics]) -> Chart:
    """The length of the tensor that stands out, over what its block's weights are multiplied by."""
    every = torch.stack([statistics.length for statistics in inside.values()])
    return chart(
        "“{step inside}”: its length",
        [
            line("without", "none", FACTOR, f"{PLAIN} length", width=4.5),
            line("with QK-norm", norm.key, FACTOR, f"{QK} length", dash=norm.dash),
        ],
        powers(FACTOR.name, -1, 1),
        logarithmic("length", float(every.min()), float(every.max())),
        "Length of the tensor “{step inside}” in block {block}, against the factor on the weights "
        f"of queries and keys. At {{weight factor}} it is {{{PLAIN} length:d3}} without norms on "
        f"them, and {{{QK} length:d3}} with.",
        height=340,
        when={DIAGRAM.name: (QK,)},
    )


def _words() -> Iterator[View]:
    """The chosen placement's equation, and what is to be said of it."""
    for placement in SHOWN:
        here = {DIAGRAM.name: (placement.key,)}
        constants = ""
        if placement.alpha(LAYERS) != 1:
            alpha, beta = placement.alpha(LAYERS), placement.beta(LAYERS)
            constants = f" With L = {LAYERS} blocks α is {alpha:.2f} and β {beta:.2f}."
        users = f" Used by {', '.join(placement.users)}." if placement.users else ""
        yield Readout(f"x′ = {equation(placement)}", "formula", here)
        yield Readout(
            f"{WHERE[placement.key]}{constants}{users} Described in {placement.source}.", when=here
        )
    here = {DIAGRAM.name: (QK,)}
    yield Readout("softmax( N(q) · N(k) / √C ) v", "formula", here)
    yield Readout(
        f"QK-norm stands inside attention and goes with any placement; here with {PRE.label}. Each "
        f"head's queries and keys of {SHAPE.width // SHAPE.heads} numbers are normalized before "
        "they meet. Henry et al. 2020 (arXiv 2010.04245) divided them by their lengths; OLMo 2 "
        "takes RMSNorm over all heads together. Drag the weight factor: it multiplies the matrices "
        "of queries and keys in this block alone. Without the norms scores grow as its square.",
        when=here,
    )
    yield Readout(
        "Wq, Wk, Wv and Wo are the matrices of queries, keys, values and output.", when=here
    )


def _notes(norm: Norm) -> tuple[View, ...]:
    """The model, the text and the numbers that the figure is about."""
    read = passage().replace("\n", " ").replace("{", "{{").replace("}", "}}")
    blocks = {DIAGRAM.name: tuple(o.value for o in DIAGRAM.options if o.value != QK)}
    return (
        Readout(
            f"A language model before training reads the {len(passage())} characters “{read}”, "
            f"from Python's own documentation: {LAYERS} blocks, width {SHAPE.width}, {SHAPE.heads} "
            f"heads, {norm.label}. All placements start from the same random weights, "
            "DeepNorm's in part multiplied by β."
        ),
        Readout(
            "Mean and variance are over all numbers of the tensor that stands out; the length is "
            "that of one character's vector, on average over the characters."
        ),
        Readout(
            "From the queries to the weights, vectors are those of one head, on average over the "
            "heads; scores and weights are those of the characters that may be looked at.",
            when={DIAGRAM.name: (QK,)},
        ),
        Readout(
            "In the equations x is the residual stream, F attention or the feed-forward layer, and "
            "N the norm. Where no norm stands between two steps, they name the same tensor.",
            when=blocks,
        ),
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    diagram = DIAGRAM.options[state[DIAGRAM.name]].value
    keys = {"all": [p.key for p in SHOWN], QK: [PLAIN, QK]}.get(diagram, [diagram])
    rows = []
    for key in keys:
        over = shown.tensors[f"{key} mean"].over
        steps = {name: slice(None) for name in over if name.startswith("step")}
        mean, variance, reach = (
            shown.lookup(f"{key} {of}", {**state, **steps}) for of in ("mean", "variance", "length")
        )
        rows.append(torch.stack([mean, 10**variance, 10**reach], -1))
    yield printed[0], torch.cat(rows)


FIGURE = Figure("blocks", build, (KIND,), seconds=1.5, prints=Prints(_printed))
