"""Charts of the trained networks: for each a mean over the seeds, in a band that holds them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Slider, Swept, When
from lnviz.lessons.plots import band, legend, line, mark
from lnviz.norms import CATALOGUE
from lnviz.topics.recurrence.comparison import stored
from lnviz.topics.recurrence.reader import KINDS

FAMILIES = {"lstm": "LSTM", "gru": "GRU"}


@dataclass(frozen=True)
class Score:
    """What a chart shows of the networks.

    Attributes:
        outcome: an attribute of `Outcome`.
        name: in the names of tensors.
        title: of the chart.
        axis: of its heights.
    """

    outcome: str
    name: str
    title: str
    axis: str


def members(family: str) -> tuple[str, ...]:
    """The kinds of network whose cell is this."""
    return tuple(key for key in stored().kinds if key.split("-")[0] == family)


def runs(kind: str, outcome: str) -> Float[Tensor, "runs points"]:
    """What was measured of a kind of network, by the name of `Outcome`'s attribute."""
    return torch.tensor(getattr(stored().kinds[kind], outcome))


def means(score: Score, family: str, along: Slider) -> dict[str, Swept]:
    """Means over the seeds: of each kind by itself, and of a family's together for its marks."""
    keys, moved = members(family), (along.name,)
    rows = torch.stack([runs(key, score.outcome).mean(0) for key in keys], 1)  # points,kinds
    places = torch.tensor(along.values)[:, None].expand_as(rows)
    each = {f"{key} {score.name}": Swept(moved, rows[:, at], 4) for at, key in enumerate(keys)}
    marks = {f"all {family} {score.name}": rows, f"all {family} at": places}
    return each | {name: Swept(moved, values, 4) for name, values in marks.items()}


def numbers(scores: Sequence[Score], family: str) -> str:
    """A template that says what was measured of every kind in a family."""
    return "; ".join(
        f"{stored().kinds[key].label}: "
        + ", ".join(f"{each.name} {{{key} {each.name}:2 value}}" for each in scores)
        for key in members(family)
    )


def bands(score: Score, family: str, along: Slider, when: When) -> Chart:
    """A line for each kind of network in its band from the lowest seed to the highest."""
    keys, places = members(family), list(along.values)
    found = [runs(key, score.outcome) for key in keys]
    figure = go.Figure()
    for key, values in zip(keys, found, strict=True):
        low, high = (end.tolist() for end in values.aminmax(dim=0))
        figure.add_trace(band(KINDS[key].norm, places, low, high))
    for key, values in zip(keys, found, strict=True):
        label, norm, mean = stored().kinds[key].label, KINDS[key].norm, values.mean(0).tolist()
        figure.add_trace(line(label, norm, places, dash=_dash(key), y=mean))
    figure.add_trace(mark(token=[KINDS[key].norm for key in keys]))
    top = 1.0 if score.axis == "share" else max(float(values.max()) for values in found)
    figure.update_xaxes(range=[0, 1.03 * places[-1]], title=along.name)
    figure.update_yaxes(range=[0, 1.04 * top], title=score.axis)
    legend(figure)
    said = numbers([score], family).replace(" value}", "}")
    return Chart(
        f"{score.title}: mean and range of {len(stored().specification.seeds)} seeds",
        figure,
        {2 * len(keys): {"x": f"all {family} at", "y": f"all {family} {score.name}"}},
        f"{score.title}, against {along.name}. At {{{along.name}}}: {said}.",
        height=300 + 24 * len(keys),
        when=when,
    )


def _dash(kind: str) -> str:
    """Of its norm; dotted where another kind has the same norm and its recommended gain."""
    norm = KINDS[kind].norm
    first = next(key for key in members(kind.split("-")[0]) if KINDS[key].norm == norm)
    return CATALOGUE[norm].dash if kind == first else "dot"
