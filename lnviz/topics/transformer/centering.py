"""Training experiment: the mean of the residual stream with LayerNorm and with RMSNorm.

All seeds are trained at once. Centering is removed from the models with LayerNorm at every measured
step of the training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.norms import CATALOGUE, LAYER, RMS
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer.documentation import spaced_passages
from lnviz.topics.transformer.language import (
    LanguageModel,
    LanguageSteps,
    norm_inputs,
    prediction_loss,
)
from lnviz.topics.transformer.learners import PASSAGES, QUICK, Learners, halves
from lnviz.topics.transformer.rewrite import offset, with_rms, without_centering
from lnviz.training import Runs, initialize, train

COMPARED = (LAYER.key, RMS.key)
REWRITINGS = ("centered", "replaced")
"""Ways to replace LayerNorm by RMSNorm: after giving the stream mean 0, or without doing so."""

Passages = Int[Tensor, "passages T"]
Rewrite = Callable[[LanguageModel], LanguageModel]


@dataclass(frozen=True)
class CenteringSpecification(Learners):
    """Settings for training language models, the same with LayerNorm and with RMSNorm.

    Args:
        every: number of steps between measurements.
        rate: Adam's learning rate.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    every: int = 20
    rate: float = 0.003

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps % self.every:
            raise ValueError(
                f"Runs are measured after every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )

    @property
    def points(self) -> tuple[int, ...]:
        """The training steps at which the models are measured."""
        return tuple(range(0, self.steps + 1, self.every))

    @property
    def norms(self) -> tuple[str, ...]:
        """The names of the norms in order of execution, each named after the layer it feeds."""
        pairs = [(f"attention {n}", f"feed-forward {n}") for n in range(1, self.layers + 1)]
        return (*(name for pair in pairs for name in pair), "read-out")


def at_random(width: int) -> float:
    r"""Return the expected ratio |mean| / RMS of a random vector with this many components.

    It is the mean absolute value of a coordinate of a random unit vector:

    $$\frac{\Gamma(D / 2)}{\sqrt\pi\, \Gamma((D + 1) / 2)}$$

    Args:
        width: D, number of components.

    >>> round(at_random(48), 4)
    0.1158
    """
    return math.exp(math.lgamma(width / 2) - math.lgamma((width + 1) / 2)) / math.sqrt(math.pi)


def measure(
    specification: CenteringSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train models with LayerNorm and RMSNorm, and measure their residual streams along the way.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch, with the norm and the number of batches done.

    Returns:
        All are measured on held-out text, by step and seed. By type of norm and norm layer:
        `offset`, |mean| / RMS of the layer's input, and `size`, the RMS of its input. By type of
        norm: `loss` in nats per character. For the models with LayerNorm, by rewriting:
        `changed_loss`, the loss after it; `change`, the largest change of a logit; `exact_change`,
        the same in float64.
    """
    s = specification
    codes, tested = halves(on)
    tests = spaced_passages(tested, s.context, PASSAGES)
    measured: list[tuple[Tensor, ...]] = []
    rewritten: list[Tensor] = []
    for key in COMPARED:
        for runs in _train_in_stages(key, s, codes, report):
            measured.append(_measure_streams(runs, tests))
            if key == LAYER.key:
                both = (
                    _compare_rewritten(s, runs, tests, way) for way in (without_centering, with_rms)
                )
                rewritten.append(torch.stack(list(both)))  # 2,3,R
    by_norm = [
        torch.stack(values).unflatten(0, (len(COMPARED), -1))
        for values in zip(*measured, strict=True)
    ]
    changes = torch.stack(rewritten).movedim((2, 1), (0, 1))  # 3,2,points,R
    over = ("norm", "step", "seed")
    arrays = {
        name: NamedArray((*over, *along), values)
        for (name, along), values in zip(
            {"offset": ("place",), "size": ("place",), "loss": ()}.items(), by_norm, strict=True
        )
    }
    arrays |= {
        name: NamedArray(("rewriting", "step", "seed"), values)
        for name, values in zip(("change", "exact_change", "changed_loss"), changes, strict=True)
    }
    return ArrayDataset(
        {
            "norm": COMPARED,
            "rewriting": REWRITINGS,
            "step": s.points,
            "seed": s.seeds,
            "place": s.norms,
        },
        arrays,
    )


def _train_in_stages(
    key: str,
    specification: CenteringSpecification,
    codes: Int[Tensor, " all"],
    report: ProgressCallback,
) -> Iterator[Runs]:
    """Train models with the given norm; yield them at each step where they are measured."""
    s = specification
    runs = initialize(lambda: s.model(norm=CATALOGUE[key]), s.seeds, codes.device)
    yield runs
    batches = s.batches(codes)
    for done, _ in enumerate(train(runs, batches, rate=s.rate, loss=prediction_loss), 1):
        report(CATALOGUE[key].label, done)
        if done % s.every == 0:
            yield runs


def _measure_streams(
    runs: Runs, passages: Passages
) -> tuple[Float[Tensor, "R norms"], Float[Tensor, "R norms"], Float[Tensor, " R"]]:
    """Return |mean| / RMS and RMS of the residual stream before every norm, and the loss."""

    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        streams = norm_inputs(steps)
        offsets = torch.stack([offset(stream).mean() for stream in streams])
        sizes = torch.stack([stream.square().mean(-1).sqrt().mean() for stream in streams])
        return offsets, sizes, prediction_loss(steps, passages[:, 1:])

    with torch.no_grad():
        measured: tuple[Tensor, Tensor, Tensor] = vmap(of_one)(runs.parameters)
    return measured


def _compare_rewritten(
    specification: CenteringSpecification, runs: Runs, passages: Passages, rewrite: Rewrite
) -> Float[Tensor, "3 R"]:
    """Compare models with their rewritten form: the largest logit change, and the new loss."""
    read, following = passages[:, :-1], passages[:, 1:]
    models = [specification.model().to(read.device) for _ in range(2)]
    models[1].double()
    by_run = []
    with torch.no_grad():
        for at in range(len(runs.seeds)):
            changes, losses = [], []
            for model in models:
                model.load_state_dict({name: v[at] for name, v in runs.parameters.items()})
                other: LanguageSteps = rewrite(model)(read)
                changes.append((other.logits - model(read).logits).abs().max().float())
                losses.append(prediction_loss(other, following).float())
            by_run.append(torch.stack([*changes, losses[0]]))
    return torch.stack(by_run, -1)


CENTERING = Artifact(
    "centering",
    "Language models with LayerNorm and RMSNorm, and the means of their activations.",
    "rmsnorm",
    measure,
    CenteringSpecification(),
    QUICK | {"steps": 2, "every": 2, "seeds": (1, 4)},
    count_steps=lambda s: s.steps,
)
