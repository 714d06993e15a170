"""Language models trained with and without learning-rate warm-up: failures and losses."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from lnviz.explorable import CellPicker, Chart, Explorable, Grid, Margin, SweptTensor, load_program
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, note, threshold, vline
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.transformer import DEEPNORM, OLMO2, PLACEMENTS, POST, PRE
from lnviz.topics.transformer.learners import halves
from lnviz.topics.transformer.warmup import MARGIN, WARM_UPS, WARMUP, find_failed, pair_loss

SHOWN = (POST.key, PRE.key, DEEPNORM.key, OLMO2.key)
ROWS = tuple((key, warmed) for key in SHOWN for warmed in (False, True))
"""The rows of the table: a placement of norms, and whether it trains with warm-up."""
RUN = "run"
RATE = 0.003
"""The learning rate that is selected at first, and which the text mentions."""
LEARNED_MARK, FAILED_MARK = "○", "✕"
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a table of failed training runs, and the training losses of the selected cell."""
    rates = WARMUP.result.specification.rates
    run = CellPicker(
        RUN,
        tuple(_label(key, warmed) for key, warmed in ROWS),
        tuple(f"{rate:g}" for rate in rates),
        "learning rate",
        (ROWS.index((POST.key, False)), rates.index(RATE)),
        codes=tuple(f'"{key}", {warmed}, {rate:g}' for key, warmed in ROWS for rate in rates),
    )
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(run,),
        tensors=_tensors(),
        views=((_table(), *(_curves(run, warmed) for warmed in (False, True))), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def failing_seeds(key: str) -> int:
    """Return how many models with a placement failed, in all combinations of rate and warm-up."""
    return int(find_failed(WARMUP.result)[WARMUP.result.index("placement", key)].sum())


def _captions() -> RenderedCaptions:
    result = WARMUP.result
    s = result.specification
    sizes = ("layers", "width", "heads", "inner", "context", "steps", "batch")
    return CAPTIONS.render(
        {name: getattr(s, name) for name in sizes}
        | {
            "warm-up": s.warm_up,
            "runs": len(WARM_UPS) * len(s.rates) * len(s.seeds),
            "rate": RATE,
            "small": s.rates[0],
            "unwarmed": float(_losses()[ROWS.index((POST.key, False)), 0].mean()),
            "seeds": len(s.seeds),
            "post": failing_seeds(POST.key),
            "pre": failing_seeds(PRE.key),
            "margin": MARGIN,
            "limit": _frequencies() - MARGIN,
            "frequencies": _frequencies(),
            **pair_losses(),
            "made": result.header.made_with,
        }
    )


def pair_losses() -> dict[str, float]:
    """Return the loss of predicting by pairs of characters, on the training and held-out text."""
    train, held = halves(torch.device("cpu"))
    return {
        "pairs_train": float(pair_loss(train, train)),
        "pairs_held": float(pair_loss(train, held)),
    }


def _label(key: str, warmed: bool) -> str:
    return f"{PLACEMENTS[key].label}, {'with' if warmed else 'no'} warm-up"


def _rows(name: str, *along: str) -> Float[Tensor, "rows rates seeds *points"]:
    """Return an array of the stored result, indexed by the placements and warm-ups of `ROWS`."""
    return _by_row(WARMUP.result.tensor(name, "placement", "warm_up", "rate", "seed", *along))


def _by_row(values: Shaped[Tensor, "placements 2 *rest"]) -> Shaped[Tensor, "rows *rest"]:
    at = [
        (WARMUP.result.index("placement", key), WARM_UPS.index("with" if warmed else "without"))
        for key, warmed in ROWS
    ]
    placements, warm_ups = zip(*at, strict=True)
    return values[list(placements), list(warm_ups)]


def _losses() -> Float[Tensor, "rows rates seeds"]:
    """Return each model's final loss on held-out text."""
    return _rows("loss")


def _frequencies() -> float:
    return float(WARMUP.result.tensor("frequencies"))


def _failed() -> Bool[Tensor, "rows rates seeds"]:
    """Return whether each model's training failed."""
    return _by_row(find_failed(WARMUP.result))


def _tensors() -> dict[str, SweptTensor]:
    """Return final losses of all table cells, and training losses of the selected cell."""
    losses, fails = _losses(), _failed()
    curves = _rows("curve", "step")  # rows,rates,seeds,points
    over, seeds = (RUN,), losses.shape[-1]
    numbers = {"loss": losses.mean(-1), "best": losses.amin(-1), "worst": losses.amax(-1)}
    tensors = {name: SweptTensor(over, values.flatten(), 4) for name, values in numbers.items()}
    # The table shows all cells, whichever one is picked.
    counts = ("", *(f"{n} of {seeds}" for n in range(1, seeds + 1)))
    tensors["failed"] = SweptTensor((), fails.sum(-1).float().flatten(), 0, words=counts)
    lowest = losses.mean(-1).nan_to_num(math.inf).amin(-1)
    tensors["best of the row"] = SweptTensor((), lowest, 4)
    for seed in range(seeds):
        own, lost = curves[:, :, seed], fails[:, :, seed, None]
        for name, values in (
            ("learned", own.masked_fill(lost, torch.nan)),
            ("failed", own.masked_fill(~lost, torch.nan)),
        ):
            tensors[f"{name} {seed}"] = SweptTensor(over, values.flatten(0, 1), 3)
    beside = [ROWS.index((PRE.key, warmed)) for _, warmed in ROWS]
    tensors["pre"] = SweptTensor(over, curves[beside].mean(2).flatten(0, 1), 3)
    return tensors


def _table() -> Grid:
    fails = _failed()
    seeds = fails.shape[-1]
    counts = fails.sum(-1).flatten().tolist()
    return Grid(
        "How many failed (✕), by learning rate",
        RUN,
        float(seeds),
        "failed",
        words=tuple(FAILED_MARK * n + LEARNED_MARK * (seeds - n) for n in counts),
        margins=(Margin("row", "best loss", "best of the row"),),
        color="ink",
        shade="failure",
    )


def _curves(run: CellPicker, warmed: bool) -> Chart:
    """Return the losses of the picked runs, for rows with or without warm-up."""
    result = WARMUP.result
    s, points = result.specification, list(map(float, result.axes["step"]))
    low, high = _rows("curve", "step").nan_to_num(_frequencies()).aminmax()
    colors = {"learned": "soft", "failed": "failure"}
    end = note(s.warm_up, 1, "end of warm-up", above=False, anchor="left", xref="x", yref="paper")
    rows = [row for row, (_, is_warmed) in enumerate(ROWS) if is_warmed == warmed]
    return chart(
        "Training loss (held-out text is easier): {run}",
        [
            line("Pre-LN at this rate, mean", "accent", points, "pre", dash="dash"),
            *(
                line(name, color, points, f"{name} {seed}", width=1.5, showlegend=not seed)
                for name, color in colors.items()
                for seed in range(len(s.seeds))
            ),
            # Also above the losses that end there.
            threshold(_frequencies(), "character frequencies alone", yshift=12),
            *((vline(s.warm_up), end) if warmed else ()),
        ],
        linear_axis("steps", 0, 1.02 * points[-1], padded=False),
        linear_axis("loss, nats per character", float(low), float(high)),
        "The loss during training, {run}: one curve per seed, failed ones in another color, "
        "and Pre-LN’s mean at the same learning rate.",
        height=380,
        when={RUN: tuple(cell for row in rows for cell in run.cells_in_row(row))},
    )


FIGURE = FigureSpec("warmup", build)
