"""Train networks on few digits by norm and batch size, and write down what each learned by heart.

    python -m lnviz.topics.batch.regularizer

trains all seeds of a norm and a batch size at once and writes the result that the lesson shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lnviz.data.examples import digit_images
from lnviz.device import device
from lnviz.norms import normalize
from lnviz.results import REGULARIZER
from lnviz.results.making import Report, named, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.batch.gaps import Gaps, Outcome, Specification, label
from lnviz.topics.batch.sampling import cut, shuffled
from lnviz.training import Runs, outputs, start, train

CLASSES = 10
MOMENTUM = 0.1  # PyTorch's
Data = tuple[Tensor, Tensor]


class Ghost(nn.BatchNorm1d):
    """BatchNorm that in training takes its statistics over shares of the batch.

    Args:
        units: D.
        size: cases in a share; divides those of a batch.
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, units: int, size: int) -> None:
        super().__init__(units)
        self.size = size

    def forward(self, x: Float[Tensor, "N D"]) -> Float[Tensor, "N D"]:
        """Return the standardized cases, each by its share, after gain and bias."""
        if not self.training:
            return super().forward(x)
        shares = x.unflatten(0, (-1, self.size))  # K,B,D
        result = normalize(shares, 1, gain=self.weight, bias=self.bias, eps=self.eps)
        with torch.no_grad():
            # Written out, since vmap has no batching rule for lerp_.
            for running, seen in (
                (self.running_mean, result.mean),
                (self.running_var, result.var * self.size / (self.size - 1)),
            ):
                running.mul_(1 - MOMENTUM).add_(seen.mean((0, 1)), alpha=MOMENTUM)
        return result.y.flatten(0, 1)


NORMS: dict[str, Callable[[int, int], nn.Module]] = {
    "none": lambda units, size: nn.Identity(),
    "batch": lambda units, size: nn.BatchNorm1d(units, momentum=MOMENTUM),
    "layer": lambda units, size: nn.LayerNorm(units),
    "ghost": Ghost,
}


def compare(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Gaps:
    """Train each norm at each batch size on the same images in the same order, and test it.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch size, with the label of the norm and the sizes done.

    Returns:
        What became of each.
    """
    learned, asked = ((x.to(on), t.to(on)) for x, t in _split(specification.images))
    found = {}
    for key in NORMS:
        rows = []
        for done, size in enumerate(specification.sizes, 1):
            build = partial(_network, key, specification.units, size)
            runs = start(build, specification.seeds, on)
            together = specification.sizes[-1] if key == "ghost" else size
            batches = _batches(learned, together, specification)
            for _ in train(runs, batches, rate=specification.rate):
                pass
            rows.append([measure for data in (learned, asked) for measure in _measured(runs, data)])
            report(label(key), done)
        train_error, train_loss, test_error, test_loss = (
            numbers(torch.stack(measure)) for measure in zip(*rows, strict=True)
        )
        found[key] = Outcome(train_error, test_error, train_loss, test_loss)
    return Gaps(specification, len(asked[0]), found, versions(), named(torch.device(on)))


def _split(images: int) -> tuple[Data, Data]:
    """The images to train on, spread over the set, and all others."""
    found = digit_images()
    kept = torch.zeros(len(found.images), dtype=torch.bool)
    kept[torch.arange(images) * len(kept) // images] = True
    return (found.images[kept], found.targets[kept]), (found.images[~kept], found.targets[~kept])


def _network(key: str, units: int, size: int) -> nn.Sequential:
    norm = NORMS[key]
    return nn.Sequential(
        *(nn.Linear(64, units), norm(units, size), nn.ReLU()),
        *(nn.Linear(units, units), norm(units, size), nn.ReLU()),
        nn.Linear(units, CLASSES),
    )


def _batches(data: Data, size: int, specification: Specification) -> Iterator[Data]:
    """Batches of every epoch in an order that a run's seed alone decides."""
    x, targets = data
    count = specification.epochs * (len(x) // size)
    orders = [
        shuffled(len(x), specification.epochs, torch.Generator().manual_seed(seed))
        for seed in specification.seeds
    ]
    drawn = torch.stack([cut(order, size, count) for order in orders], 1)  # steps,R,B
    for step in drawn.to(x.device):
        yield x[step], targets[step]


def _measured(runs: Runs, data: Data) -> tuple[Tensor, Tensor]:
    """Share named wrong and cross-entropy of every run, at inference."""
    x, targets = data
    scores = outputs(runs, x)  # R,N,classes
    wrong = (scores.argmax(-1) != targets).float().mean(1)
    each = cross_entropy(scores.movedim(-1, 1), targets.expand(len(scores), -1), reduction="none")
    return wrong, each.mean(1)


def main() -> None:
    """Run from a command line."""
    found = run(
        REGULARIZER,
        "Train networks on few digits by norm and batch size.",
        Specification(),
        {
            "units": "of each hidden layer",
            "images": "to train on",
            "epochs": "how often every image is seen",
            "rate": "Adam's learning rate",
        },
        lambda wanted: compare(wanted, on=device(), report=progress(len(wanted.sizes))),
    )
    for key, norm in found.norms.items():
        gaps = torch.tensor(norm.test_error).mean(1) - torch.tensor(norm.train_error).mean(1)
        shown = " ".join(f"{gap:.3f}" for gap in gaps.tolist())
        print(f"{label(key):<24} gap of the errors by batch size: {shown}")


if __name__ == "__main__":
    main()
