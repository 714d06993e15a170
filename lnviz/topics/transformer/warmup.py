"""Language models trained with and without warm-up: what became of them.

All learning rates and seeds are trained at once, with and without warm-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.results.arrays import Array, Arrays
from lnviz.results.making import Report
from lnviz.results.stored import Stored
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encoded, text
from lnviz.topics.transformer.language import LanguageModel, LanguageSteps, prediction_loss
from lnviz.topics.transformer.placements import DEEPNORM, OLMO2, PLACEMENTS, POST, PRE
from lnviz.topics.transformer.rewrite import offset
from lnviz.training import Runs, draws, join, start, train

COMPARED = (POST.key, PRE.key, DEEPNORM.key, OLMO2.key)
TESTED = 0.1  # share of the text, its end, that is not trained on
PASSAGES = 64  # of it, evenly spaced, that models are tested with
MARGIN = 0.25
"""By how many nats a model has to be better than the characters' frequencies.

Two trainings that differ in rounding alone have given the same counts; with 0.1 they differ.
"""
WARM_UPS = ("without", "with")


@dataclass(frozen=True)
class Specification:
    """What is trained, the same for all placements, with and without warm-up.

    The learning rate of Adam is constant; with warm-up it gets there in a straight line.

    Args:
        layers: L.
        width: D.
        heads: the number of heads of the attention.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: characters of a passage.
        batch: passages in a batch.
        steps: how many batches each run learns from.
        warm_up: over how many of them the learning rate rises.
        every: over how many batches a training loss is averaged.
        rates: learning rates, rising.
        seeds: the seeds, one a run.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    layers: int = 6
    width: int = 32
    heads: int = 2
    inner: int = 64
    context: int = 16
    batch: int = 8
    steps: int = 600
    warm_up: int = 200
    every: int = 20
    rates: tuple[float, ...] = (0.0003, 0.001, 0.002, 0.003, 0.005, 0.01)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for name in ("context", "batch", "steps", "warm_up", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if self.steps % self.every:
            raise ValueError(
                f"A loss is averaged over every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )


def language_model(specification: Specification, placement: str) -> LanguageModel:
    """Return a model as it starts.

    Args:
        specification: its sizes.
        placement: a key of `PLACEMENTS`.
    """
    s = specification
    shape = Shape(s.width, s.layers, s.heads, s.inner, activation="relu", causal=True)
    return LanguageModel(len(alphabet()), s.context, shape, PLACEMENTS[placement])


def rates(specification: Specification) -> Float[Tensor, "steps 2 rates seeds"]:
    """Return the learning rates of all runs by step: without warm-up, then with it."""
    s = specification
    peak = torch.tensor(s.rates)[:, None].expand(-1, len(s.seeds))
    done = torch.arange(1, s.steps + 1) / s.warm_up
    risen = torch.stack([torch.ones(s.steps), done.clamp(max=1)], 1)  # steps,2
    return risen[..., None, None] * peak


def compare(specification: Specification, on: torch.device, report: Report) -> Arrays:
    """Train the models of all placements on the same passages, and test them.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch, with the placement and the batches done.

    Returns:
        By placement, `"without"` or `"with"` warm-up, learning rate and seed, NaN where a number
        is not finite: `curve`, the loss in training, the mean over the batches up to each step;
        `loss` on text that was not trained on, in nats a character; `offset`, the mean beside the
        root mean square in the residual stream, before the first block (0) and behind each, on
        average over that text. `frequencies`: the loss on it of a model that knows how frequent
        each character is, and nothing else.
    """
    s = specification
    codes = encoded(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    tests = _passages(codes[cut:], s.context)
    measured: dict[str, list[Tensor]] = {"curve": [], "loss": [], "offset": []}
    for key in COMPARED:
        runs, losses = _trained(key, s, codes[:cut], report)
        loss, offsets = _tested(runs, tests)
        measured["curve"].append(losses.unflatten(0, (-1, s.every)).mean(1).T)  # R,points
        measured["loss"].append(loss)
        measured["offset"].append(offsets)
    over = ("placement", "warm_up", "rate", "seed")
    along: dict[str, tuple[str, ...]] = {"curve": ("step",), "loss": (), "offset": ("block",)}
    cells = (len(WARM_UPS), len(s.rates), len(s.seeds))
    arrays = {
        name: Array((*over, *along[name]), _finite(torch.stack(values).unflatten(1, cells)))
        for name, values in measured.items()
    }
    frequencies = _by_frequency(codes[:cut], tests[:, 1:]).double()
    return Arrays(
        {
            "placement": COMPARED,
            "warm_up": WARM_UPS,
            "rate": s.rates,
            "seed": s.seeds,
            "step": tuple(range(s.every, s.steps + 1, s.every)),
            "block": tuple(range(s.layers + 1)),
        },
        arrays | {"frequencies": Array((), frequencies)},
    )


def failed(result: Arrays) -> Bool[Tensor, "placements 2 rates seeds"]:
    """Say of each run whether it diverged or learned little more than frequencies.

    Returns:
        Whether the loss is no number, or not `MARGIN` below `frequencies`.
    """
    loss = result.tensor("loss", "placement", "warm_up", "rate", "seed")
    return ~(loss <= float(result.tensor("frequencies")) - MARGIN)


def _trained(
    key: str, specification: Specification, codes: Int[Tensor, " all"], report: Report
) -> tuple[Runs, Float[Tensor, "steps R"]]:
    s = specification
    begun = start(lambda: language_model(s, key), s.seeds, codes.device)
    runs = join([begun] * (2 * len(s.rates)))
    own = rates(s).flatten(1).to(codes.device)  # steps,R
    losses = []
    for loss in train(runs, _batches(s, codes), rate=own, loss=prediction_loss):
        losses.append(loss)
        report(PLACEMENTS[key].label, len(losses))
    return runs, torch.stack(losses)


def _batches(
    specification: Specification, codes: Int[Tensor, " all"]
) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
    """Passages for each step; all runs of a seed get the same."""
    s = specification
    for begins in draws(s.seeds, len(codes) - s.context, steps=s.steps, batch=s.batch):
        places = begins.to(codes.device)[..., None] + torch.arange(s.context + 1).to(codes.device)
        drawn = codes[places].repeat(2 * len(s.rates), 1, 1)  # R,B,T+1
        yield drawn[..., :-1], drawn[..., 1:]


def _passages(codes: Int[Tensor, " all"], context: int) -> Int[Tensor, "passages T"]:
    begins = torch.linspace(0, len(codes) - context - 1, PASSAGES).long()
    return codes[begins[:, None] + torch.arange(context + 1)]


def _tested(
    runs: Runs, passages: Int[Tensor, "passages T"]
) -> tuple[Float[Tensor, " R"], Float[Tensor, "R points"]]:
    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        streams = [steps.transformer.x, *(block.y for block in steps.transformer.blocks)]
        means = torch.stack([offset(stream).mean() for stream in streams])
        return prediction_loss(steps, passages[:, 1:]), means

    with torch.no_grad():
        loss, means = vmap(of_one)(runs.parameters)
    return loss, means


def _finite(values: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    return values.where(values.isfinite(), torch.nan)


def _by_frequency(
    codes: Int[Tensor, " all"], following: Int[Tensor, "passages T"]
) -> Float[Tensor, ""]:
    # One is added to every count, so that no character is impossible.
    counts = torch.bincount(codes, minlength=len(alphabet())) + 1.0
    return -(counts / counts.sum()).log()[following].mean()


WARMUP = Stored(
    "warmup",
    "Language models trained with and without warm-up.",
    "placement",
    compare,
    Specification(),
    {"layers": 2, "width": 8, "inner": 8, "context": 6, "batch": 3, "steps": 4, "warm_up": 2}
    | {"every": 2, "rates": (0.001, 0.01), "seeds": (0, 1)},
    steps=lambda s: s.steps,
)
