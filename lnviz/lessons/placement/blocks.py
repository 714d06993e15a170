"""A block diagram for each placement of norms, with statistics of the tensor on each arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    View,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, short_log_axis, to_log10
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.placement.block_diagrams import (
    INSIDE,
    STEPS,
    attention_diagram,
    block_diagram,
    equation,
)
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import CATALOGUE, Norm
from lnviz.topics.transformer import DEEPNORM, OLMO2, PERI, POST, PRE, SANDWICH, Placement
from lnviz.topics.transformer.flow import SHAPE, TensorStatistics, attention_flow, flow, passage

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
    return Slider(name, places, start, decimals=0, when=when, has_step_buttons=True, names=steps)


STEP = _walk("step", STEPS, (ALL, *(p.key for p in SHOWN)), 2.0)
WITHIN = _walk("step inside", INSIDE, (QK,), 1.0)
FACTOR = replace(Slider.decades("weight factor", -1, 1, 20, 1.0), when={DIAGRAM.name: (QK,)})
KIND = EnumParameter(
    "kind", "Norm", tuple(Option(k, CATALOGUE[k].label) for k in ("layer", "rms")), "layer"
)
CAPTIONS = load_captions(__file__)


def build(kind: str = "layer") -> Explorable:
    """Build block diagrams of six placements, and of attention with and without QK-norm."""
    norm = CATALOGUE[kind]
    flows = {placement.key: flow(placement, norm) for placement in SHOWN}
    inside = {key: attention_flow(FACTOR.values, key == QK, norm) for key in (PLAIN, QK)}
    said = _captions(norm)
    return Explorable(
        title=said.title,
        controls=(DIAGRAM, BLOCK, STEP, WITHIN, FACTOR),
        tensors=_tensors(flows, inside),
        views=(
            (*_diagrams(norm), *(_lengths(p, flows) for p in SHOWN), _scores(norm, inside)),
            said.readouts,
        ),
        code=load_program(__file__, kind=f'"{kind}"'),
    )


def _tensors(
    flows: Mapping[str, TensorStatistics], inside: Mapping[str, TensorStatistics]
) -> dict[str, SweptTensor]:
    """Return mean, variance and length of every tensor in the diagrams, for every block."""
    within = (BLOCK.name, FACTOR.name, WITHIN.name)
    return {
        "before": SweptTensor((BLOCK.name,), torch.arange(LAYERS), 0),
        "after": SweptTensor((BLOCK.name,), torch.arange(LAYERS).flip(0), 0),
        **_statistics((BLOCK.name, STEP.name), flows, None),
        **_statistics(within, inside, 4),
    }


def _statistics(
    over: tuple[str, ...], statistics: Mapping[str, TensorStatistics], decimals: int | None
) -> dict[str, SweptTensor]:
    tensors = {}
    for key, tensor in statistics.items():
        tensors[f"{key} mean"] = SweptTensor(over, tensor.mean, 4)
        tensors[f"{key} variance"] = SweptTensor(over, to_log10(tensor.var), decimals)
        tensors[f"{key} length"] = SweptTensor(over, to_log10(tensor.length), decimals)
    return tensors


def _numbers(key: str) -> str:
    """Return a caption template with mean, variance and length of the highlighted tensor."""
    return f"mean {{{key} mean:3}}\nvariance {{{key} variance:d3}}\nlength {{{key} length:d3}}"


def _diagrams(norm: Norm) -> Iterator[View]:
    for placement in SHOWN:
        drawn = block_diagram(placement, norm, LAYERS, STEP.name, _numbers(placement.key))
        yield replace(drawn, when={DIAGRAM.name: (ALL, placement.key)})
    for key, title in ((PLAIN, "Attention\nwithout QK-norm"), (QK, "Attention\nwith QK-norm")):
        drawn = attention_diagram(norm if key == QK else None, title, WITHIN.name, _numbers(key))
        yield replace(drawn, when={DIAGRAM.name: (QK,)})


def _lengths(placement: Placement, flows: Mapping[str, TensorStatistics]) -> Chart:
    """Draw the Euclidean length of the highlighted tensor against the block number."""
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
        linear_axis(BLOCK.name, BLOCK.values[0], BLOCK.values[-1]),
        short_log_axis("length", float(every.min()), float(every.max())),
        f"The length of the tensor “{{step}}” in every block, for six placements. With "
        f"{placement.label}, it is {{{placement.key} length:d3}} in block {{block}}.",
        height=460,
        when={DIAGRAM.name: (placement.key,)},
    )


def _scores(norm: Norm, inside: Mapping[str, TensorStatistics]) -> Chart:
    """Draw a tensor's length in attention against the scale factor of query and key weights."""
    every = torch.stack([statistics.length for statistics in inside.values()])
    return chart(
        "“{step inside}”: its length",
        [
            line("without", "none", FACTOR, f"{PLAIN} length", width=4.5),
            line("with QK-norm", norm.key, FACTOR, f"{QK} length", dash=norm.dash),
        ],
        log_axis(FACTOR.name, -1, 1),
        short_log_axis("length", float(every.min()), float(every.max())),
        "What larger query and key weights do to the tensor “{step inside}” in block {block}. "
        f"With weights times {{weight factor}}, its length is {{{PLAIN} length:d3}} without "
        f"QK-norm and {{{QK} length:d3}} with it.",
        height=340,
        when={DIAGRAM.name: (QK,)},
    )


def _captions(norm: Norm) -> RenderedCaptions:
    """Return the captions on the placements, on the model and on its input text."""
    read = passage()
    return CAPTIONS.render(
        {
            "layers": LAYERS,
            "alpha": DEEPNORM.alpha(LAYERS),
            "beta": DEEPNORM.beta(LAYERS),
            "with": PRE.label,
            "head": SHAPE.width // SHAPE.heads,
            "characters": len(read),
            "passage": read.replace("\n", " ").replace("{", "{{").replace("}", "}}"),
            "width": SHAPE.width,
            "heads": SHAPE.heads,
            "norm": norm.label,
        },
        {
            "placement": tuple(
                CaptionVariant(
                    {DIAGRAM.name: (p.key,)},
                    {
                        "key": p.key,
                        "label": p.label,
                        "equation": equation(p),
                        "source": p.source,
                    },
                )
                for p in SHOWN
            ),
            "used": tuple(
                CaptionVariant({DIAGRAM.name: (p.key,)}, {"users": ", ".join(p.users)})
                for p in SHOWN
                if p.users
            ),
        },
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    diagram = DIAGRAM.options[state[DIAGRAM.name]].value
    keys = {"all": [p.key for p in SHOWN], QK: [PLAIN, QK]}.get(diagram, [diagram])
    rows = []
    for key in keys:
        over = shown.tensors[f"{key} mean"].dims
        steps = {name: slice(None) for name in over if name.startswith("step")}
        mean, variance, reach = (
            shown.lookup(f"{key} {of}", {**state, **steps}) for of in ("mean", "variance", "length")
        )
        rows.append(torch.stack([mean, 10**variance, 10**reach], -1))
    yield printed[0], torch.cat(rows)


FIGURE = FigureSpec(
    "blocks", build, (KIND,), cpu_seconds=1.5, program_output=ProgramOutput(_printed)
)
