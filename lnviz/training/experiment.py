"""Training experiments (a task with its data and models) and specifications of training runs."""

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
"""Runs of a run group."""
MAX_SAMPLES = 20_000_000
"""Examples that all seeds of a run group sample in all steps: 8 bytes each."""
MAX_PARAMETERS = 10_000_000
"""Parameters of a run group: 16 bytes each, with gradient and Adam's moments."""
MAX_CACHED_FILES = 2
"""Uploaded files whose data stay in memory."""
MAX_MEASUREMENTS = 100_000
"""Measurements of runs: a kilobyte each."""
MAX_LISTED = 5
"""Invalid values in a message."""


class SpecificationError(ValueError):
    """Error: a specification is invalid; the message gives the reasons and the valid values."""


@dataclass(frozen=True, eq=False)
class DataSplit:
    """Examples of one data split with labels; the tensors are shared and must not be changed."""

    x: Tensor
    targets: Tensor

    def to(self, device: Any) -> DataSplit:
        """Return a copy of the split on a device."""
        return DataSplit(self.x.to(device), self.targets.to(device))


@dataclass(frozen=True, eq=False)
class DataSplits:
    """Training, validation and test splits of a data set, without shared examples."""

    train: DataSplit
    validation: DataSplit
    test: DataSplit

    def to(self, device: Any) -> DataSplits:
        """Return a copy of all splits on a device."""
        return DataSplits(self.train.to(device), self.validation.to(device), self.test.to(device))


@dataclass(frozen=True)
class TrainingSpec:
    """Specification of training runs: one for every norm, batch size, learning rate and seed.

    Attributes:
        experiment: name of the experiment.
        norms: keys of norms of the experiment.
        batch_sizes: numbers of examples in a batch.
        rates: learning rates of Adam.
        seeds: each determines initial weights and batches, the same for all norms.
        steps: number of training steps of each run.
        every: number of steps between two measurements; the last step is always measured.
        head: norms applied to the logits: "plain" for none; "paper" for BatchNorm, but no other
            norm, as in Ba, Kiros and Hinton 2016, section 6.6.
        file: SHA-256 of the uploaded file with the data, in hexadecimal digits; empty if the
            experiment has its own data.
        placement: where a Transformer has its norms; empty for the experiment's default.
        layers: number of blocks of a Transformer; 0 for the experiment's default.
        warm_up: number of steps over which the learning rate rises linearly to its value; 0 for a
            constant rate.
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
    placement: str = ""
    layers: int = 0
    warm_up: int = 0

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> TrainingSpec:
        """Return the specification with the fields in a dictionary.

        Args:
            document: the result of `to_dict`, or unvalidated data from a request.

        Raises:
            SpecificationError: fields are missing, unknown, or of a wrong type.
        """
        try:
            lists = {name: document[name] for name in LIST_FIELDS}
            if all(isinstance(values, list | tuple) for values in lists.values()):
                return cls(**{**document, **{name: tuple(v) for name, v in lists.items()}})
        except (KeyError, TypeError):
            pass
        raise SpecificationError(
            "This is not a training specification, which has the fields "
            f"{', '.join(cls.__dataclass_fields__)}; {', '.join(LIST_FIELDS)} are lists."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the specification as a dictionary of JSON values."""
        return {name: list(v) if name in LIST_FIELDS else v for name, v in asdict(self).items()}


LIST_FIELDS = ("norms", "batch_sizes", "rates", "seeds")


