"""Many runs of one model at once: parameters stacked, one loop over the steps for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

from lnviz.seeding import own_draws

Stacked = dict[str, Any]  # tensors by name, each with the runs as leading dimension
Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Runs:
    """Models of one kind, one a seed, or one for each seed of several parts that `join` has joined.

    Attributes:
        model: says what is computed; its own numbers are not used.
        seeds: what drew each run.
        parameters: by name, `(runs, *shape)`. Training changes them in place.
        buffers: by name, `(runs, *shape)`, such as running statistics. Training changes them, too.
    """

    model: nn.Module
    seeds: tuple[int, ...]
    parameters: Stacked
    buffers: Stacked


def start(
    build: Callable[[], nn.Module], seeds: Sequence[int], device: torch.device | str = "cpu"
) -> Runs:
    """Build a model for each seed and stack their parameters.

    Each is what `torch.manual_seed(seed)` and then `build()` give by themselves.

    Args:
        build: makes a model.
        seeds: one a run.
        device: where the runs live.

    Returns:
        The runs, untrained.

    Raises:
        ValueError: there is no seed, or one twice.

    >>> start(lambda: nn.Linear(3, 2), seeds=(0, 1, 2)).parameters["weight"].shape
    torch.Size([3, 2, 3])
    """
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"Runs need one seed or more, each another one; got {tuple(seeds)}.")
    models = []
    with own_draws():
        for seed in seeds:
            torch.manual_seed(seed)
            models.append(build().to(device))
    parameters, buffers = stack_module_state(models)
    return Runs(models[0], tuple(seeds), parameters, buffers)


def join(parts: Sequence[Runs]) -> Runs:
    """Put runs of one model side by side that differ in more than their seed, to train as one.

    Args:
        parts: runs of the same model, started apart: at other weights, for instance.

    Returns:
        All of them in order; a seed stands there once for each part that has it. The parts keep
        their own numbers.

    Raises:
        ValueError: there are no parts, or their parameters have not the same names and shapes.

    >>> parts = [start(lambda: nn.Linear(3, 2), seeds=(0, 1)) for _ in range(3)]
    >>> join(parts).seeds, join(parts).parameters["weight"].shape
    ((0, 1, 0, 1, 0, 1), torch.Size([6, 2, 3]))
    """
    shapes = [{name: value.shape[1:] for name, value in p.parameters.items()} for p in parts]
    if not parts or any(shape != shapes[0] for shape in shapes):
        raise ValueError(
            f"Runs that train as one are of one model, got parameters {shapes}. Train others apart."
        )

    def together(stacks: Sequence[Stacked]) -> Stacked:
        return {name: torch.cat([stack[name].detach() for stack in stacks]) for name in stacks[0]}

    parameters = together([part.parameters for part in parts])
    return Runs(
        parts[0].model,
        tuple(seed for part in parts for seed in part.seeds),
        {name: value.requires_grad_() for name, value in parameters.items()},
        together([part.buffers for part in parts]),
    )


def draws(seeds: Sequence[int], cases: int, *, steps: int, batch: int) -> Int[Tensor, "S R B"]:
    """Draw which cases each run learns from at each step, with replacement.

    A run's draws depend on its seed alone: beside others it goes as it would by itself.

    Args:
        seeds: one a run.
        cases: how many there are to draw from.
        steps: how many batches each run gets.
        batch: how many cases a batch has.

    Returns:
        Indices of cases, steps x runs x batch.

    Raises:
        ValueError: there are no cases, or no batches.

    >>> draws((0, 1, 2), 100, steps=4, batch=8).shape
    torch.Size([4, 3, 8])
    """
    if min(cases, steps, batch) < 1:
        raise ValueError(
            f"Batches are drawn from 1 case or more, for 1 step or more and of 1 case or more; got "
            f"{cases} cases, {steps} steps and a batch of {batch}."
        )
    drawn = [
        torch.randint(cases, (steps, batch), generator=torch.Generator().manual_seed(seed))
        for seed in seeds
    ]
    return torch.stack(drawn, 1)


def train(
    runs: Runs,
    batches: Iterable[Batch],
    *,
    rate: float | Iterable[Float[Tensor, " R"]],
    loss: Callable[[Any, Tensor], Tensor] = nn.functional.cross_entropy,
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam,
) -> Iterator[Float[Tensor, " R"]]:
    """Train all runs together; yield their losses step by step.

    The caller draws its progress, measures and stops between steps. Until the next step `grad` of
    each parameter holds the gradient of this one.

    Args:
        runs: what to train; parameters and buffers change in place.
        batches: for each step inputs and targets, `(runs, batch, ...)` each.
        rate: the learning rate; or for each step one for each run.
        loss: of what a run's model returns, and targets.
        optimizer: of `torch.optim`; its settings but the rate are PyTorch's.

    Yields:
        The loss of each run on the batch just learned from, from before the update.

    >>> runs = start(lambda: nn.Linear(3, 2), seeds=(0, 1))
    >>> x, targets = torch.eye(3), torch.tensor([0, 1, 1])
    >>> batches = [(x[d], targets[d]) for d in draws(runs.seeds, 3, steps=200, batch=8)]
    >>> losses = torch.stack(list(train(runs, batches, rate=0.05)))
    >>> losses.shape, bool((losses[-1] < 0.2).all())
    (torch.Size([200, 2]), True)
    """
    same = isinstance(rate, int | float)
    stepping = optimizer(runs.parameters.values(), lr=rate if same else 1.0)
    rates = repeat(None) if isinstance(rate, int | float) else rate

    def of_one(parameters: Stacked, buffers: Stacked, x: Tensor, targets: Tensor) -> Tensor:
        return loss(functional_call(runs.model, (parameters, buffers), (x,)), targets)

    gradients_and_losses = vmap(grad_and_value(of_one))
    for (x, targets), own in zip(batches, rates, strict=False):
        runs.model.train()
        with torch.no_grad():
            gradients, losses = gradients_and_losses(runs.parameters, runs.buffers, x, targets)
        for name, parameter in runs.parameters.items():
            parameter.grad = gradients[name]
        if own is None:
            stepping.step()
        else:
            _step(stepping, runs.parameters.values(), own)
        yield losses


def _step(
    stepping: torch.optim.Optimizer, parameters: Iterable[Tensor], rates: Float[Tensor, " R"]
) -> None:
    """Let each run go its own share of a step at rate 1: a step is proportional to the rate."""
    parameters = list(parameters)
    before = [parameter.detach().clone() for parameter in parameters]
    stepping.step()
    with torch.no_grad():
        for old, new in zip(before, parameters, strict=True):
            share = rates.view(-1, *[1] * (new.dim() - 1))
            new.copy_(old.lerp(new, share))


def outputs(runs: Runs, x: Float[Tensor, "N ..."]) -> Float[Tensor, "R N ..."]:
    """Return what every run makes of the same cases, at evaluation.

    Args:
        runs: the models.
        x: the cases.

    >>> outputs(start(lambda: nn.Linear(3, 2), seeds=(0, 1)), torch.ones(5, 3)).shape
    torch.Size([2, 5, 2])
    """
    runs.model.eval()

    def of_one(parameters: Stacked, buffers: Stacked) -> Any:
        return functional_call(runs.model, (parameters, buffers), (x,))

    with torch.no_grad():
        found: Tensor = vmap(of_one)(runs.parameters, runs.buffers)
    return found
