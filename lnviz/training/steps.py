"""Steps of training: one loop over time for all runs at once."""

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


class Training:
    """Runs and what trains them: one step for all at a time, which can be kept and taken up again.

    Args:
        runs: what to train; parameters and buffers change in place.
        loss: gives the loss of what a run's model returns, and targets.
        optimizer: an optimizer of `torch.optim`; its settings but the rate are PyTorch's.
        rate: the learning rate of all runs, where the steps give none.

    >>> from lnviz.training import initialize, sample_batches
    >>> runs = initialize(lambda: nn.Linear(3, 2), seeds=(0, 1))
    >>> training = Training(runs, rate=0.05)
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

        def of_one(
            parameters: StackedTensors, buffers: StackedTensors, x: Tensor, targets: Tensor
        ) -> Tensor:
            return loss(functional_call(runs.model, (parameters, buffers), (x,)), targets)

        self._losses = vmap(of_one)

    def step(self, batch: Batch, rates: Float[Tensor, " R"] | None = None) -> Float[Tensor, " R"]:
        """Let all runs learn from a batch each.

        Until the next step `grad` of each parameter holds the gradient of this one.

        Args:
            batch: inputs and targets, `(runs, batch, ...)` each.
            rates: the learning rate of each run; then the one of all must be 1.

        Returns:
            The loss of each run on its batch, from before the update.
        """
        runs, parameters = self.runs, list(self.runs.parameters.values())
        runs.model.train()
        losses: Tensor = self._losses(runs.parameters, runs.buffers, *batch)
        # Each loss depends on its own run's parameters alone: the gradient of all is that of each.
        # Outside of vmap autograd takes a quarter less time than `torch.func.grad` within.
        gradients = torch.autograd.grad(losses, parameters, torch.ones_like(losses))
        for parameter, gradient in zip(parameters, gradients, strict=True):
            # PyTorch's fused optimizers for the CPU take numbers as they lie in memory.
            parameter.grad = gradient.contiguous()
        if rates is None:
            self._optimizer.step()
        else:
            self._step(rates)
        return losses.detach()

    def _step(self, rates: Float[Tensor, " R"]) -> None:
        """Let each run go its own share of a step at rate 1: a step is proportional to the rate."""
        parameters = list(self.runs.parameters.values())
        before = [parameter.detach().clone() for parameter in parameters]
        self._optimizer.step()
        with torch.no_grad():
            for old, new in zip(before, parameters, strict=True):
                share = rates.view(-1, *[1] * (new.dim() - 1))
                new.copy_(old.lerp(new, share))

    def state(self) -> StackedTensors:
        """Return all that the next step depends on, for `load`; tensors are not copied."""
        return {
            "parameters": {name: p.detach() for name, p in self.runs.parameters.items()},
            "buffers": self.runs.buffers,
            "optimizer": self._optimizer.state_dict(),
        }

    def load_state(self, state: StackedTensors) -> None:
        """Go on from what `state` returned, of runs of the same model and number.

        Raises:
            ValueError: the state is of other runs.
        """
        for kind, own in (("parameters", self.runs.parameters), ("buffers", self.runs.buffers)):
            found = {name: tuple(value.shape) for name, value in state[kind].items()}
            expected = {name: tuple(value.shape) for name, value in own.items()}
            if found != expected:
                raise ValueError(
                    f"This state is of other runs: its {kind} are {found}, these runs' are "
                    f"{expected}. Load it into runs of the model it was taken from."
                )
            with torch.no_grad():
                for name, value in own.items():
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
    """Train all runs together; yield their losses step by step.

    The caller draws its progress, measures and stops between steps.

    Args:
        runs: as in `Training`.
        batches: inputs and targets for each step, `(runs, batch, ...)` each.
        rate: the learning rate; or for each step one for each run.
        loss: as in `Training`.
        optimizer: as in `Training`.

    Yields:
        The loss of each run on the batch just learned from, from before the update.

    >>> from lnviz.training import initialize, sample_batches
    >>> runs = initialize(lambda: nn.Linear(3, 2), seeds=(0, 1))
    >>> x, targets = torch.eye(3), torch.tensor([0, 1, 1])
    >>> drawn = sample_batches(runs.seeds, 3, steps=200, batch_size=8)
    >>> batches = [(x[d], targets[d]) for d in drawn]
    >>> losses = torch.stack(list(train(runs, batches, rate=0.05)))
    >>> losses.shape, bool((losses[-1] < 0.2).all())
    (torch.Size([200, 2]), True)
    """
    one, rates = (rate, repeat(None)) if isinstance(rate, int | float) else (1.0, rate)
    training = Training(runs, loss=loss, optimizer=optimizer, rate=one)
    for batch, own in zip(batches, rates, strict=False):
        yield training.step(batch, own)
