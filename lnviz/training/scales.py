"""Magnitudes in training runs: activations, gradients, gains and biases of each layer."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.func import functional_call, vmap

from lnviz.training.runs import Runs

PerLayer = dict[str, Tensor]
"""A value for each run, by the name of a layer."""
MEASURED_LAYERS = (nn.Linear, nn.Conv2d)


def activations(runs: Runs, x: Shaped[Tensor, "N ..."]) -> PerLayer:
    """Return the RMS of the outputs of each linear layer and convolution, in evaluation mode.

    Args:
        runs: the models.
        x: the examples, the same for all runs.

    Returns:
        The RMS in each run, by the name of the layer, in the order of the calls.

    >>> from lnviz.training import initialize
    >>> runs = initialize(lambda: nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1)), seeds=(0, 1, 2))
    >>> {name: rms.shape for name, rms in activations(runs, torch.ones(5, 3)).items()}
    {'0': torch.Size([3]), '1': torch.Size([3])}
    """
    runs.model.eval()
    watched = {name: m for name, m in runs.model.named_modules() if isinstance(m, MEASURED_LAYERS)}

    def measure_run(parameters: Any, buffers: Any) -> PerLayer:
        sizes: PerLayer = {}
        hooks = [
            # `update` returns None: any other return value would replace the layer's output.
            layer.register_forward_hook(
                lambda _, __, y, name=name: sizes.update({name: y.square().mean().sqrt()})
            )
            for name, layer in watched.items()
        ]
        try:
            functional_call(runs.model, (parameters, buffers), (x,))
        finally:
            for hook in hooks:
                hook.remove()
        return sizes

    with torch.no_grad():
        rms: PerLayer = vmap(measure_run)(runs.parameters, runs.buffers)
    return rms


def gradients(runs: Runs) -> PerLayer:
    """Return the RMS of the loss gradient with respect to each weight matrix, for the last batch.

    Gains and biases are not included.
    """
    return {
        name: torch.zeros(len(runs.seeds), device=p.device)
        if p.grad is None
        else p.grad.flatten(1).square().mean(1).sqrt()
        for name, p in runs.parameters.items()
        if p[0].dim() > 1
    }


def gains(runs: Runs) -> PerLayer:
    """Return each norm's gains as a tensor of shape (runs, units), keyed by the norm's name."""
    return {
        name.rpartition(".")[0]: p.detach()
        for name, p in runs.parameters.items()
        if name.endswith(("weight", "gain")) and p[0].dim() == 1
    }


def biases(runs: Runs) -> PerLayer:
    """Return each norm's biases, if any, of shape (runs, units), keyed by the norm's name."""
    named = {name: runs.parameters.get(f"{name}.bias") for name in gains(runs)}
    return {name: bias.detach() for name, bias in named.items() if bias is not None}


def scales(runs: Runs, x: Shaped[Tensor, "N ..."]) -> dict[str, PerLayer]:
    """Return the magnitudes in each run (activations, gradients, ...), keyed by quantity and layer.

    Quantities are the RMS of activations and of gradients, mean and standard deviation of gains,
    and the standard deviation of biases.

    >>> from lnviz.training import initialize
    >>> runs = initialize(lambda: nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2)), seeds=(0, 1))
    >>> scales(runs, torch.ones(5, 3))["gains"]
    {'1': tensor([1., 1.])}
    """
    learned = gains(runs)
    return {
        "activations": activations(runs, x),
        "gradients": gradients(runs),
        "gains": {name: each.mean(1) for name, each in learned.items()},
        "gain spreads": {name: each.std(1, correction=0) for name, each in learned.items()},
        "bias spreads": {name: each.std(1, correction=0) for name, each in biases(runs).items()},
    }
