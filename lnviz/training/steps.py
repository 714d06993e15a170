"""Training steps of stacked runs: each step updates the models of all runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, vmap

from lnviz.training.runs import Runs, StackedTensors

Batch = tuple[Tensor, Tensor]
Loss = Callable[[Any, Tensor], Tensor]


class Trainer:
    """Trainer of several networks at once, with stacked parameters.

    Its state (parameters and optimizer) can be saved and loaded.

    Args:
        runs: the runs to train; parameters and buffers change in place.
        loss: loss function, called with the output of a run's model and the targets.
        optimizer: an optimizer class of `torch.optim`, used with PyTorch's default settings.
        rate: the learning rate of all runs; 1 if rates are passed to `step`.

    >>> from lnviz.training import initialize, sample_batches
    >>> runs = initialize(lambda: nn.Linear(3, 2), seeds=(0, 1))
    >>> training = Trainer(runs, rate=0.05)
    >>> training.step((torch.rand(2, 8, 3), torch.zeros(2, 8, dtype=torch.int64))).shape
    torch.Size([2])
    """

    def __init__(
        self,
        runs: Runs,
        *,
        loss: Loss = nn.functional.cross_entropy,
        optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam,
        rate: float = 1.0,
    ) -> None:
        self.runs = runs
        self._optimizer = optimizer(runs.parameters.values(), lr=rate)

        def run_loss(
            parameters: StackedTensors, buffers: StackedTensors, x: Tensor, targets: Tensor
        ) -> Tensor:
            return loss(functional_call(runs.model, (parameters, buffers), (x,)), targets)

        self._losses = vmap(run_loss)

    def step(self, batch: Batch, rates: Float[Tensor, " R"] | None = None) -> Float[Tensor, " R"]:
        """Update the models of all runs, each on its own batch.

        Until the next step, the `grad` of each parameter holds the gradient of this step.

        Args:
            batch: inputs and targets, `(runs, batch, ...)` each.
            rates: the learning rate of each run; if given, the trainer's `rate` must be 1.

        Returns:
            The loss of each run on its batch before the update.
        """
        runs, parameters = self.runs, list(self.runs.parameters.values())
        runs.model.train()
        losses: Tensor = self._losses(runs.parameters, runs.buffers, *batch)
        # Each loss depends on the parameters of its run alone, so that the gradient of the sum
        # holds the gradient of each. This takes a quarter less time than `torch.func.grad` in vmap.
        gradients = torch.autograd.grad(losses, parameters, torch.ones_like(losses))
        for parameter, gradient in zip(parameters, gradients, strict=True):
            # PyTorch's fused CPU optimizers ignore strides.
            parameter.grad = gradient.contiguous()
        if rates is None:
            self._optimizer.step()
        else:
            self._step(rates)
        return losses.detach()

    def _step(self, rates: Float[Tensor, " R"]) -> None:
        """Update each run at its own learning rate, by scaling the update at a rate of 1."""
        parameters = list(self.runs.parameters.values())
        before = [parameter.detach().clone() for parameter in parameters]
        self._optimizer.step()
        with torch.no_grad():
            for old, new in zip(before, parameters, strict=True):
                share = rates.view(-1, *[1] * (new.dim() - 1))
                new.copy_(old.lerp(new, share))

    def state(self) -> StackedTensors:
        """Return the state of parameters and optimizer, as tensors that are not copied."""
        return {
            "parameters": {name: p.detach() for name, p in self.runs.parameters.items()},
            "buffers": self.runs.buffers,
            "optimizer": self._optimizer.state_dict(),
        }

    def load_state(self, state: StackedTensors) -> None:
        """Load a state that `state` returned for the same model and number of runs.

        Args:
            state: returned by `state`.

        Raises:
            ValueError: the names or shapes of the tensors differ.
        """
        for kind, tensors in (("parameters", self.runs.parameters), ("buffers", self.runs.buffers)):
            loaded = {name: tuple(value.shape) for name, value in state[kind].items()}
            expected = {name: tuple(value.shape) for name, value in tensors.items()}
            if loaded != expected:
                raise ValueError(
                    f"This state belongs to other runs: its {kind} are {loaded}, but these runs "
                    f"have {expected}. Load it into runs of the model that it was saved from."
                )
            with torch.no_grad():
                for name, value in tensors.items():
                    value.copy_(state[kind][name])
        self._optimizer.load_state_dict(state["optimizer"])


def train(
    runs: Runs,
    batches: Iterable[Batch],
    *,
    rate: float | Iterable[Float[Tensor, " R"]],
    loss: Loss = nn.functional.cross_entropy,
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam,
) -> Iterator[Float[Tensor, " R"]]:
    """Train all runs simultaneously; yield their losses after each step.

    Args:
        runs: as in `Trainer`.
        batches: inputs and targets for each step, `(runs, batch, ...)` each.
        rate: the learning rate of all runs, or a tensor with the rate of each run for every step.
        loss: as in `Trainer`.
        optimizer: as in `Trainer`.

    Yields:
        The loss of each run on its batch before the update.

    >>> from lnviz.training import initialize, sample_batches
    >>> runs = initialize(lambda: nn.Linear(3, 2), seeds=(0, 1))
    >>> x, targets = torch.eye(3), torch.tensor([0, 1, 1])
    >>> drawn = sample_batches(runs.seeds, 3, steps=200, batch_size=8)
    >>> batches = [(x[d], targets[d]) for d in drawn]
    >>> losses = torch.stack(list(train(runs, batches, rate=0.05)))
    >>> losses.shape, bool((losses[-1] < 0.2).all())
    (torch.Size([200, 2]), True)
    """
    common_rate, rates = (rate, repeat(None)) if isinstance(rate, int | float) else (1.0, rate)
    training = Trainer(runs, loss=loss, optimizer=optimizer, rate=common_rate)
    for batch, batch_rates in zip(batches, rates, strict=False):
        yield training.step(batch, batch_rates)
