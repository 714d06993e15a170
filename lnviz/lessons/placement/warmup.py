"""Language models trained with and without warm-up: final losses, and the curves behind them."""

from __future__ import annotations

import math

from jaxtyping import Float, Shaped
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Grid, Pointer, Readout, Row, Swept, program
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import chart, line, note, threshold, upright
from lnviz.lessons.lesson import Figure
from lnviz.topics.transformer import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.warmup import MARGIN, WARM_UPS, WARMUP, failed

ROWS = tuple((key, warmed) for key in (POST.key, PRE.key) for warmed in (False, True))
"""The rows of the table: a placement, and whether it trains with warm-up."""
RUN = "run"
RATE = 0.003
"""The learning rate at which the figure opens, and of which the text asks."""


def build() -> Explorable:
    """Build a table of final losses, and the losses in training of the cell pointed at."""
    rates = WARMUP.result.specification.rates
    run = Pointer(
        RUN,
        tuple(_label(key, warmed) for key, warmed in ROWS),
        tuple(f"{rate:g}" for rate in rates),
        "learning rate",
        (ROWS.index((POST.key, False)), rates.index(RATE)),
        codes=tuple(f"{key == PRE.key}, {warm}, {rate:g}" for key, warm in ROWS for rate in rates),
    )
    return Explorable(
        title="Language models trained with and without warm-up",
        controls=(run,),
        tensors=_tensors(),
        views=(
            (_table(),),
            (_curves(),),
            (*_words(), *_verdicts(), *_specification()),
        ),
        code=program(__file__),
    )


def _label(key: str, warmed: bool) -> str:
    return f"{PLACEMENTS[key].label}, {'with' if warmed else 'no'} warm-up"


def _rows(name: str, *along: str) -> Float[Tensor, "rows rates seeds *points"]:
    """An array of the stored result, a row for each of `ROWS`."""
    return _by_row(WARMUP.result.tensor(name, "placement", "warm_up", "rate", "seed", *along))


def _by_row(values: Shaped[Tensor, "placements 2 *rest"]) -> Shaped[Tensor, "rows *rest"]:
    at = [
        (WARMUP.result.index("placement", key), WARM_UPS.index("with" if warmed else "without"))
        for key, warmed in ROWS
    ]
    placements, warm_ups = zip(*at, strict=True)
    return values[list(placements), list(warm_ups)]


def _losses() -> Float[Tensor, "rows rates seeds"]:
    """Losses at the end, on text that was not trained on."""
    return _rows("loss")


def _frequencies() -> float:
    return float(WARMUP.result.tensor("frequencies"))


def _failed() -> Float[Tensor, "rows rates"]:
    """How many of the seeds failed."""
    return _by_row(failed(WARMUP.result)).sum(-1).float()


def _tensors() -> dict[str, Swept]:
    """Losses at the end for every cell, and losses in training for the one pointed at."""
    losses = _losses()
    curves = _rows("curve", "step")  # rows,rates,seeds,points
    over = (RUN,)
    numbers = {
        "loss": losses.mean(-1),
        "best": losses.amin(-1),
        "worst": losses.amax(-1),
        "failed": _failed(),
    }
    tensors = {name: Swept(over, values.flatten(), 4) for name, values in numbers.items()}
    # The table draws all cells at once, wherever the pointer stands.
    tensors["beyond"] = Swept((), (losses.mean(-1) - _frequencies()).flatten(), 4)
    for seed in range(losses.shape[-1]):
        tensors[f"curve {seed}"] = Swept(over, curves[:, :, seed].flatten(0, 1), 3)
    for warmed in (False, True):
        same = [ROWS.index((key, warmed)) for key, _ in ROWS]
        means = curves[same].mean(2).flatten(0, 1)
        tensors[f"mean {_warmed(warmed)}"] = Swept(over, means, 3)
    return tensors


def _warmed(warmed: bool) -> str:
    return "with warm-up" if warmed else "without warm-up"


