"""Train recurrent networks on digits and write down how each fared.

    python -m lnviz.topics.recurrence.train

trains every kind of network, all seeds at once, on the GPU where there is one, and writes the
result that the lesson shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from lnviz.device import device
from lnviz.results import RECURRENCE
from lnviz.results.making import Report, named, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.recurrence.comparison import Comparison, Outcome, Remembered, Specification
from lnviz.topics.recurrence.reader import KINDS, Kind, Reader, last_step
from lnviz.topics.recurrence.sequences import CLASSES, Sequences, Split, digit_sequences, waiting
from lnviz.training import Runs, draws, outputs, start, train


def compare(
    specification: Specification,
    kinds: Mapping[str, Kind] = KINDS,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Comparison:
    """Train each kind of network on the same batches, and test it.

    Args:
        specification: what to do.
        kinds: which networks, by key.
        on: the device to train on.
        report: called after every batch, with the label of the kind and the batches done.

    Returns:
        What became of each.

    Raises:
        ValueError: as `digit_sequences`, `start` and `draws`.
    """
    split = digit_sequences(specification.reading)
    data = Split(*(Sequences(d.x.to(on), d.labels.to(on)) for d in (split.train, split.test)))
    outcomes: dict[str, Outcome] = {}
    remembered: dict[str, Remembered] = {}
    for key, kind in kinds.items():
        outcomes[key], runs = _train(kind, specification, data, report)
        remembered = remembered or _remembered(runs)
    return Comparison(
        specification=specification,
        read=data.train.x.shape[1],
        train=len(data.train.x),
        test=len(data.test.x),
        points=tuple(range(specification.every, specification.steps + 1, specification.every)),
        kinds=outcomes,
        remembered=remembered,
        versions=versions(),
        device=named(torch.device(on)),
    )


def _train(
    kind: Kind, specification: Specification, data: Split, report: Report
) -> tuple[Outcome, Runs]:
    x = data.train.x
    longest = x.shape[1] + specification.longest_wait

    def build() -> Reader:
        return Reader(kind.build(x.shape[-1], specification.units, longest), CLASSES)

    runs = start(build, specification.seeds, x.device)
    losses, tests = [], []
    batches = _batches(specification, data.train)
    training = train(runs, batches, rate=specification.rate, loss=last_step)
    for step, loss in enumerate(training, 1):
        losses.append(loss)
        if step % specification.every == 0:
            tests.append(_test(runs, data.test, (specification.longest_wait,)))
        report(kind.label, step)
    _, after = _test(runs, data.test, specification.waits)
    in_training = torch.stack(losses, 1).unflatten(1, (-1, specification.every)).mean(-1)
    outcome = Outcome(
        label=kind.label,
        parameters=sum(p[0].numel() for p in runs.parameters.values()),
        loss=numbers(in_training),
        test_loss=numbers(torch.cat([loss for loss, _ in tests], 1)),
        accuracy=numbers(torch.cat([right for _, right in tests], 1)),
        accuracy_after=numbers(after),
    )
    return outcome, runs


def _batches(specification: Specification, data: Sequences) -> Iterator[tuple[Tensor, Tensor]]:
    drawn = draws(
        specification.seeds, len(data.x), steps=specification.steps, batch=specification.batch
    )
    generator = torch.Generator().manual_seed(0)
    waits = torch.randint(
        specification.longest_wait + 1, (specification.steps,), generator=generator
    )
    for draw, wait in zip(drawn.to(data.x.device), waits.tolist(), strict=True):
        yield waiting(data.x[draw], wait), data.labels[draw]


def _test(
    runs: Runs, data: Sequences, waits: Sequence[int]
) -> tuple[Float[Tensor, "R waits"], Float[Tensor, "R waits"]]:
    """Return loss and share named right over the test images, after each wait."""
    scores = outputs(runs, waiting(data.x, max(waits)))  # R,N,T,classes
    asked = scores[:, :, [data.x.shape[1] - 1 + wait for wait in waits]]  # R,N,waits,classes
    labels = data.labels[:, None].expand(asked.shape[:3])
    loss = cross_entropy(asked.movedim(-1, 1), labels, reduction="none")
    return loss.mean(1), (asked.argmax(-1) == labels).float().mean(1)


def _remembered(runs: Runs) -> dict[str, Remembered]:
    mean, var = ".running_mean", ".running_var"
    norms = [name.removesuffix(mean) for name in runs.buffers if name.endswith(mean)]
    return {
        norm.rpartition(".")[2]: Remembered(
            numbers(runs.buffers[norm + mean][0]), numbers(runs.buffers[norm + var][0])
        )
        for norm in norms
    }


def main() -> None:
    """Run from a command line."""
    found = run(
        RECURRENCE,
        "Train recurrent networks on digits and write down how each fared.",
        Specification(),
        {
            "reading": "one row a step, or one pixel: rows, pixels",
            "units": "of the state",
            "batch": "cases in a batch",
            "steps": "batches each run learns from",
            "every": "batches between two tests",
            "rate": "Adam's learning rate",
            "longest_wait": "empty steps after a digit, at most, in training",
        },
        lambda wanted: compare(wanted, on=device(), report=progress(wanted.steps)),
    )
    for kind in found.kinds.values():
        right = sum(each[-1] for each in kind.accuracy) / len(kind.accuracy)
        print(f"{kind.label:<34} {right:6.1%} of test images named right")


if __name__ == "__main__":
    main()
