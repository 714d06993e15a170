"""Training experiment: language models with and without learning-rate warm-up.

All learning rates and seeds are trained at once, with and without warm-up.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer.documentation import alphabet, spaced_passages
from lnviz.topics.transformer.language import LanguageSteps, prediction_loss
from lnviz.topics.transformer.learners import PASSAGES, QUICK, Learners, halves
from lnviz.topics.transformer.placements import DEEPNORM, OLMO2, PLACEMENTS, POST, PRE
from lnviz.topics.transformer.rewrite import offset
from lnviz.training import Runs, concat_runs, initialize, train
from lnviz.training.warm_up import warm_up_factors

COMPARED = (POST.key, PRE.key, DEEPNORM.key, OLMO2.key)
MARGIN = 0.25
"""Minimum improvement of a trained model over the characters' frequencies, in nats.

Two trainings that differ in rounding alone have given the same counts; with 0.1 they differ.
"""
WARM_UPS = ("without", "with")


@dataclass(frozen=True)
class WarmupSpecification(Learners):
    """Settings for training with and without learning-rate warm-up, the same for all placements.

    The learning rate of Adam is constant; with warm-up, it first rises linearly to that value.

    Args:
        steps: number of training steps.
        warm_up: number of steps over which the learning rate rises.
        every: number of steps that a training loss is averaged over.
        rates: learning rates, ascending.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    steps: int = 600
    warm_up: int = 200
    every: int = 20
    rates: tuple[float, ...] = (0.0003, 0.001, 0.002, 0.003, 0.005, 0.01)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps % self.every:
            raise ValueError(
                f"A loss is averaged over every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )


def rates(specification: WarmupSpecification) -> Float[Tensor, "steps 2 rates seeds"]:
    """Return the learning rate of every run at each training step, without and with warm-up."""
    s = specification
    peak = torch.tensor(s.rates)[:, None].expand(-1, len(s.seeds))
    risen = torch.stack([warm_up_factors(s.steps, over) for over in (0, s.warm_up)], 1)  # steps,2
    return risen[..., None, None] * peak


def compare(
    specification: WarmupSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train language models with each placement of norms, with and without warm-up, and test them.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch, with the placement and the number of batches done.

    Returns:
        By placement, `"without"` or `"with"` warm-up, learning rate and seed, NaN where a value is
        not finite: `curve`, the training loss averaged over each `every` steps; `loss` on held-out
        text, in nats per character; `offset`, |mean| / RMS of the residual stream before the first
        block (0) and after each block, averaged over the held-out text. `frequencies`: the loss of
        a model that predicts the characters' frequencies only, on the same text.
    """
    s = specification
    codes, tested = halves(on)
    tests = spaced_passages(tested, s.context, PASSAGES)
    measured: dict[str, list[Tensor]] = {"curve": [], "loss": [], "offset": []}
    for key in COMPARED:
        runs, losses = _trained(key, s, codes, report)
        loss, offsets = _tested(runs, tests)
        measured["curve"].append(losses.unflatten(0, (-1, s.every)).mean(1).T)  # R,points
        measured["loss"].append(loss)
        measured["offset"].append(offsets)
    over = ("placement", "warm_up", "rate", "seed")
    along: dict[str, tuple[str, ...]] = {"curve": ("step",), "loss": (), "offset": ("block",)}
    cells = (len(WARM_UPS), len(s.rates), len(s.seeds))
    arrays = {
        name: NamedArray((*over, *along[name]), _finite(torch.stack(values).unflatten(1, cells)))
        for name, values in measured.items()
    }
    frequencies = frequency_loss(codes, tests[:, 1:]).double()
    return ArrayDataset(
        {
            "placement": COMPARED,
            "warm_up": WARM_UPS,
            "rate": s.rates,
            "seed": s.seeds,
            "step": tuple(range(s.every, s.steps + 1, s.every)),
            "block": tuple(range(s.layers + 1)),
        },
        arrays | {"frequencies": NamedArray((), frequencies)},
    )


def find_failed(result: ArrayDataset) -> Bool[Tensor, "placements 2 rates seeds"]:
    """Return a mask of the runs that diverged or learned little beyond character frequencies.

    Returns:
        True if the loss is not finite, or not at least `MARGIN` below `frequencies`.
    """
    loss = result.tensor("loss", "placement", "warm_up", "rate", "seed")
    return ~(loss <= float(result.tensor("frequencies")) - MARGIN)


def _trained(
    key: str,
    specification: WarmupSpecification,
    codes: Int[Tensor, " all"],
    report: ProgressCallback,
) -> tuple[Runs, Float[Tensor, "steps R"]]:
    s = specification
    begun = initialize(lambda: s.model(PLACEMENTS[key]), s.seeds, codes.device)
    copies = len(WARM_UPS) * len(s.rates)
    runs = concat_runs([begun] * copies)
    own = rates(s).flatten(1).to(codes.device)  # steps,R
    losses = []
    for loss in train(runs, s.batches(codes, copies), rate=own, loss=prediction_loss):
        losses.append(loss)
        report(PLACEMENTS[key].label, len(losses))
    return runs, torch.stack(losses)


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


def frequency_loss(
    codes: Int[Tensor, " all"], following: Int[Tensor, "passages T"]
) -> Float[Tensor, ""]:
    """Return the loss, in nats, of a model that predicts only the characters' frequencies.

    Args:
        codes: the text whose characters are counted.
        following: the characters to predict.
    """
    # One is added to every count, so that no character is impossible.
    counts = torch.bincount(codes, minlength=len(alphabet())) + 1.0
    return -(counts / counts.sum()).log()[following].mean()


def pair_loss(codes: Int[Tensor, " all"], predicted: Int[Tensor, " some"]) -> Float[Tensor, ""]:
    """Return the loss, in nats, of predicting each character of a text from the one before.

    Args:
        codes: the text whose pairs of characters are counted.
        predicted: the text to predict.
    """
    size = len(alphabet())
    # One is added to every count, so that no pair is impossible.
    counts = torch.bincount(size * codes[:-1] + codes[1:], minlength=size**2).view(size, size) + 1.0
    return -(counts / counts.sum(1, keepdim=True)).log()[predicted[:-1], predicted[1:]].mean()


WARMUP = Artifact(
    "warmup",
    "Language models trained with and without warm-up.",
    "placement",
    compare,
    WarmupSpecification(),
    QUICK | {"steps": 4, "warm_up": 2, "every": 2, "rates": (0.001, 0.01), "seeds": (0, 1)},
    count_steps=lambda s: s.steps,
)