def _table() -> Grid:
    losses, failing = _losses(), _failed()
    seeds = losses.shape[-1]
    words = []
    for loss, fails in zip(losses.mean(-1).flatten().tolist(), failing.flatten(), strict=True):
        first = "diverged" if math.isnan(loss) else f"{loss:.2f} nats"
        words.append(first + (f"\n{fails:.0f} of {seeds} failed" if fails else ""))
    reach = float((losses - _frequencies()).abs().nan_to_num().max())
    return Grid(
        "Loss at the end, by learning rate",
        RUN,
        reach,
        "beyond",
        words=tuple(words),
    )


def _curves() -> Chart:
    result = WARMUP.result
    s, points = result.specification, list(map(float, result.axes["step"]))
    low, high = _rows("curve", "step").nan_to_num(_frequencies()).aminmax()
    without, warmed = _warmed(False), _warmed(True)
    return chart(
        "Loss in training: {run}",
        [
            *(
                line("each seed", "soft", points, f"curve {seed}", width=1.2, showlegend=not seed)
                for seed in range(len(s.seeds))
            ),
            line(f"mean {without}", "ink", points, f"mean {without}"),
            line(f"mean {warmed}", "accent", points, f"mean {warmed}", dash="dash"),
            threshold(_frequencies(), "frequencies alone"),
            upright(s.warm_up),
            note(
                s.warm_up,
                1,
                "end of warm-up",
                above=False,
                anchor="left",
                xref="x",
                yref="paper",
            ),
        ],
        linear("batches", 0, 1.02 * points[-1], room=False),
        linear("loss, nats a character", float(low), float(high)),
        "Loss in training by batches, {run}: every seed, and the means with and without warm-up of "
        "the same placement at the same learning rate.",
        height=380,
    )


def _words() -> Row:
    seeds = len(WARMUP.result.specification.seeds)
    return (
        Readout(
            f"In each cell of the table: the mean loss of {seeds} seeds at the end, in nats a "
            "character, and below it how far that is from the loss of a model that knows how "
            f"frequent each character is and nothing else, {_frequencies():.2f} nats. Runs have "
            f"failed whose loss is no number, or less than {MARGIN:g} nats below that."
        ),
        Readout(
            "{run}: {loss:2 value} nats a character at the end, from {best:2} to {worst:2} over "
            f"{seeds} seeds; {{failed:0 value}} of {seeds} failed.",
            given="loss",
        ),
        Readout(
            "{run}: a loss that is no number, in {failed:0 value} of the runs.", lacking="loss"
        ),
    )


def _verdicts() -> Row:
    """Where runs failed, and the best mean loss of each row."""
    fails = "; ".join(
        f"{_label(*row)}: {_fails(counts.tolist())}"
        for row, counts in zip(ROWS, _failed(), strict=True)
    )
    rates = WARMUP.result.specification.rates
    best = "; ".join(
        f"{_label(*row)}: {float(loss.min()):.2f} at {rates[int(loss.argmin())]:g}"
        for row, loss in zip(ROWS, _losses().mean(-1).nan_to_num(math.inf), strict=True)
    )
    return (
        Readout(
            f"Failed runs of {len(WARMUP.result.specification.seeds)}. {fails}.",
            "verdict",
        ),
        Readout(f"The best mean loss. {best}."),
    )


def _fails(counts: list[float]) -> str:
    rates = WARMUP.result.specification.rates
    failures = [f"{n:.0f} at {rate:g}" for n, rate in zip(counts, rates, strict=True) if n]
    return ", ".join(failures) or "none"


def _specification() -> Row:
    result = WARMUP.result
    s = result.specification
    return (
        Readout(
            f"The models: {s.layers} layers of width {s.width}, {s.heads} heads, {s.inner} hidden "
            f"units with ReLU, weights after Xavier. They read {s.context} characters at a time of "
            "Python's documentation and predict the one that follows; the last tenth of the text "
            f"is for testing. {s.steps} batches of {s.batch} passages, the same for all; Adam; "
            f"the learning rate is constant, or rises in a straight line over {s.warm_up} batches "
            "and is constant from there."
        ),
        Readout(result.header.made_with),
    )


FIGURE = Figure("warmup", build)
