"""BatchNorm's estimates over thousands of mini-batches, and one case among other cases."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import DIGIT_CASES, LARGEST_SEED, digit_images, digits
from lnviz.explorable import Choice, Explorable, Option, Pick, Slider, Swept, Whole, program
from lnviz.lessons.batch.noise_views import BINS, Truth, clouds, histograms, sentences, spreads
from lnviz.lessons.lesson import Figure
from lnviz.norms import BATCH, LAYER
from lnviz.topics.batch.noise import among, by_size, in_order, outputs

EPS = 1e-5
UNITS = 64
BATCHES = 2_000  # estimates of every size
SEEN = 200  # batches with the one case
# Eight to a doubling, as far as there are whole numbers between.
SIZES = tuple(sorted({round(2 ** (step / 8)) for step in range(8 * 8 + 1)}))
SIZE = Slider("batch size", tuple(map(float, SIZES)), 16.0, decimals=0)
ORDER = Choice(
    "order",
    (
        Option("shuffled", "shuffled", code="False"),
        Option("sorted", "sorted by class", code="True"),
    ),
    "shuffled",
)
# The first ten images are the digits 0 to 9.
DIGIT = Pick("digit", "The case", tuple(Option(str(n), f"digit {n}") for n in range(10)), "3")
DRAW = Whole("seed", "Seed", 0, LARGEST_SEED, 0, fresh="Other batches")


def build(digit: str = "3", seed: int = 0) -> Explorable:
    """Build estimates by batch size, shuffled and sorted, and what they make of one case."""
    x = digits(cases=DIGIT_CASES, units=UNITS).values
    classes = digit_images().targets
    case = int(digit)
    truth = Truth(
        digit=digit,
        cases=len(x),
        batches=BATCHES,
        seen=SEEN,
        mean=float(x[:, 0].mean()),
        std=float(x[:, 0].std(correction=0)),
        layer=tuple(LAYER.apply(x[case], "D", eps=EPS).y[:2].tolist()),
        whole=tuple(BATCH.apply(x[:, :2], "ND", eps=EPS).y[case].tolist()),
    )
    tensors = _estimates(x[:, 0], classes, truth, seed) | _outputs(x[:, :2], classes, case, seed)
    reach = max(float(tensors[name].values.abs().max()) for name in ("across", "up"))
    return Explorable(
        title="BatchNorm's estimates from mini-batches of real digits",
        controls=(SIZE, ORDER),
        tensors=tensors,
        views=(
            histograms(truth),
            (spreads(truth, SIZE), clouds(truth, max(reach, *map(abs, truth.layer)))),
            sentences(truth, SIZE, ORDER),
        ),
        code=program(__file__),
    )


def _orders(classes: Int[Tensor, " N"]) -> tuple[Int[Tensor, " N"], ...]:
    """What the cases are sorted by at each position of the choice."""
    return torch.zeros_like(classes), classes


def _estimates(
    x: Float[Tensor, " N"], classes: Int[Tensor, " N"], truth: Truth, seed: int
) -> dict[str, Swept]:
    """Means in standard deviations from the true one and variances as shares of the true one."""
    epochs = math.ceil(BATCHES / (len(x) // max(SIZES)))
    means, ratios = [], []
    for groups in _orders(classes):
        order = in_order(groups, epochs, torch.Generator().manual_seed(seed))
        estimates = by_size(x[order], SIZES, BATCHES)  # sizes,batches
        means.append((estimates.mean - truth.mean) / truth.std)
        ratios.append(estimates.var / truth.std**2)
    mean, ratio = torch.stack(means), torch.stack(ratios)  # orders,sizes,batches
    over = (ORDER.name, SIZE.name)
    spread = mean.square().mean(-1).sqrt()  # about the true mean, which is 0 here
    sizes = torch.tensor(SIZES)
    rest = ((len(x) - sizes) / (len(x) - 1)).sqrt()
    return {
        "means": Swept(over, _counted(mean, BINS["mean"]), 3),
        "ratios": Swept(over, _counted(ratio, BINS["variance"]), 3),
        "spread": Swept(over, spread, 4),
        "log spread": Swept(over, spread.log10(), 4),
        "ratio": Swept(over, ratio.mean(-1), 3),
        "root": Swept((SIZE.name,), sizes.rsqrt(), 4),
        "finite": Swept((SIZE.name,), sizes.rsqrt() * rest, 4),
    }


def _counted(
    values: Float[Tensor, "orders sizes batches"], edges: tuple[float, float, int]
) -> Float[Tensor, "orders sizes bins"]:
    """How many values lie in each bin, as a share of the fullest; what is beyond is in the last."""
    low, high, count = edges
    at = ((values - low) / (high - low) * count).long().clamp(0, count - 1)
    counts = torch.zeros(*values.shape[:-1], count).scatter_add_(-1, at, torch.ones_like(values))
    return counts / counts.amax(-1, keepdim=True)


def _outputs(
    x: Float[Tensor, "N 2"], classes: Int[Tensor, " N"], case: int, seed: int
) -> dict[str, Swept]:
    """The case's standardized values at two units in batches that it is part of."""
    by_order = []
    for groups in _orders(classes):
        order = among(groups, case, SEEN, torch.Generator().manual_seed(seed))
        by_order.append(outputs(x[order], SIZES, EPS))
    both = torch.stack(by_order)  # orders,sizes,batches,2
    over = (ORDER.name, SIZE.name)
    std, mean = torch.std_mean(both[..., 0], -1, correction=0)
    return {
        "across": Swept(over, both[..., 0].contiguous(), 2),
        "up": Swept(over, both[..., 1].contiguous(), 2),
        "out mean": Swept(over, mean, 2),
        "out std": Swept(over, std, 2),
    }


FIGURE = Figure("noise", build, (DIGIT, DRAW), seconds=0.9)