@dataclass(frozen=True)
class Experiment:
    """A training task with its data, and a function that builds a model with a given norm.

    Attributes:
        name: the name in URLs and on the command line.
        label: the name on pages.
        norms: keys of the norms that the model can have.
        data: loads the data; raises SpecificationError if the data must be uploaded.
        build: builds a model from a norm, a head, the `architecture` of a specification and, for
            uploaded data, `model_sizes`.
        default: the default specification.
        heads: the valid values of `TrainingSpec.head`.
        placements: the valid values of `TrainingSpec.placement`; empty if neither placement nor
            depth can be chosen.
        max_layers: the largest valid value of `TrainingSpec.layers`, if it can be chosen.
        logits: returns the logits from the output of the model, `(*examples, classes)` for labels
            `(*examples)`.
        min_batch: the smallest valid batch size, by key of the norm, if it is not 1.
        load_file: reads uploaded data; raises UploadError if the file is invalid. None if the
            experiment has its own data.
        model_sizes: returns arguments of `build` that depend on the uploaded data.
    """

    name: str
    label: str
    norms: tuple[str, ...]
    data: Callable[[], DataSplits]
    build: Callable[..., nn.Module]
    default: TrainingSpec
    heads: tuple[str, ...] = ("plain",)
    placements: tuple[str, ...] = ()
    max_layers: int = 0
    logits: Callable[[Any], Tensor] = lambda output: output
    min_batch: Mapping[str, int] = field(default_factory=dict)
    load_file: Callable[[bytes], DataSplits] | None = None
    model_sizes: Callable[[DataSplits], Mapping[str, int]] = lambda data: {}

    def with_file(self, raw: bytes) -> Experiment:
        """Return a copy of the experiment with the data of an uploaded file.

        Args:
            raw: content of the file.

        Raises:
            SpecificationError: the experiment needs no file, or the file is invalid.
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
        return f"{self.label} has its own data and reads no file, but got one. Leave the file out."

    def architecture(self, specification: TrainingSpec) -> dict[str, Any]:
        """Return a specification's placement and number of layers as keyword arguments for models.

        Empty if the experiment does not let them be chosen.
        """
        if not self.placements:
            return {}
        return {
            "placement": specification.placement or self.default.placement,
            "layers": specification.layers or self.default.layers,
        }

    def model(self, specification: TrainingSpec, norm: str) -> nn.Module:
        """Return an untrained model of a specification, with the given norm."""
        return self.build(norm, specification.head, **self.architecture(specification))

    def parameter_count(self, specification: TrainingSpec, norm: str) -> int:
        """Return the number of parameters of a specification's model with the given norm."""
        s = specification
        return _count_parameters(self.build, norm, s.head, **self.architecture(s))

    def groups(self, specification: TrainingSpec) -> list[tuple[str, int]]:
        """Return the norm and batch size of each run group, in the order of training.

        All norms of a batch size come one after the other, so that they can be compared early.
        """
        s = specification
        pairs = product(s.batch_sizes, s.norms)
        return [(norm, size) for size, norm in pairs if size >= self.min_batch.get(norm, 1)]

    def total_steps(self, specification: TrainingSpec) -> int:
        """Return the total number of training steps of all run groups of a specification."""
        return specification.steps * len(self.groups(specification))

    def loss(self, output: Any, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy of a model's outputs, in nats."""
        scores = self.logits(output)
        loss: Tensor = nn.functional.cross_entropy(
            scores.flatten(0, -2), targets.expand(scores.shape[:-1]).flatten()
        )
        return loss

    def error(self, output: Any, targets: Tensor) -> Tensor:
        """Return the error rate: the fraction of examples that the model classifies wrongly."""
        return (self.logits(output).argmax(-1) != targets).float().mean()

    def check(self, specification: TrainingSpec) -> None:
        """Validate a training specification; raise an error that lists all problems.

        Raises:
            SpecificationError: the specification is invalid; the message has a sentence for each
                problem.
        """
        s = specification
        cases = len(self._load_data(s.file).train.x)
        problems = []
        for label, values, valid in (
            ("norm", s.norms, self.norms),
            ("head", (s.head,), self.heads),
            *([("placement", (s.placement,), ("", *self.placements))] if self.placements else []),
        ):
            invalid = [str(value)[:24] for value in values if value not in valid]
            if invalid:
                problems.append(
                    f"{self.label} has no {label} {', '.join(invalid[:MAX_LISTED])}. "
                    f"Choose from {', '.join(filter(None, valid))}."
                )
        if not self.placements and (s.placement != "" or s.layers != 0):
            problems.append(
                f"{self.label} has a fixed number of layers and a fixed placement of norms. Leave "
                "placement and layers out."
            )
        problems += [
            f"{name.replace('_', ' ').capitalize()} must not be empty."
            for name in LIST_FIELDS
            if not getattr(s, name)
        ]
        own_layers = (s.layers,) if self.placements and s.layers != 0 else ()
        bounds = (
            ("batch size", s.batch_sizes, int, 1, cases),
            ("learning rate", s.rates, float, 1e-8, 10.0),
            ("seed", s.seeds, int, 0, 2**31 - 1),
            ("number of steps", (s.steps,), int, 1, 100_000),
            ("number of steps between measurements", (s.every,), int, 1, 100_000),
            ("number of warm-up steps", (s.warm_up,), int, 0, 100_000),
            ("number of layers", own_layers, int, 1, self.max_layers),
        )
        for label, numbers, kind, low, high in bounds:
            invalid = [str(n)[:24] for n in numbers if not _in_range(n, kind, low, high)]
            if invalid:
                problems.append(
                    f"A {label} must be {'a whole number ' if kind is int else ''}from {low} to "
                    f"{high}, but got {', '.join(invalid[:MAX_LISTED])}."
                )
        problems = problems or self._combination_problems(s)
        if problems:
            raise SpecificationError("\n".join(problems))

    def _load_data(self, file: str) -> DataSplits:
        """Return the experiment's data; raise an error if the specification names another file."""
        if self.load_file is None and file != "":
            raise SpecificationError(self._no_file_message)
        data = self.data()
        if file != self.default.file:
            raise SpecificationError(
                f"{self.label} has the data of file {self.default.file[:8]}, but the "
                f"specification names {f'file {str(file)[:8]}' if file else 'no file'}. Use the "
                "same file in both."
            )
        return data

    def _combination_problems(self, s: TrainingSpec) -> list[str]:
        """Return the problems with combinations of values that are valid on their own."""
        problems = [
            f"The {name.replace('_', ' ')} must differ, but one is listed twice. List each once."
            for name in LIST_FIELDS
            if len(set(getattr(s, name))) < len(getattr(s, name))
        ]
        runs = len(s.rates) * len(s.seeds)
        if runs > MAX_RUNS:
            problems.append(
                f"At most {MAX_RUNS} runs can train together, but got {len(s.rates)} learning "
                f"rates times {len(s.seeds)} seeds. Ask for fewer learning rates or seeds."
            )
        drawn = s.steps * len(s.seeds) * max(s.batch_sizes)  # whatever the rate
        if drawn > MAX_SAMPLES:
            problems.append(
                f"The runs draw {drawn:,} examples, more than {MAX_SAMPLES:,}. Ask for fewer "
                "steps or seeds, or for smaller batches."
            )
        learned = runs * max(self.parameter_count(s, norm) for norm in s.norms)
        if learned > MAX_PARAMETERS:
            problems.append(
                f"The runs of a norm have {learned:,} parameters in all, more than "
                f"{MAX_PARAMETERS:,}. Ask for fewer learning rates or seeds."
            )
        measured = len(self.groups(s)) * (s.steps // s.every + 1) * runs
        if measured > MAX_MEASUREMENTS:
            problems.append(
                f"The runs need {measured:,} measurements in all, more than {MAX_MEASUREMENTS:,}. "
                "Ask for fewer runs or steps, or for more steps between measurements."
            )
        if not self.groups(s):
            problems.append(
                f"The norm {' or '.join(s.norms)} has no variance in batches of one example, so "
                "there is nothing to train. Ask for a larger batch size, or for other norms as "
                "well."
            )
        return problems


@dataclass(frozen=True)
class _UploadedFile:
    """An uploaded file, compared by name; the name is a hash of the content."""

    name: str
    raw: bytes = field(compare=False, repr=False)


@lru_cache(maxsize=MAX_CACHED_FILES)
def _load_cached(read: Callable[[bytes], DataSplits], file: _UploadedFile) -> DataSplits:
    return read(file.raw)


@lru_cache
def _count_parameters(
    build: Callable[..., nn.Module], norm: str, head: str, **architecture: Any
) -> int:
    # Not on the device "meta", which needs no memory but two seconds of imports.
    with isolated_rng():
        return sum(each.numel() for each in build(norm, head, **architecture).parameters())


def _in_range(number: Any, kind: type, low: float, high: float) -> bool:
    is_kind = isinstance(number, kind if kind is int else int | float)
    return is_kind and not isinstance(number, bool) and low <= number <= high
