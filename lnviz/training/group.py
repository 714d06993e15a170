"""A group: all runs of a specification that share norm and batch size, trained as one program."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.training.experiment import DataSplits, Experiment, TrainingSpec
from lnviz.training.runs import Runs, concat_runs, initialize, sample_batches
from lnviz.training.scales import PerLayer, scales
from lnviz.training.steps import Training

PROBE_SIZE = 128  # cases of the validation part that activations are measured with
EVALUATION_BATCH = 256  # cases that are tested at a time, of every run


@dataclass(frozen=True, eq=False)
class StepMetrics:
    """What was measured of all runs of a group at one step.

    What has overflowed is infinite or NaN: a divergence is a result.

    Attributes:
        step: batches learned from so far.
        seconds: seconds of training so far, without measuring.
        loss: the mean loss on the batches since the point before, in nats; NaN at step 0.
        validation_loss: the loss on the validation part, in nats.
        validation_error: share named wrong.
        scales: the sizes of activations, gradients, gains and biases by layer, as `scales` has
            them.
    """

    step: int
    seconds: float
    loss: Float[Tensor, " R"]
    validation_loss: Float[Tensor, " R"]
    validation_error: Float[Tensor, " R"]
    scales: dict[str, PerLayer]


@dataclass(frozen=True, eq=False)
class TestMetrics:
    """How runs fare with cases that nothing was chosen by."""

    loss: Float[Tensor, " R"]
    error: Float[Tensor, " R"]


class RunGroup:
    """Runs of one norm and batch size: every learning rate with every seed, rates first.

    A run's numbers depend on its own rate and seed alone, not on which others train beside it.

    Args:
        experiment: the task.
        specification: what is run of it; it has been checked.
        norm: the key of the norm.
        batch_size: cases that a step learns from.
        device: the device to train on.

    Attributes:
        rates: the learning rate of each run.
        seeds: the seed of each run.
        step: batches learned from so far.
    """

    def __init__(
        self,
        experiment: Experiment,
        specification: TrainingSpec,
        norm: str,
        batch_size: int,
        device: torch.device | str = "cpu",
    ) -> None:
        s = specification
        self.experiment, self.specification = experiment, s
        self.norm, self.batch_size = norm, batch_size
        self.data: DataSplits = experiment.data().to(device)
        begun = initialize(lambda: experiment.build(norm, s.head), s.seeds, device)
        self.runs: Runs = concat_runs([begun] * len(s.rates))
        self.rates = tuple(rate for rate in s.rates for _ in s.seeds)
        self.seeds = self.runs.seeds
        one = s.rates[0] if len(s.rates) == 1 else 1.0
        self._rates = None if len(s.rates) == 1 else torch.tensor(self.rates, device=device)
        adam = partial(torch.optim.Adam, fused=True)
        self._training = Training(self.runs, loss=experiment.loss, optimizer=adam, rate=one)
        self._batches = sample_batches(
            s.seeds, len(self.data.train.x), steps=s.steps, batch_size=batch_size
        )
        self.step = 0
        self._seconds = 0.0
        self._loss_sum = torch.zeros(len(self.seeds), device=device)  # since the last point
        self._last_measured: int | None = None  # step of the last point

    def train(self) -> Iterator[StepMetrics | None]:
        """Go on training; yield a point before the first step and every so often, else None."""
        s = self.specification
        if self._last_measured is None:
            yield self._measure()
        while self.step < s.steps:
            begun = time.perf_counter()
            drawn = self._batches[self.step].repeat(len(s.rates), 1)  # R,B
            train = self.data.train
            drawn = drawn.to(train.x.device)
            losses = self._training.step((train.x[drawn], train.targets[drawn]), self._rates)
            self._loss_sum += losses
            self.step += 1
            self._seconds += time.perf_counter() - begun
            due = self.step % s.every == 0 or self.step == s.steps
            yield self._measure() if due else None

    def test(self) -> TestMetrics:
        """Return how the runs fare with the test part now."""
        part = self.data.test
        return TestMetrics(*self._evaluate(part.x, part.targets))

    def save(self) -> bytes:
        """Return all that the rest of the training depends on, for `restore`."""
        buffer = io.BytesIO()
        state = self._training.state()
        own = {
            "step": self.step,
            "seconds": self._seconds,
            "lost": self._loss_sum,
            "last": self._last_measured,
        }
        torch.save({"training": state, "group": own}, buffer)
        return buffer.getvalue()

    def restore(self, saved: bytes) -> None:
        """Go on from what `save` returned of a group of the same specification.

        Raises:
            ValueError: it is of runs with other parameters.
        """
        device = self._loss_sum.device
        state = torch.load(io.BytesIO(saved), map_location=device, weights_only=True)
        self._training.load_state(state["training"])
        own = state["group"]
        self.step, self._seconds = own["step"], own["seconds"]
        self._loss_sum, self._last_measured = own["lost"], own["last"]

    def _measure(self) -> StepMetrics:
        valid = self.data.validation
        loss, error = self._evaluate(valid.x, valid.targets)
        mean = self._loss_sum / (self.step - (self._last_measured or 0))  # of none it is NaN
        self._loss_sum, self._last_measured = torch.zeros_like(self._loss_sum), self.step
        return StepMetrics(
            step=self.step,
            seconds=self._seconds,
            loss=mean,
            validation_loss=loss,
            validation_error=error,
            scales=scales(self.runs, valid.x[:PROBE_SIZE]),
        )

    @torch.no_grad()
    def _evaluate(self, x: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Mean loss and share named wrong of every run."""
        self.runs.model.eval()

        def of_one(parameters: Any, buffers: Any, x: Tensor, targets: Tensor) -> Any:
            output = functional_call(self.runs.model, (parameters, buffers), (x,))
            return self.experiment.loss(output, targets), self.experiment.error(output, targets)

        ask = vmap(of_one, in_dims=(0, 0, None, None))
        parts = [
            (len(cases), *ask(self.runs.parameters, self.runs.buffers, cases, wanted))
            for cases, wanted in zip(
                x.split(EVALUATION_BATCH), targets.split(EVALUATION_BATCH), strict=True
            )
        ]
        loss, error = (
            torch.stack([count * part[which] for count, *part in parts]).sum(0) / len(x)
            for which in range(2)
        )
        return loss, error
