"""Many runs of one model at once: parameters stacked, a leading dimension for the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from lnviz.seeding import isolated_rng

StackedTensors = dict[str, Any]  # tensors by name, each with the runs as leading dimension


@dataclass(frozen=True, eq=False)
class Runs:
    """Models of one architecture with stacked parameters, one model a run.

    Attributes:
        model: says what is computed; its own numbers are not used.
        seeds: what drew each run.
        parameters: numbers that are learned, by name, `(runs, *shape)`. Training changes them in
            place.
        buffers: other numbers, by name, `(runs, *shape)`, such as running statistics. Training
            changes them, too.
    """

    model: nn.Module
    seeds: tuple[int, ...]
    parameters: StackedTensors
    buffers: StackedTensors


def initialize(
    build: Callable[[], nn.Module], seeds: Sequence[int], device: torch.device | str = "cpu"
) -> Runs:
    """Build a model for each seed and stack their parameters.

    Each is what `torch.manual_seed(seed)` and then `build()` give by themselves.

    Args:
        build: makes a model.
        seeds: the seeds, one a run.
        device: where the runs live.

    Returns:
        The runs, untrained.

    Raises:
        ValueError: there is no seed, or one twice.

    >>> initialize(lambda: nn.Linear(3, 2), seeds=(0, 1, 2)).parameters["weight"].shape
    torch.Size([3, 2, 3])
    """
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"Runs need one seed or more, each another one; got {tuple(seeds)}.")
    models = []
    with isolated_rng():
        for seed in seeds:
            torch.manual_seed(seed)
            models.append(build().to(device))
    parameters, buffers = stack_module_state(models)
    return Runs(models[0], tuple(seeds), parameters, buffers)


def concat_runs(stacks: Sequence[Runs]) -> Runs:
    """Put runs of one model side by side that differ in more than their seed, to train as one.

    Args:
        stacks: runs of the same model, started apart: at other weights, for instance.

    Returns:
        All of them in order; a seed stands there once for each part that has it. The parts keep
        their own numbers.

    Raises:
        ValueError: there are no stacks, or their parameters have not the same names and shapes.

    >>> stacks = [initialize(lambda: nn.Linear(3, 2), seeds=(0, 1)) for _ in range(3)]
    >>> joined = concat_runs(stacks)
    >>> joined.seeds, joined.parameters["weight"].shape
    ((0, 1, 0, 1, 0, 1), torch.Size([6, 2, 3]))
    """
    shapes = [{name: value.shape[1:] for name, value in p.parameters.items()} for p in stacks]
    if not stacks or any(shape != shapes[0] for shape in shapes):
        raise ValueError(
            f"Runs that train as one are of one model, got parameters {shapes}. Train others apart."
        )

    def together(stacks: Sequence[StackedTensors]) -> StackedTensors:
        return {name: torch.cat([stack[name].detach() for stack in stacks]) for name in stacks[0]}

    parameters = together([part.parameters for part in stacks])
    return Runs(
        stacks[0].model,
        tuple(seed for part in stacks for seed in part.seeds),
        {name: value.requires_grad_() for name, value in parameters.items()},
        together([part.buffers for part in stacks]),
    )


def sample_batches(
    seeds: Sequence[int], examples: int, *, steps: int, batch_size: int
) -> Int[Tensor, "S R B"]:
    """Draw which cases each run learns from at each step, with replacement.

    A run's draws depend on its seed alone: beside others it goes as it would by itself.

    Args:
        seeds: the seeds, one a run.
        examples: how many there are to draw from.
        steps: how many batches each run gets.
        batch_size: how many cases a batch has.

    Returns:
        Indices of cases, steps x runs x batch.

    Raises:
        ValueError: there are no cases, or no batches.

    >>> sample_batches((0, 1, 2), 100, steps=4, batch_size=8).shape
    torch.Size([4, 3, 8])
    """
    if min(examples, steps, batch_size) < 1:
        raise ValueError(
            f"Batches are drawn from 1 case or more, for 1 step or more and of 1 case or more; got "
            f"{examples} cases, {steps} steps and a batch of {batch_size}."
        )
    drawn = [
        torch.randint(examples, (steps, batch_size), generator=torch.Generator().manual_seed(seed))
        for seed in seeds
    ]
    return torch.stack(drawn, 1)


def predict(runs: Runs, x: Float[Tensor, "N ..."]) -> Float[Tensor, "R N ..."]:
    """Return what every run makes of the same cases, at evaluation.

    Args:
        runs: the models.
        x: the cases.

    >>> predict(initialize(lambda: nn.Linear(3, 2), seeds=(0, 1)), torch.ones(5, 3)).shape
    torch.Size([2, 5, 2])
    """
    runs.model.eval()

    def of_one(parameters: StackedTensors, buffers: StackedTensors) -> Any:
        return functional_call(runs.model, (parameters, buffers), (x,))

    with torch.no_grad():
        found: Tensor = vmap(of_one)(runs.parameters, runs.buffers)
    return found
