"""The divisor (standard deviation or RMS) of every norm of a published model, by token."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Slider, SweptTensor, When
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, line
from lnviz.pretrained.packages import MINILM
from lnviz.pretrained.records import EPSILONS, TextRecord

ROOM = 0.3  # margin below the least value, as a power of ten
MANY, EVERY = 12, 5  # from 12 positions on, only every fifth layer has a tick
BEHIND = 0.5  # of a layer, from the norm of attention to that of the feed-forward layer


def divisor_tensors(record: TextRecord, epsilon: Slider) -> dict[str, SweptTensor]:
    """Return the tensor of the line at the square root of epsilon; NaN below the chart's axis."""
    roots = torch.tensor(EPSILONS).log10() / 2
    seen = roots.where(roots >= _ends(record)[0], torch.nan)
    return {"root line": SweptTensor((epsilon.name,), seen[:, None].expand(-1, 2).contiguous(), 3)}


def spread(record: TextRecord, when: When) -> Chart:
    """Draw each norm's divisor against depth: for the first token, and for all other tokens.

    Args:
        record: a text of two tokens or more.
        when: the control values at which it is shown.
    """
    at, by = columns(record.norms), to_log10(spreads(record))  # S,T
    first, others = by[:, 0], by[:, 1:]
    range_of_others = (others.amin(1), others.amax(1))
    middle, average = others.median(1).values, to_log10(spreads(record).mean(1))
    return chart(
        "What each norm divides by, as trained",
        [
            line("first token", "ink", at, first),
            line("median of the others", "accent", at, middle, band=range_of_others),
            line("mean of all", "soft", at, average, width=2, dash="dash"),
            line("√epsilon", "ink", [at[0], at[-1]], "root line", width=1.5, dash="dot"),
        ],
        linear_axis(
            "layer (feed-forward halfway to the next)",
            at[0] - BEHIND,
            at[-1] + BEHIND,
            padded=False,
            ticks=ticks(record.locations),
            zeroline=False,
        ),
        log_axis("sigma" if _centers(record) else "root mean square", *_ends(record)),
        "What each norm of the trained model divides by, layer by layer: the first token, the "
        "median of the others in a band from the least to the largest, and the mean of all. "
        "The root of epsilon {epsilon} is drawn where it is not far below these. Logarithmic.",
        height=360,
        when=when,
    )


def spreads(record: TextRecord) -> Float[Tensor, "S T"]:
    """Return each norm's divisor for each token, without epsilon: standard deviation or RMS."""
    rms, mean = torch.tensor(record.x_rms), torch.tensor(record.x_mean)
    return (rms.square() - mean.square()).sqrt() if _centers(record) else rms


def norm_positions(places: tuple[str, ...]) -> list[float]:
    """Return the position on an axis of layers of each group of norms, given the names of layers.

    >>> norm_positions(("embedding", "layers.0", "layers.1")), norm_positions(("layers.0", "final"))
    ([-1.0, 0.0, 1.0], [0.0, 1.0])
    """
    first = places.index("layers.0")
    return [float(n - first) for n in range(len(places))]


def ticks(places: tuple[str, ...]) -> dict[float, str]:
    """Return the tick labels of an axis of layers, keyed by position on the axis.

    >>> ticks(("embedding", "layers.0", "layers.1"))
    {-1.0: 'embedding', 0.0: '0', 1.0: '1'}
    """
    numbers = dict(zip(norm_positions(places), places, strict=True))
    every = EVERY if len(numbers) > MANY else 1
    return {
        number: place.removeprefix("layers.")
        for number, place in numbers.items()
        if not place.startswith("layers.") or number % every == 0
    }


def columns(norms: tuple[str, ...]) -> list[float]:
    """Return each norm's position on an axis of layers; a layer's second norm is at a half-integer.

    >>> columns(("embedding", "layers.0.attention", "layers.0.feedforward"))
    [-1.0, 0.0, 0.5]
    """
    first = norms.index("layers.0.attention")
    return [BEHIND * (n - first) if n >= first else float(n - first) for n in range(len(norms))]


def _ends(record: TextRecord) -> tuple[float, float]:
    low, high = to_log10(spreads(record)).aminmax()
    return float(low) - ROOM, float(high) + ROOM


def _centers(record: TextRecord) -> bool:
    return record.model == MINILM.key
