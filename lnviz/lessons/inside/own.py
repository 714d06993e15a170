"""Figures of a run of somebody's own model, norm by norm, as `lnviz.watch` has seen it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from lnviz.explorable import Explorable, Slider, Swept
from lnviz.lessons.chart_axes import decades, linear, powers
from lnviz.lessons.charts import chart, line
from lnviz.topics.watched import Run, Seen

Curves = dict[str, tuple[str, Callable[[Seen], float]]]


def _gain(share: float) -> Callable[[Seen], float]:
    def of(norm: Seen) -> float:
        return torch.nan if norm.gains is None else float(norm.gains.abs().quantile(share))

    return of


FIGURES: dict[str, tuple[str, str, Curves]] = {
    "stream": (
        "Size of what goes into each norm, and of what comes out",
        "root mean square",
        {
            "before the norm": ("ink", lambda norm: norm.median("x_median")),
            "after it": ("accent", lambda norm: norm.median("y_rms")),
        },
    ),
    "massive": (
        "The largest component of what goes into each norm, and its root mean square",
        "size",
        {
            "largest component": ("ink", lambda norm: norm.most("x_largest")),
            "root mean square": ("accent", lambda norm: norm.median("x_rms")),
        },
    ),
    "gains": (
        "Sizes of each norm's gains",
        "size of the gain",
        {
            "largest": ("ink", _gain(1.0)),
            "median": ("accent", _gain(0.5)),
            "smallest tenth": ("soft", _gain(0.1)),
        },
    ),
    "gradients": (
        "Size of the gradient behind each norm, and of what it hands on",
        "root mean square of the gradient",
        {
            "behind the norm": ("ink", lambda norm: norm.median("gradient_out")),
            "before it": ("accent", lambda norm: norm.median("gradient_in")),
        },
    ),
}
"""Of each figure its title, its axis, and its curves: their colors, and what they show."""


def figure(run: Run, name: str) -> Explorable:
    """Return a figure of a run.

    Args:
        run: what was seen.
        name: one of `FIGURES`.

    Raises:
        ValueError: there is no such figure, or the run has not two norms to draw in it.
    """
    if name not in FIGURES:
        raise ValueError(f"A figure of a run is one of {', '.join(FIGURES)}; got {name!r}.")
    title, axis, curves = FIGURES[name]
    norms = list(run.norms.values())
    values = {label: _sizes(norms, of) for label, (_, of) in curves.items()}
    known = torch.stack(list(values.values()))
    seen = known[:, known.isfinite().all(0)]
    if seen.shape[1] < 2:
        needs = "Call backward() inside the block." if name == "gradients" else "Call the model."
        raise ValueError(f"Fewer than two norms of this run have what {name!r} shows. {needs}")
    at = [place for place in range(len(norms)) if bool(known[:, place].isfinite().all())]
    places = tuple(float(place) for place in range(len(at)))
    norm = Slider("norm", places, places[-1], 0, names=tuple(norms[place].name for place in at))
    logs = {label: decades(each[at], FLOOR) for label, each in values.items()}
    low, high = torch.cat(list(logs.values())).aminmax()
    said = ", ".join(f"{label} {{{label}:g3}}" for label in logs)
    return Explorable(
        title=f"{run.result.specification.model}: {title}",
        controls=(norm,),
        tensors={label: Swept((norm.name,), each[at], 4) for label, each in values.items()},
        views=(
            (
                chart(
                    f"{{norm}}: {said}",
                    [line(label, curves[label][0], norm, each) for label, each in logs.items()],
                    linear("norm, in the order of the calls", 0.0, places[-1], zeroline=False),
                    powers(axis, float(low), max(float(high), float(low) + 0.5)),
                    f"{title}, logarithmic, by norm. At {{norm}}: {said}.",
                ),
            ),
        ),
    )


FLOOR = -12.0
"""The power of ten at which what is smaller, or 0, is drawn."""


def _sizes(norms: list[Seen], of: Callable[[Seen], float]) -> Tensor:
    return torch.tensor([of(norm) for norm in norms])
