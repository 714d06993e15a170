"""Training of all playground networks at once, with recordings at several steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, vmap

from lnviz import progress
from lnviz.progress import ProgressCallback
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.topics.playground.data import Sample, plane, points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import MOST_BATCH, PlaygroundSpecification
from lnviz.training import Runs, concat_runs, initialize, sample_batches, train

SIDE, SMALL = 24, 10
"""Pixels along the plane's picture of a network, and of one of its units."""
SHOWN = 4
"""Number of recorded units per layer: the first ones."""
FULL, OVERFLOWED = 15, -16
"""Pixel values where class 1 is certain, and where the logit is not finite."""
BRIGHT, NOTHING = 7, -1
"""Pixel values where a unit's output is largest, and where there is no unit or finite output."""


def networks(
    specification: PlaygroundSpecification,
    on: torch.device,
    report: ProgressCallback = lambda label, step: None,
) -> ArrayDataset:
    r"""Train all networks from the same initial weights on the same batches; return recordings.

    Args:
        specification: the training.
        on: the device to train on.
        report: called after every step with the number of steps done.

    Returns:
        `accuracy` and `test_accuracy`: the fractions of training and test points that a network
        classifies correctly, by norm, learning rate, axis value, seed and step; NaN where values
        have overflowed. BatchNorm uses its running statistics. `batch_accuracy`: BatchNorm's
        training accuracy with the statistics of the training points, by rate, axis value, seed and
        step; empty without BatchNorm.

        The others are for the first seed only, by norm, rate and axis value. `map`: the decision
        map by step, row and column: $15 \tanh(s / 2)$ of the logit s, rounded, or `OVERFLOWED` if
        s is not finite. `dead`: the fraction of units that are 0 for all training points, by step
        and layer; NaN for missing layers. `units`: the activation map of each unit, by step (those
        of `looks`), layer and unit, scaled to `BRIGHT` at its maximum; `NOTHING` for missing units.
        Row 0 is at the top.
    """
    found = points(specification.data)
    kept: dict[str, list[Tensor]] = {}
    for step, runs in learning(specification, on, report):
        seen = _accuracies(specification, found, runs) | _record_images(
            specification, found, runs, step in specification.looks
        )
        for name, values in seen.items():
            kept.setdefault(name, []).append(values.cpu())
    axes: Axes = {
        "norm": specification.norms,
        "rate": specification.rates,
        "place": specification.places,
        "seed": specification.seeds,
        "step": specification.frames,
        "layer": tuple(range(1, specification.depths[-1] + 1)),
        "unit": tuple(range(1, SHOWN + 1)),
        "look": specification.looks,
        **{name: tuple(range(SIDE)) for name in ("row", "column")},
        **{name: tuple(range(SMALL)) for name in ("small_row", "small_column")},
    }
    one = ("norm", "rate", "place")
    over = {
        "accuracy": ("norm", "rate", "place", "seed", "step"),
        "test_accuracy": ("norm", "rate", "place", "seed", "step"),
        "batch_accuracy": ("rate", "place", "seed", "step"),
        "map": (*one, "step", "row", "column"),
        "dead": (*one, "step", "layer"),
        "units": (*one, "look", "layer", "unit", "small_row", "small_column"),
    }

    def along(name: str) -> int:
        """Return the index of an array's time axis."""
        return next(at for at, axis in enumerate(over[name]) if axis in ("step", "look"))

    return ArrayDataset(
        axes,
        {name: NamedArray(over[name], torch.stack(of, along(name))) for name, of in kept.items()},
    )


def learning(
    specification: PlaygroundSpecification,
    on: torch.device,
    report: ProgressCallback = lambda label, step: None,
) -> Iterator[tuple[int, Runs]]:
    """Train all networks at once, and yield them at each recorded step.

    A run has one learning rate and one seed; runs are ordered by rate, then by seed. A run is one
    `Networks` module: the networks of all norms and axis values, which start from the same weights
    and learn from the same batches.

    Args:
        specification: the training.
        on: the device to train on.
        report: called after every step with the number of steps done.

    Yields:
        The number of steps done and the runs, at each of the `frames`. The runs are modified in
        place as training continues.
    """
    found = points(specification.data)
    build = partial(
        Networks,
        specification.norms,
        specification.depths,
        specification.scales,
        specification.batches,
        specification.bias,
        specification.residual,
    )
    runs = concat_runs([initialize(build, specification.seeds, on)] * len(specification.rates))
    x, targets = found.x.to(on), found.classes.to(found.x.dtype).to(on)

    def loss(output: Any, targets: Tensor) -> Tensor:
        """Return the sum of the networks' losses, so that each network learns from its own loss."""
        scores, _ = output
        losses = nn.functional.binary_cross_entropy_with_logits(
            scores, targets.expand_as(scores), reduction="none"
        )
        return losses.mean(-1).sum()

    yield 0, runs
    steps = specification.frames[-1]
    # A smaller batch has its cases as often as it goes into the largest: that changes no mean.
    cases = (
        torch.arange(max(specification.batches)) % torch.tensor(specification.batches)[:, None]
    )  # A,B
    drawn = sample_batches(specification.seeds, len(x), steps=steps, batch_size=MOST_BATCH)[
        ..., cases
    ]
    drawn = drawn.repeat(1, len(specification.rates), 1, 1).to(on)  # steps,R,A,B
    batches = ((x[draw], targets[draw]) for draw in drawn)
    rates = torch.tensor(
        [rate for rate in specification.rates for _ in specification.seeds], device=on
    )
    adam = partial(torch.optim.Adam, fused=True)
    losses = train(runs, batches, rate=repeat(rates), loss=loss, optimizer=adam)
    for step, _ in enumerate(losses, 1):
        progress.report_progress(step / steps)
        report(f"{specification.networks} networks", step)
        if step in specification.frames:
            yield step, runs


