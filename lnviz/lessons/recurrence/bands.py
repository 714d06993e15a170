"""Charts of trained recurrent networks: means over the seeds with bands from lowest to highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Slider, SweptTensor, When
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import Annotation, chart
from lnviz.lessons.charts import mean_with_range as mean_and_range
from lnviz.norms import CATALOGUE
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE

FAMILIES = {"lstm": "LSTM", "gru": "GRU"}


@dataclass(frozen=True)
class Score:
    """A metric of trained recurrent networks, such as accuracy, with its chart titles.

    Attributes:
        outcome: the name of an array of the stored result.
        name: its name in the names of tensors.
        title: the title of the chart.
        axis: the title of the vertical axis.
    """

    outcome: str
    name: str
    title: str
    axis: str


def members(family: str) -> tuple[str, ...]:
    """Return the keys of a family's trained networks (`"lstm"` or `"gru"`), one for each norm."""
    return tuple(key for key in RECURRENCE.result.labels("kind") if key.split("-")[0] == family)


def runs(kind: str, outcome: str) -> Float[Tensor, "runs points"]:
    """Return a metric of one variant of a cell, by seed and by training step or sequence length."""
    along = "length" if outcome == "accuracy_after" else "step"
    return RECURRENCE.result.tensor(outcome, "seed", along, kind=kind)


def lengths() -> tuple[int, ...]:
    """Return the sequence lengths on which the trained networks are tested."""
    return tuple(map(int, RECURRENCE.result.axes["length"]))


def longest() -> int:
    """Return the length of the longest sequence in training."""
    return len(RECURRENCE.result.axes["position"])


def means(score: Score, family: str, along: Slider) -> dict[str, SweptTensor]:
    """Return tensors of a metric's mean over the seeds, for each variant of a cell."""
    return {
        f"{key} {score.name}": SweptTensor((along.name,), runs(key, score.outcome).mean(0), 4)
        for key in members(family)
    }


def bands(
    score: Score, family: str, along: Slider, when: When, words: Sequence[Annotation] = ()
) -> Chart:
    """Draw a metric as a line for each variant of a cell, with a band over the seeds."""
    keys = members(family)
    measured = {key: runs(key, score.outcome) for key in keys}
    curves = [
        mean_and_range(KINDS[key].label, KINDS[key].norm, along, values.T, dash=_dash(key))
        for key, values in measured.items()
    ]
    top = 1.0 if score.axis == "accuracy" else max(float(each.max()) for each in measured.values())
    said = "; ".join(f"{KINDS[key].label}: {score.name} {{{key} {score.name}:2}}" for key in keys)
    return chart(
        f"{score.title}: mean and range of {len(RECURRENCE.result.specification.seeds)} seeds",
        [*curves, words],
        linear_axis(along.name, 0, 1.03 * along.values[-1], padded=False),
        linear_axis(score.axis, 0, 1.04 * top, padded=False),
        f"{score.title}, by {along.name}. At {{{along.name}}}: {said}.",
        height=300 + 24 * len(keys),
        when=when,
    )


def _dash(kind: str) -> str:
    """Return the dash of a variant's line: its norm's dash, or dots for the recommended gain."""
    norm = KINDS[kind].norm
    first = next(key for key in members(kind.split("-")[0]) if KINDS[key].norm == norm)
    return CATALOGUE[norm].dash if kind == first else "dot"
