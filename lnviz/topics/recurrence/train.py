"""Training experiment: recurrent networks with different norms classify digit sequences.

All seeds of a kind of network are trained at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.recurrence.reader import KINDS, NetworkKind, SequenceClassifier, last_step
from lnviz.topics.recurrence.sequences import (
    CLASSES,
    Sequences,
    SequenceSplit,
    append_empty_steps,
    digit_sequences,
)
from lnviz.training import Runs, initialize, predict, sample_batches, train

GATES = 4  # of an LSTM


@dataclass(frozen=True)
class RecurrenceSpecification:
    """Settings for training recurrent networks on digits, the same for every network.

    A network reads a digit, then a number of empty steps (the wait), and classifies the digit after
    the last step. In training, the wait of each batch is drawn from 0 to `longest_wait`.

    Args:
        reading: `"rows"`, 8 steps of 8 pixels, or `"pixels"`, 64 steps of one pixel.
        units: H, number of units of the state.
        batch: examples in a batch; 8 as in the handwriting experiment of Ba, Kiros and Hinton 2016.
        steps: number of training steps.
        rate: Adam's learning rate, the same for all networks and tuned for none of them.
        longest_wait: the longest wait in training, in empty steps.
        waits: the waits for testing after training, in empty steps, ascending.
        every: number of training steps between tests.
        seeds: the seeds, one per run.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    reading: str = "rows"
    units: int = 32
    batch: int = 8
    steps: int = 1000
    rate: float = 0.01
    longest_wait: int = 8
    waits: tuple[int, ...] = (0, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
    every: int = 25
    seeds: tuple[int, ...] = tuple(range(8))

    def __post_init__(self) -> None:
        for name, least in (("units", 2), ("batch", 2), ("steps", 1), ("longest_wait", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}.")
        if self.every < 1 or self.steps % self.every:
            raise ValueError(
                f"The test images are asked about after every so many batches and at the end, got "
                f"every={self.every} for {self.steps} steps. Use a divisor."
            )


def compare(
    specification: RecurrenceSpecification,
    on: torch.device,
    report: ProgressCallback,
    kinds: Mapping[str, NetworkKind] = KINDS,
) -> ArrayDataset:
    """Train recurrent networks with different norms on the same batches of digits, and test them.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch, with the network's label and the number of batches done.
        kinds: the networks to train, by key.

    Returns:
        By kind of network and seed: `loss`, the training loss averaged over the batches since the
        previous recorded step; `test_loss` and `accuracy` on the test images after the longest wait
        of training, at each recorded step; `accuracy_after`, the test accuracy after training, by
        wait. By kind: `parameters`, the number of a network's parameters. For the first seed of the
        first kind with BatchNorm: its running statistics by time step, `norm_ih_mean`,
        `norm_ih_var`, and the same for `norm_hh` and `norm_cell`. `read_steps`: the number of steps
        that show a digit. `train_images` and `test_images`: numbers of images.

    Raises:
        ValueError: as `digit_sequences`, `initialize` and `sample_batches`.
    """
    s = specification
    split = digit_sequences(s.reading)
    data = SequenceSplit(
        *(Sequences(d.x.to(on), d.labels.to(on)) for d in (split.train, split.test))
    )
    read = data.train.x.shape[1]
    measured: dict[str, list[Tensor]] = {}
    parameters: list[int] = []
    remembered: dict[str, NamedArray] = {}
    for kind in kinds.values():
        measures, runs = _train(kind, s, data, report)
        for name, values in measures.items():
            measured.setdefault(name, []).append(values)
        parameters.append(sum(p[0].numel() for p in runs.parameters.values()))
        remembered = remembered or _running_statistics(runs, s.units)
    axes: Axes = {
        "kind": tuple(kinds),
        "seed": s.seeds,
        "step": tuple(range(s.every, s.steps + 1, s.every)),
        "length": tuple(read + wait for wait in s.waits),
    }
    if remembered:
        axes |= {
            "position": tuple(range(1, read + s.longest_wait + 1)),
            "unit": tuple(range(1, s.units + 1)),
            "gate_unit": tuple(range(1, GATES * s.units + 1)),
        }
    over = {name: "step" for name in measured} | {"accuracy_after": "length"}
    return ArrayDataset(
        axes,
        {
            name: NamedArray(("kind", "seed", over[name]), torch.stack(values))
            for name, values in measured.items()
        }
        | remembered
        | {
            "parameters": NamedArray(("kind",), torch.tensor(parameters)),
            "read_steps": NamedArray((), torch.tensor(read)),
            "train_images": NamedArray((), torch.tensor(len(data.train.x))),
            "test_images": NamedArray((), torch.tensor(len(data.test.x))),
        },
    )


def _train(
    kind: NetworkKind,
    specification: RecurrenceSpecification,
    data: SequenceSplit,
    report: ProgressCallback,
) -> tuple[dict[str, Tensor], Runs]:
    x = data.train.x
    longest = x.shape[1] + specification.longest_wait

    def build() -> SequenceClassifier:
        return SequenceClassifier(kind.build(x.shape[-1], specification.units, longest), CLASSES)

    runs = initialize(build, specification.seeds, x.device)
    losses, tests = [], []
    batches = _batches(specification, data.train)
    training = train(runs, batches, rate=specification.rate, loss=last_step)
    for step, loss in enumerate(training, 1):
        losses.append(loss)
        if step % specification.every == 0:
            tests.append(_test(runs, data.test, (specification.longest_wait,)))
        report(kind.label, step)
    _, after = _test(runs, data.test, specification.waits)
    return {
        "loss": torch.stack(losses, 1).unflatten(1, (-1, specification.every)).mean(-1),
        "test_loss": torch.cat([loss for loss, _ in tests], 1),
        "accuracy": torch.cat([right for _, right in tests], 1),
        "accuracy_after": after,
    }, runs


def _batches(
    specification: RecurrenceSpecification, data: Sequences
) -> Iterator[tuple[Tensor, Tensor]]:
    drawn = sample_batches(
        specification.seeds, len(data.x), steps=specification.steps, batch_size=specification.batch
    )
    generator = torch.Generator().manual_seed(0)
    waits = torch.randint(
        specification.longest_wait + 1, (specification.steps,), generator=generator
    )
    for draw, wait in zip(drawn.to(data.x.device), waits.tolist(), strict=True):
        yield append_empty_steps(data.x[draw], wait), data.labels[draw]


def _test(
    runs: Runs, data: Sequences, waits: Sequence[int]
) -> tuple[Float[Tensor, "R waits"], Float[Tensor, "R waits"]]:
    """Return test loss and test accuracy for each number of empty time steps."""
    scores = predict(runs, append_empty_steps(data.x, max(waits)))  # R,N,T,classes
    asked = scores[:, :, [data.x.shape[1] - 1 + wait for wait in waits]]  # R,N,waits,classes
    labels = data.labels[:, None].expand(asked.shape[:3])
    loss = cross_entropy(asked.movedim(-1, 1), labels, reduction="none")
    return loss.mean(1), (asked.argmax(-1) == labels).float().mean(1)


def _running_statistics(runs: Runs, units: int) -> dict[str, NamedArray]:
    """Return BatchNorm's running means and variances in the first run, by the name of the norm."""
    arrays = {}
    for name, buffer in runs.buffers.items():
        path, _, statistic = name.rpartition(".running_")
        if statistic in ("mean", "var"):
            wide = buffer.shape[-1] > units
            over = ("position", "gate_unit" if wide else "unit")
            arrays[f"{path.rpartition('.')[2]}_{statistic}"] = NamedArray(over, buffer[0])
    return arrays


RECURRENCE = Artifact(
    "recurrence",
    "Recurrent networks trained to read digits row by row.",
    "recurrence",
    compare,
    RecurrenceSpecification(),
    {"steps": 1, "every": 1, "units": 4, "longest_wait": 0, "waits": (0, 1), "seeds": (0,)},
    count_steps=lambda s: s.steps,
)
