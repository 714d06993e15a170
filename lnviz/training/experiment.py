"""Experiments: what can be trained under several norms, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from itertools import product
from typing import Any

from torch import Tensor, nn

from lnviz.data.uploads import UploadError
from lnviz.seeding import isolated_rng

MAX_RUNS = 200
MAX_SAMPLES = 20_000_000  # cases that all seeds of a group draw in all: 8 bytes each
MAX_PARAMETERS = (
    10_000_000  # that all runs of a group learn: 16 bytes each, with Adam's and gradient
)
MAX_CACHED_FILES = 2  # whose cases are kept
MAX_MEASUREMENTS = 100_000  # times that any of the runs is: a kilobyte each
MAX_LISTED = 5


class SpecificationError(ValueError):
    """A specification that cannot be run; the message says why, and what can."""


@dataclass(frozen=True, eq=False)
class Split:
    """Cases, and what is to be said of them; tensors are shared: do not write into them."""

    x: Tensor
    targets: Tensor

    def to(self, device: Any) -> Split:
        """Return the same cases on a device."""
        return Split(self.x.to(device), self.targets.to(device))


@dataclass(frozen=True, eq=False)
class DataSplits:
    """Cases to learn from, to choose by, and to test with in the end: no case is in two parts."""

    train: Split
    validation: Split
    test: Split

    def to(self, device: Any) -> DataSplits:
        """Return the same data on a device."""
        return DataSplits(self.train.to(device), self.validation.to(device), self.test.to(device))


@dataclass(frozen=True)
class TrainingSpec:
    """What is run: every norm at every batch size, learning rate and seed.

    Attributes:
        experiment: its name.
        norms: keys of norms that the experiment has.
        batch_sizes: cases that one step learns from.
        rates: Adam's learning rates.
        seeds: each decides the weights a run starts from and the cases it draws, whatever the norm.
        steps: batches that each run learns from.
        every: batches between two measurements; the last one is measured, too.
        head: whether a norm stands before the softmax, too: "plain" for no, "paper" for as in Ba,
            Kiros and Hinton 2016, section 6.6: for BatchNorm yes, for others no.
        file: SHA-256 of the visitor's file that the cases are from, in hexadecimal digits; empty
            where the experiment brings its own.
    """

    experiment: str
    norms: tuple[str, ...]
    batch_sizes: tuple[int, ...]
    rates: tuple[float, ...]
    seeds: tuple[int, ...]
    steps: int
    every: int = 50
    head: str = "plain"
    file: str = ""

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> TrainingSpec:
        """Return what `document` wrote.

        Raises:
            SpecificationError: it is something else.
        """
        try:
            lists = {name: document[name] for name in LIST_FIELDS}
            if all(isinstance(values, list | tuple) for values in lists.values()):
                return cls(**{**document, **{name: tuple(v) for name, v in lists.items()}})
        except (KeyError, TypeError):
            pass  # as what is said below
        raise SpecificationError(
            f"This is no specification of a training. It has {', '.join(cls.__dataclass_fields__)}"
            f"; of these {', '.join(LIST_FIELDS)} are lists."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {name: list(v) if name in LIST_FIELDS else v for name, v in asdict(self).items()}


LIST_FIELDS = ("norms", "batch_sizes", "rates", "seeds")


@dataclass(frozen=True)
class Experiment:
    """A task, and a model for it under each norm.

    Attributes:
        name: its name in addresses and on the command line.
        label: its name on pages.
        norms: keys of norms that its model can have.
        data: loads the cases; raises SpecificationError where a file is needed and none is given.
        build: makes a model, of a norm and a head, and of `sizes` where a file is given.
        default: what is run where nothing else is asked for.
        heads: the ways to put norms before the softmax that it knows.
        scores: gives a score of each class, of what the model returns for cases: `(*cases,
            classes)`, where the targets are `(*cases)`.
        fewest: cases that a batch must have, by the key of the norm, where one is too few.
        read: makes the cases of a visitor's file, where the experiment brings none; raises
            UploadError where it cannot.
        sizes: gives the arguments of `build` that follow from the cases of a visitor's file.
    """

    name: str
    label: str
    norms: tuple[str, ...]
    data: Callable[[], DataSplits]
    build: Callable[..., nn.Module]
    default: TrainingSpec
    heads: tuple[str, ...] = ("plain",)
    logits: Callable[[Any], Tensor] = lambda output: output
    min_batch: Mapping[str, int] = field(default_factory=dict)
    load_file: Callable[[bytes], DataSplits] | None = None
    model_sizes: Callable[[DataSplits], Mapping[str, int]] = lambda data: {}

    def with_file(self, raw: bytes) -> Experiment:
        """Return the experiment with the cases of a visitor's file; its default names that file.

        Args:
            raw: the file's content.

        Raises:
            SpecificationError: the experiment reads no file, or not this one.
        """
        if self.load_file is None:
            raise SpecificationError(self._no_file_message)
        file = _UploadedFile(sha256(raw).hexdigest(), raw)
        try:
            data = _load_cached(self.load_file, file)
        except UploadError as error:
            raise SpecificationError(str(error)) from error
        return replace(
            self,
            data=lambda: data,
            build=partial(self.build, **self.model_sizes(data)),
            default=replace(self.default, file=file.name),
        )

    @property
    def _no_file_message(self) -> str:
        return f"{self.label} has cases of its own and reads no file, got one. Leave it out."

    def parameter_count(self, norm: str, head: str) -> int:
        """Return how many numbers one model learns."""
        return _count_parameters(self.build, norm, head)

    def groups(self, specification: TrainingSpec) -> list[tuple[str, int]]:
        """Return the norms and batch sizes that go together; the runs of each train as one.

        All norms at a batch size come one after another: they can be compared early.
        """
        s = specification
        pairs = product(s.batch_sizes, s.norms)
        return [(norm, size) for size, norm in pairs if size >= self.min_batch.get(norm, 1)]

    def total_steps(self, specification: TrainingSpec) -> int:
        """Return the number of training steps of all run groups together."""
        return specification.steps * len(self.groups(specification))

    def loss(self, output: Any, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy, in nats."""
        scores = self.logits(output)
        loss: Tensor = nn.functional.cross_entropy(
            scores.flatten(0, -2), targets.expand(scores.shape[:-1]).flatten()
        )
        return loss

    def error(self, output: Any, targets: Tensor) -> Tensor:
        """Return the share of cases whose highest score is another class's."""
        return (self.logits(output).argmax(-1) != targets).float().mean()

    def check(self, specification: TrainingSpec) -> None:
        """See to it that a specification can be run.

        Raises:
            SpecificationError: it cannot; the message has a sentence for each reason.
        """
        s = specification
        cases = len(self._load_data(s.file).train.x)
        problems = []
        for what, values, known in (("norm", s.norms, self.norms), ("head", (s.head,), self.heads)):
            wrong = [str(value)[:24] for value in values if value not in known]
            if wrong:
                problems.append(
                    f"{self.label} has no {what} {', '.join(wrong[:MAX_LISTED])}. "
                    f"Choose from {', '.join(known)}."
                )
        problems += [
            f"There must be {name.replace('_', ' ')}."
            for name in LIST_FIELDS
            if not getattr(s, name)
        ]
        bounds = (
            ("batch size", s.batch_sizes, int, 1, cases),
            ("learning rate", s.rates, float, 1e-8, 10.0),
            ("seed", s.seeds, int, 0, 2**31 - 1),
            ("number of steps", (s.steps,), int, 1, 100_000),
            ("number of steps between measurements", (s.every,), int, 1, 100_000),
        )
        for what, numbers, kind, low, high in bounds:
            wrong = [str(n)[:24] for n in numbers if not _in_range(n, kind, low, high)]
            if wrong:
                problems.append(
                    f"A {what} is {'a whole number ' if kind is int else ''}from {low} to "
                    f"{high}, got {', '.join(wrong[:MAX_LISTED])}. Choose one of those."
                )
        problems = problems or self._combination_problems(s)
        if problems:
            raise SpecificationError("\n".join(problems))

    def _load_data(self, file: str) -> DataSplits:
        """Return the cases, if they are of the file that is asked for."""
        if self.load_file is None and file != "":
            raise SpecificationError(self._no_file_message)
        data = self.data()
        if file != self.default.file:
            raise SpecificationError(
                f"{self.label} has the cases of file {self.default.file[:8]}, and those of "
                f"{f'file {str(file)[:8]}' if file else 'no file'} are asked for. "
                "Give it the file that is asked for."
            )
        return data

    def _combination_problems(self, s: TrainingSpec) -> list[str]:
        """Return what is wrong with a specification of which each value by itself is right."""
        problems = [
            f"The {name.replace('_', ' ')} must differ, and one is there twice. Ask for each once."
            for name in LIST_FIELDS
            if len(set(getattr(s, name))) < len(getattr(s, name))
        ]
        runs = len(s.rates) * len(s.seeds)
        if runs > MAX_RUNS:
            problems.append(
                f"Up to {MAX_RUNS} runs train together, got {len(s.rates)} learning rates times "
                f"{len(s.seeds)} seeds. Ask for fewer of either."
            )
        drawn = s.steps * len(s.seeds) * max(s.batch_sizes)  # whatever the rate
        if drawn > MAX_SAMPLES:
            problems.append(
                f"The seeds draw {drawn:,} cases, more than {MAX_SAMPLES:,}. "
                "Ask for fewer steps, seeds or cases in a batch."
            )
        learned = runs * max(self.parameter_count(norm, s.head) for norm in s.norms)
        if learned > MAX_PARAMETERS:
            problems.append(
                f"The runs of a norm learn {learned:,} numbers at once, more than "
                f"{MAX_PARAMETERS:,}. Ask for fewer learning rates or seeds."
            )
        measured = len(self.groups(s)) * (s.steps // s.every + 1) * runs
        if measured > MAX_MEASUREMENTS:
            problems.append(
                f"The runs are measured {measured:,} times in all, more than {MAX_MEASUREMENTS:,}. "
                "Ask for fewer runs or steps, or for more steps between measurements."
            )
        if not self.groups(s):
            problems.append(
                f"One case has no variance for {' or '.join(s.norms)}: nothing is left to train. "
                "Ask for a larger batch size, or for other norms, too."
            )
        return problems


@dataclass(frozen=True)
class _UploadedFile:
    """A file that is known by its name: what it holds takes no part in comparisons."""

    name: str
    raw: bytes = field(compare=False, repr=False)


@lru_cache(maxsize=MAX_CACHED_FILES)
def _load_cached(read: Callable[[bytes], DataSplits], file: _UploadedFile) -> DataSplits:
    return read(file.raw)


@lru_cache(maxsize=128)
def _count_parameters(build: Callable[..., nn.Module], norm: str, head: str) -> int:
    # The device "meta" would need no memory, but takes two seconds of imports.
    with isolated_rng():
        return sum(each.numel() for each in build(norm, head).parameters())


def _in_range(number: Any, kind: type, low: float, high: float) -> bool:
    is_kind = isinstance(number, kind if kind is int else int | float)
    return is_kind and not isinstance(number, bool) and low <= number <= high