def _accuracies(asked: PlaygroundSpecification, found: Sample, runs: Runs) -> dict[str, Tensor]:
    """Return the networks' accuracies at the current step, with axes as in `networks`."""
    on = _model(runs).head.device
    split = (len(asked.rates), len(asked.seeds))
    both = torch.cat([found.x, found.test_x]).to(on)
    classes = torch.cat([found.classes, found.test_classes]).to(on).bool()
    scores = _outputs(runs, both)[0].transpose(0, 1)  # norms,R,A,B
    named = _correct(scores, classes).unflatten(1, split).transpose(2, 3)  # norms,rates,A,seeds,B
    learned = len(found.x)
    values = {
        "accuracy": named[..., :learned].mean(-1),
        "test_accuracy": named[..., learned:].mean(-1),
    }
    if "batch" in asked.norms:
        scores = _with_own_statistics(runs, both[:learned])[:, asked.norms.index("batch")]
        named = _correct(scores, classes[:learned])
        values["batch_accuracy"] = named.mean(-1).unflatten(0, split).transpose(1, 2)
    return values


def _correct(scores: Tensor, classes: Tensor) -> Tensor:
    """Return 1 for a correct prediction, 0 for a wrong one, NaN if the output is not finite."""
    return ((scores > 0) == classes).float().where(scores.isfinite(), torch.nan)


def _record_images(
    asked: PlaygroundSpecification, found: Sample, runs: Runs, units: bool
) -> dict[str, Tensor]:
    """Return decision maps and unit activations for the first seed, with axes as in `networks`."""
    on, learned = _model(runs).head.device, len(found.x)
    parts = (learned, SIDE * SIDE, SMALL * SMALL)
    x = torch.cat([found.x, plane(SIDE), plane(SMALL)]).to(on)
    scores, layers = _outputs(_of_first_seed(runs, len(asked.seeds)), x)  # R,norms first
    outs = [h.transpose(0, 1).split(parts, -2) for h in layers]
    places = len(asked.places)
    values = {
        "map": _picture(scores.transpose(0, 1).split(parts, -1)[1]),
        "dead": torch.stack([_dead_fractions(h, places) for h, _, _ in outs], -1),
    }
    if units:
        values["units"] = torch.stack([_unit_images(h, places) for *_, h in outs], 3)
    return values


def _model(runs: Runs) -> Networks:
    """Return the module that all runs share; each run has its own parameters."""
    assert isinstance(runs.model, Networks)
    return runs.model


def _outputs(runs: Runs, x: Float[Tensor, "B 2"]) -> tuple[Tensor, list[Tensor]]:
    """Return the outputs and activations of all networks for given examples, in evaluation mode."""
    model = _model(runs).eval()

    def of_one(parameters: Any, buffers: Any) -> Any:
        return functional_call(model, (parameters, buffers), (x,))

    with torch.no_grad():
        found: tuple[Tensor, list[Tensor]] = vmap(of_one)(runs.parameters, runs.buffers)
    return found


def _of_first_seed(runs: Runs, seeds: int) -> Runs:
    parameters = {name: value[::seeds].detach() for name, value in runs.parameters.items()}
    buffers = {name: value[::seeds] for name, value in runs.buffers.items()}
    return Runs(runs.model, runs.seeds[::seeds], parameters, buffers)


def _with_own_statistics(runs: Runs, x: Float[Tensor, "B 2"]) -> Float[Tensor, "R norms A B"]:
    """Return the networks' outputs, with BatchNorm's statistics computed from the same examples."""
    model = _model(runs).train()
    buffers = {name: value.clone() for name, value in runs.buffers.items()}  # those change

    def of_one(parameters: Any, buffers: Any) -> Tensor:
        scores: Tensor = functional_call(model, (parameters, buffers), (x,))[0]
        return scores

    with torch.no_grad():
        found: Tensor = vmap(of_one)(runs.parameters, buffers)
    return found


def _dead_fractions(
    h: Float[Tensor, "norms R networks B D"], places: int
) -> Float[Tensor, "norms R A"]:
    """Return the fraction of units that are 0 for all examples, with NaN for missing layers."""
    share = (h == 0).all(-2).float().mean(-1).where(h.isfinite().all((-2, -1)), torch.nan)
    return nn.functional.pad(share, (places - share.shape[-1], 0), value=torch.nan)


def _unit_images(
    h: Float[Tensor, "norms R networks P D"], places: int
) -> Int[Tensor, "norms R A units row column"]:
    """Return activation maps of a layer's first units; missing layers are filled with `NOTHING`."""
    shown = h[..., :SHOWN].mT
    largest = shown.amax(-1, keepdim=True).clamp(min=torch.finfo(h.dtype).tiny)
    values = (BRIGHT * shown / largest).round()
    whole = values.where(values.isfinite(), NOTHING).to(torch.int8)
    missing = places - whole.shape[2]
    padded = nn.functional.pad(whole, (0, 0, 0, 0, missing, 0), value=NOTHING)
    pictures: Tensor = padded.unflatten(-1, (SMALL, SMALL))
    return pictures


def _picture(scores: Float[Tensor, "*networks P"]) -> Int[Tensor, "*networks row column"]:
    values = (FULL * (scores / 2).tanh()).round()
    whole = values.where(values.isfinite(), OVERFLOWED).to(torch.int8)
    pictures: Tensor = whole.unflatten(-1, (SIDE, SIDE))
    return pictures
