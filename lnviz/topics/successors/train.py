"""Training experiment: inputs and outputs of a language model's norms before and after training.

All seeds are trained at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.norms import LAYER
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.successors.cloud import fit
from lnviz.topics.transformer.block import EPS
from lnviz.topics.transformer.documentation import spaced_passages
from lnviz.topics.transformer.language import LanguageSteps, norm_inputs, prediction_loss
from lnviz.topics.transformer.learners import QUICK, Learners, halves
from lnviz.training import Runs, initialize, train

OVER: dict[str, tuple[str, ...]] = {
    "inputs": ("norm", "token", "unit"),
    **dict.fromkeys(("means", "stds"), ("norm", "token")),
    **dict.fromkeys(("heights", "shifts", "left"), ("norm", "alpha")),
    **dict.fromkeys(("best_alpha", "bent", "straight", "spread"), ("seed", "norm")),
    "loss": ("seed",),
}
"""The measured arrays, with their axes."""


@dataclass(frozen=True)
class CloudSpecification(Learners):
    """Settings for training Pre-LN language models and recording their norms' inputs and outputs.

    Args:
        width: D.
        heads: number of attention heads.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: number of characters in a passage.
        steps: number of training steps.
        warm_up: number of steps over which the learning rate rises.
        rate: Adam's learning rate after warm-up.
        passages: number of held-out passages.
        tokens: number of recorded tokens, spread evenly over these passages.
        units: number of recorded features of each of these tokens, spread evenly over the width.
        alphas: the alphas of tanh, ascending.

    Raises:
        ValueError: a number is too small.
    """

    width: int = 64
    heads: int = 4
    inner: int = 256
    context: int = 32
    steps: int = 1000
    warm_up: int = 100
    rate: float = 0.001
    passages: int = 32
    tokens: int = 48
    units: int = 16
    alphas: tuple[float, ...] = tuple(round(0.01 * 10 ** (i / 32), 4) for i in range(81))

    @property
    def names(self) -> tuple[str, ...]:
        """The display names of the model's norms, in order of execution."""
        parts = ("attention", "feed-forward layer")
        blocks = range(1, self.layers + 1)
        return (*(f"block {n}, before the {part}" for n in blocks for part in parts), "the last")


def compare(
    specification: CloudSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    r"""Train language models; record their norms' inputs and outputs before and after training.

    Args:
        specification: the settings of the models and their training.
        on: the device to train on.
        report: called after every batch, with the current activity and the number of batches done.

    Returns:
        All but the loss are `"before"` and `"after"` training, and by norm. For the first seed:
        `inputs` by token and unit; `means` and standard deviations `stds` over all units, by token;
        and, by alpha, the `heights` and `shifts` of the fit $h \tanh(\alpha x) + s$, and the
        fraction of the outputs' variance that it leaves unexplained (`left`). By seed:
        `best_alpha`; the unexplained fractions with it (`bent`) and with the best straight line
        (`straight`); and `spread`, the ratio of the largest to the smallest standard deviation of a
        token. `loss`: by seed, on held-out text, in nats per character.
    """
    s = specification
    codes, tested = halves(on)
    tests = spaced_passages(tested, s.context, s.passages)
    runs = initialize(s.model, s.seeds, on)
    before = _cloud_arrays(s, *_norm_inputs_and_loss(runs, tests))
    rates = (torch.arange(1, s.steps + 1) / s.warm_up).clamp(max=1) * s.rate
    own = rates[:, None].expand(-1, len(s.seeds)).to(on)
    for done, _ in enumerate(train(runs, s.batches(codes), rate=own, loss=prediction_loss), 1):
        report("training", done)
    after = _cloud_arrays(s, *_norm_inputs_and_loss(runs, tests))
    return ArrayDataset(
        {
            "training": ("before", "after"),
            "norm": s.names,
            "seed": s.seeds,
            "token": tuple(range(s.tokens)),
            "unit": tuple(range(s.units)),
            "alpha": s.alphas,
        },
        {
            name: NamedArray(("training", *OVER[name]), torch.stack([before[name], after[name]]))
            for name in OVER
        },
    )


class _Seen(NamedTuple):
    loss: Float[Tensor, " R"]
    inputs: Float[Tensor, "R norms tokens D"]


def _norm_inputs_and_loss(runs: Runs, passages: Int[Tensor, "passages T"]) -> _Seen:
    """Run the models of all seeds on passages; return the loss and each norm's inputs."""

    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        inputs = torch.stack(norm_inputs(steps)).flatten(1, 2)  # norms,tokens,D
        return prediction_loss(steps, passages[:, 1:]), inputs

    with torch.no_grad():
        loss, inputs = vmap(of_one)(runs.parameters)
    return _Seen(loss, inputs)


def _cloud_arrays(
    specification: CloudSpecification,
    loss: Float[Tensor, " R"],
    inputs: Float[Tensor, "R norms tokens D"],
) -> dict[str, Tensor]:
    """Return each norm's sampled inputs, their mean and variance, and the tanh fitted to them."""
    s = specification
    alphas = torch.tensor(s.alphas).to(inputs)
    normed = LAYER.apply(inputs, "ND", eps=EPS)
    stds = normed.var.squeeze(-1).sqrt()  # R,norms,tokens
    fits = [
        [fit(x.flatten(), y.flatten(), alphas) for x, y in zip(*both, strict=True)]
        for both in zip(inputs, normed.x_hat, strict=True)
    ]
    left = torch.stack([torch.stack([each.left for each in row]) for row in fits])  # R,norms,A
    best, at = left.min(-1)
    tokens = torch.linspace(0, inputs.shape[2] - 1, s.tokens).long()
    units = torch.linspace(0, s.width - 1, s.units).long()
    return {
        "inputs": inputs[0][:, tokens[:, None], units],
        "means": normed.mean[0, :, tokens, 0],
        "stds": stds[0, :, tokens],
        "heights": torch.stack([each.height for each in fits[0]]),
        "shifts": torch.stack([each.shift for each in fits[0]]),
        "left": left[0],
        "best_alpha": alphas[at],
        "bent": best,
        "straight": torch.stack([torch.stack([e.straight for e in row]) for row in fits]),
        "spread": stds.amax(-1) / stds.amin(-1),
        "loss": loss,
    }


CLOUD = Artifact(
    "cloud",
    "The inputs and outputs of the norms in small language models.",
    "successors",
    compare,
    CloudSpecification(),
    QUICK
    | {"steps": 3, "warm_up": 2, "seeds": (1, 4), "passages": 4, "tokens": 5, "units": 3}
    | {"alphas": (0.1, 0.5, 1.0)},
    count_steps=lambda s: s.steps,
)
