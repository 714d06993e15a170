"""Training experiment: gradients by layer in the first steps, Post-LN and Pre-LN, by warm-up.

All seeds are trained at once, with and without warm-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer.block import Transformer, TransformerBlock
from lnviz.topics.transformer.initialization import initialize as initialize_weights
from lnviz.topics.transformer.language import LanguageModel, prediction_loss
from lnviz.topics.transformer.learners import QUICK, Learners, halves
from lnviz.topics.transformer.placements import PLACEMENTS, POST, PRE, Placement
from lnviz.topics.transformer.theory import MATRICES
from lnviz.topics.transformer.warmup import WARM_UPS
from lnviz.training import Runs, Trainer, concat_runs, initialize
from lnviz.training.warm_up import warm_up_factors

COMPARED = (POST.key, PRE.key)
DEEP, TABLE = "deep", "table"
NETWORKS = (DEEP, TABLE)
"""Deep networks that start as PyTorch's layers do, and the networks of `warmup.WARMUP`."""
FIRST = 20
"""The number of steps that are recorded one by one, and the distance of those recorded later."""


@dataclass(frozen=True)
class FirstStepsSpecification(Learners):
    """Settings for measuring the gradients of language models in their first training steps.

    `layers` is the depth of the deep networks. The learning rate of Adam is constant; with warm-up,
    it first rises linearly to that value.

    Args:
        table_layers: number of layers of the networks that `warmup.WARMUP` trains.
        rate: the learning rate.
        warm_up: number of steps over which the learning rate rises.
    """

    layers: int = 12
    steps: int = 200
    seeds: tuple[int, ...] = tuple(range(10))
    table_layers: int = 6
    rate: float = 0.003
    warm_up: int = 200

    @property
    def recorded(self) -> tuple[int, ...]:
        """The numbers of updates after which gradients are recorded."""
        return tuple(k for k in range(self.steps + 1) if k <= FIRST or k % FIRST == 0)

    @property
    def rates(self) -> Float[Tensor, "steps R"]:
        """The learning rate of every run at each step: first without warm-up, then with it."""
        warm_ups = (0, self.warm_up)
        risen = torch.stack([warm_up_factors(self.steps + 1, over) for over in warm_ups], 1)
        return self.rate * risen.repeat_interleave(len(self.seeds), 1)

    def network(self, kind: str, placement: Placement) -> LanguageModel:
        """Create an untrained model from an entry in `NETWORKS`, with a placement of norms."""
        if kind == TABLE:
            return replace(self, layers=self.table_layers).model(placement)
        model = self.model(placement)
        initialize_weights(model.transformer, "pytorch")
        return model


def measure(
    specification: FirstStepsSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train language models for a few steps, and measure every layer's gradients along the way.

    The gradients after `step` updates are computed on the batch of the next update.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every step, with the placement and the number of steps done.

    Returns:
        By network, placement, `"without"` or `"with"` warm-up, step, layer and seed, NaN beyond the
        last layer: `weights`, the Frobenius norm of the gradient of the layer's second feed-forward
        matrix; `stream`, the Frobenius norm of the gradient with respect to the residual stream
        after the layer (in Post-LN, the output of the layer's last norm).
    """
    s = specification
    codes, _ = halves(on)
    sizes = (len(NETWORKS), len(COMPARED), len(WARM_UPS), len(s.recorded), s.layers, len(s.seeds))
    measured = {name: torch.full(sizes, torch.nan) for name in ("weights", "stream")}
    batches = replace(s, steps=s.steps + 1).batches
    for at, kind in enumerate(NETWORKS):
        for row, key in enumerate(COMPARED):

            def build(kind: str = kind, key: str = key) -> LanguageModel:
                return s.network(kind, PLACEMENTS[key])

            runs = concat_runs([initialize(build, s.seeds, on)] * len(WARM_UPS))
            training = Trainer(runs, loss=prediction_loss)
            own = s.rates.to(on)
            for step, batch in enumerate(batches(codes, len(WARM_UPS))):
                if is_recorded := step in s.recorded:
                    stream = _stream_gradients(runs, *batch)
                training.step(batch, own[step])
                if is_recorded:
                    found = {"weights": _weight_gradients(runs), "stream": stream}
                    for name, values in found.items():  # L,R
                        parted = values.unflatten(1, (len(WARM_UPS), -1)).movedim(1, 0)
                        record = measured[name][at, row, :, s.recorded.index(step)]
                        record[:, : len(values)] = parted
                report(PLACEMENTS[key].label, step)
    over = ("network", "placement", "warm_up", "step", "layer", "seed")
    return ArrayDataset(
        {
            "network": NETWORKS,
            "placement": COMPARED,
            "warm_up": WARM_UPS,
            "step": s.recorded,
            "layer": tuple(range(1, s.layers + 1)),
            "seed": s.seeds,
        },
        {name: NamedArray(over, values) for name, values in measured.items()},
    )


def _blocks(runs: Runs) -> list[TransformerBlock]:
    return list(cast(Iterable[TransformerBlock], cast(Transformer, runs.model.transformer).blocks))


def _weight_gradients(runs: Runs) -> Float[Tensor, "L R"]:
    """Return the Frobenius norms of the second weight matrices' gradients at the last step."""
    names = [
        f"transformer.blocks.{layer}.{MATRICES['second']}" for layer in range(len(_blocks(runs)))
    ]
    return torch.stack([runs.parameters[name].grad.flatten(1).norm(dim=1).cpu() for name in names])


def _stream_gradients(runs: Runs, x: Tensor, targets: Tensor) -> Float[Tensor, "L R"]:
    """Return the norms of the loss's gradients with respect to the stream after each layer.

    Zeros are added to the stream there; the gradient with respect to them is that of the stream.
    """
    width = cast(Transformer, runs.model.transformer).shape.width
    zeros = x.new_zeros((len(_blocks(runs)), *x.shape, width), dtype=torch.float32)
    zeros.requires_grad_()

    def loss(parameters: dict[str, Tensor], x: Tensor, targets: Tensor, zeros: Tensor) -> Tensor:
        with _added_to_stream(runs, zeros):
            return prediction_loss(functional_call(runs.model, (parameters, {}), (x,)), targets)

    losses = vmap(loss, in_dims=(0, 0, 0, 1))(runs.parameters, x, targets, zeros)
    (gradients,) = torch.autograd.grad(losses.sum(), zeros)
    norms: Tensor = gradients.flatten(2).norm(dim=2)
    return norms.cpu()


@contextmanager
def _added_to_stream(runs: Runs, added: Float[Tensor, "L B T D"]) -> Iterator[None]:
    """Context manager: add a tensor to the residual stream after each layer."""
    handles = [
        block.feed_forward.after.register_forward_hook(lambda _, __, y, own=own: y + own)
        for block, own in zip(_blocks(runs), added, strict=True)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


FIRST_STEPS = Artifact(
    "first-steps",
    "The gradient of every layer in the first training steps of language models.",
    "placement",
    measure,
    FirstStepsSpecification(),
    QUICK | {"steps": 2, "warm_up": 2, "table_layers": 1, "seeds": (0, 1)},
    count_steps=lambda s: s.steps,
)
