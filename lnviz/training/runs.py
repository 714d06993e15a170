"""Stacked runs: models with the same architecture, with a leading axis of runs in parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from lnviz.seeding import isolated_rng

StackedTensors = dict[str, Any]
"""Tensors by name, each with a leading dimension of runs."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Models with the same architecture, one for each run, with stacked parameters.

    Attributes:
        model: the architecture; its own parameters are not used.
        seeds: the seed of each run.
        parameters: learned parameters by name, `(runs, *shape)`. Training changes them in place.
        buffers: buffers by name, `(runs, *shape)`, such as running statistics. Training changes
            them in place.
    """

    model: nn.Module
    seeds: tuple[int, ...]
    parameters: StackedTensors
    buffers: StackedTensors


def initialize(
    build: Callable[[], nn.Module], seeds: Sequence[int], device: torch.device | str = "cpu"
) -> Runs:
    """Build a model for each seed, and stack their parameters.

    Each model is the result of `build()` after `torch.manual_seed(seed)`.

    Args:
        build: returns a model.
        seeds: the seed of each run.
        device: the device for the parameters.

    Returns:
        The runs, untrained.

    Raises:
        ValueError: there is no seed, or a seed occurs twice.

    >>> initialize(lambda: nn.Linear(3, 2), seeds=(0, 1, 2)).parameters["weight"].shape
    torch.Size([3, 2, 3])
    """
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(
            f"Runs need at least one seed, and all seeds must differ, but got {tuple(seeds)}."
        )
    models = []
    with isolated_rng():
        for seed in seeds:
            torch.manual_seed(seed)
            models.append(build().to(device))
    parameters, buffers = stack_module_state(models)
    return Runs(models[0], tuple(seeds), parameters, buffers)


def concat_runs(stacks: Sequence[Runs]) -> Runs:
    """Concatenate several stacks of runs with the same architecture into a single stack.

    Args:
        stacks: runs of the same architecture, for instance with different initial weights.

    Returns:
        All runs in order, with copies of their parameters. A seed may occur several times.

    Raises:
        ValueError: there are no stacks, or the names or shapes of their parameters differ.

    >>> stacks = [initialize(lambda: nn.Linear(3, 2), seeds=(0, 1)) for _ in range(3)]
    >>> joined = concat_runs(stacks)
    >>> joined.seeds, joined.parameters["weight"].shape
    ((0, 1, 0, 1, 0, 1), torch.Size([6, 2, 3]))
    """
    shapes = [{name: value.shape[1:] for name, value in p.parameters.items()} for p in stacks]
    if not stacks or any(shape != shapes[0] for shape in shapes):
        raise ValueError(
            f"Runs that train together must have the same model, but got parameters {shapes}. "
            "Train other models separately."
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
    """Sample a mini-batch of example indices for each step and run, with replacement.

    The samples of a run depend only on its seed, not on the other runs.

    Args:
        seeds: the seed of each run.
        examples: number of examples to sample from.
        steps: number of batches of each run.
        batch_size: number of examples in a batch.

    Returns:
        Indices of examples, of shape (steps, runs, batch).

    Raises:
        ValueError: there are no examples, or no batches.

    >>> sample_batches((0, 1, 2), 100, steps=4, batch_size=8).shape
    torch.Size([4, 3, 8])
    """
    if min(examples, steps, batch_size) < 1:
        raise ValueError(
            f"Batches need at least 1 example, 1 step and 1 example per batch, but got {examples} "
            f"examples, {steps} steps and {batch_size} examples per batch."
        )
    batches = [
        torch.randint(examples, (steps, batch_size), generator=torch.Generator().manual_seed(seed))
        for seed in seeds
    ]
    return torch.stack(batches, 1)


def predict(runs: Runs, x: Float[Tensor, "N ..."]) -> Float[Tensor, "R N ..."]:
    """Return the outputs of every run's model for the same examples, in evaluation mode.

    Args:
        runs: the models.
        x: the examples.

    >>> predict(initialize(lambda: nn.Linear(3, 2), seeds=(0, 1)), torch.ones(5, 3)).shape
    torch.Size([2, 5, 2])
    """
    runs.model.eval()

    def predict_run(parameters: StackedTensors, buffers: StackedTensors) -> Any:
        return functional_call(runs.model, (parameters, buffers), (x,))

    with torch.no_grad():
        outputs: Tensor = vmap(predict_run)(runs.parameters, runs.buffers)
    return outputs
