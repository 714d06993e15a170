"""Run groups: all of a job's runs with the same norm and batch size, trained as one stack."""

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
from lnviz.training.steps import Trainer
from lnviz.training.warm_up import warm_up_factors

PROBE_SIZE = 128
"""Examples of the validation split that activations are measured on."""
EVALUATION_BATCH = 256
"""Examples that are evaluated at a time, in every run."""


@dataclass(frozen=True, eq=False)
class StepMetrics:
    """Metrics of all runs of a group at one training step; not finite where a run has diverged.

    Attributes:
        step: number of training steps so far.
        seconds: seconds of training so far, without evaluation.
        loss: mean training loss since the previous metrics, in nats; NaN at step 0.
        validation_loss: loss on the validation split, in nats.
        validation_error: fraction of the validation split that is misclassified.
        scales: the result of `lnviz.training.scales.scales`.
    """

    step: int
    seconds: float
    loss: Float[Tensor, " R"]
    validation_loss: Float[Tensor, " R"]
    validation_error: Float[Tensor, " R"]
    scales: dict[str, PerLayer]


@dataclass(frozen=True, eq=False)
class TestMetrics:
    """Loss and error rate of each run on the test split."""

    loss: Float[Tensor, " R"]
    error: Float[Tensor, " R"]


class RunGroup:
    """A stack of runs with the same norm and batch size: every learning rate with every seed.

    The results of a run depend only on its rate and seed, not on the other runs.

    Args:
        experiment: the experiment.
        specification: a valid specification of the experiment.
        norm: key of the norm.
        batch_size: number of examples in a batch.
        device: the device to train on.

    Attributes:
        rates: the learning rate of each run.
        seeds: the seed of each run.
        step: number of training steps so far.
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
        initial = initialize(lambda: experiment.model(s, norm), s.seeds, device)
        self.runs: Runs = concat_runs([initial] * len(s.rates))
        self.rates = tuple(rate for rate in s.rates for _ in s.seeds)
        self.seeds = self.runs.seeds
        has_one_rate = len(s.rates) == 1 and not s.warm_up
        one = s.rates[0] if has_one_rate else 1.0
        self._rates = None if has_one_rate else torch.tensor(self.rates, device=device)
        self._warm_up = warm_up_factors(s.steps, s.warm_up).to(device)
        adam = partial(torch.optim.Adam, fused=True)
        self._training = Trainer(self.runs, loss=experiment.loss, optimizer=adam, rate=one)
        self._batches = sample_batches(
            s.seeds, len(self.data.train.x), steps=s.steps, batch_size=batch_size
        )
        self.step = 0
        self._seconds = 0.0
        self._loss_sum = torch.zeros(len(self.seeds), device=device)  # since the last metrics
        self._last_measured: int | None = None

    def train(self) -> Iterator[StepMetrics | None]:
        """Train to the end; after each step, yield metrics if a measurement is due, else None."""
        s = self.specification
        if self._last_measured is None:
            yield self._measure()
        while self.step < s.steps:
            started = time.perf_counter()
            batch = self._batches[self.step].repeat(len(s.rates), 1)  # R,B
            train = self.data.train
            batch = batch.to(train.x.device)
            rates = None if self._rates is None else self._warm_up[self.step] * self._rates
            losses = self._training.step((train.x[batch], train.targets[batch]), rates)
            self._loss_sum += losses
            self.step += 1
            self._seconds += time.perf_counter() - started
            due = self.step % s.every == 0 or self.step == s.steps
            yield self._measure() if due else None

    def test(self) -> TestMetrics:
        """Return the loss and error rate of all runs on the test split."""
        part = self.data.test
        return TestMetrics(*self._evaluate(part.x, part.targets))

    def save(self) -> bytes:
        """Return the state of the training as bytes that `restore` can read."""
        buffer = io.BytesIO()
        state = self._training.state()
        group = {
            "step": self.step,
            "seconds": self._seconds,
            "lost": self._loss_sum,
            "last": self._last_measured,
        }
        torch.save({"training": state, "group": group}, buffer)
        return buffer.getvalue()

    def restore(self, saved: bytes) -> None:
        """Restore a state that `save` returned for a group with the same specification.

        Raises:
            ValueError: the state has other parameters than this group.
        """
        device = self._loss_sum.device
        state = torch.load(io.BytesIO(saved), map_location=device, weights_only=True)
        self._training.load_state(state["training"])
        group = state["group"]
        self.step, self._seconds = group["step"], group["seconds"]
        self._loss_sum, self._last_measured = group["lost"], group["last"]

    def _measure(self) -> StepMetrics:
        valid = self.data.validation
        loss, error = self._evaluate(valid.x, valid.targets)
        mean = self._loss_sum / (self.step - (self._last_measured or 0))  # 0 / 0 is NaN
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
        """Return the mean loss and the error rate of every run on the given examples."""
        self.runs.model.eval()

        def evaluate_run(parameters: Any, buffers: Any, x: Tensor, targets: Tensor) -> Any:
            output = functional_call(self.runs.model, (parameters, buffers), (x,))
            return self.experiment.loss(output, targets), self.experiment.error(output, targets)

        evaluate = vmap(evaluate_run, in_dims=(0, 0, None, None))
        parts = [
            (len(examples), *evaluate(self.runs.parameters, self.runs.buffers, examples, labels))
            for examples, labels in zip(
                x.split(EVALUATION_BATCH), targets.split(EVALUATION_BATCH), strict=True
            )
        ]
        loss, error = (
            torch.stack([count * part[which] for count, *part in parts]).sum(0) / len(x)
            for which in range(2)
        )
        return loss, error
