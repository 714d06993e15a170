"""Train language models and write down what goes into and out of their norms.

    python -m lnviz.topics.successors.train

trains all seeds at once, on the GPU where there is one, and writes the result that the lesson
shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.device import device
from lnviz.norms import LAYER
from lnviz.results import CLOUD
from lnviz.results.making import Report, named, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.successors.cloud import Cloud, Clouds, Specification, fit
from lnviz.topics.transformer.block import EPS, Shape
from lnviz.topics.transformer.language import LanguageModel, LanguageSteps, prediction_loss
from lnviz.topics.transformer.text import alphabet, encoded, text
from lnviz.training import Runs, draws, start, train

TESTED = 0.1  # share of the text, its end, that is not trained on


def compare(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Clouds:
    """Send text through the norms of models before training and after it.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch, with what is done and the batches done.

    Returns:
        What went in and out.
    """
    s = specification
    codes = encoded(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    begins = torch.linspace(cut, len(codes) - s.context - 1, s.passages).long()
    tests = codes[begins[:, None] + torch.arange(s.context + 1)]
    shape = Shape(s.width, s.layers, s.heads, s.inner, activation="relu", causal=True)
    runs = start(lambda: LanguageModel(len(alphabet()), s.context, shape), s.seeds, on)
    before = _cloud(s, *_seen(runs, tests))
    rates = (torch.arange(1, s.steps + 1) / s.warm_up).clamp(max=1) * s.rate
    own = rates[:, None].expand(-1, len(s.seeds)).to(on)
    for done, _ in enumerate(
        train(runs, _batches(s, codes[:cut]), rate=own, loss=prediction_loss), 1
    ):
        report("training", done)
    after = _cloud(s, *_seen(runs, tests))
    return Clouds(s, before, after, versions(), named(torch.device(on)))


def _batches(
    specification: Specification, codes: Int[Tensor, " all"]
) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
    s = specification
    for begins in draws(s.seeds, len(codes) - s.context, steps=s.steps, batch=s.batch):
        places = begins[..., None] + torch.arange(s.context + 1)  # R,B,T+1
        drawn = codes[places.to(codes.device)]
        yield drawn[..., :-1], drawn[..., 1:]


class _Seen(NamedTuple):
    loss: Float[Tensor, " R"]
    inputs: Float[Tensor, "R norms tokens D"]


def _seen(runs: Runs, passages: Int[Tensor, "passages T"]) -> _Seen:
    """Send passages through all runs; what comes to each norm, and the loss."""

    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        blocks = steps.transformer.blocks
        streams = [part.x for block in blocks for part in (block.attention, block.feed_forward)]
        inputs = torch.stack([*streams, blocks[-1].y]).flatten(1, 2)  # norms,tokens,D
        return prediction_loss(steps, passages[:, 1:]), inputs

    with torch.no_grad():
        loss, inputs = vmap(of_one)(runs.parameters)
    return _Seen(loss, inputs)


def _cloud(
    specification: Specification,
    loss: Float[Tensor, " R"],
    inputs: Float[Tensor, "R norms tokens D"],
) -> Cloud:
    s = specification
    alphas = torch.tensor(s.alphas).to(inputs)
    normed = LAYER.apply(inputs, "ND", eps=EPS)
    stds = normed.var.squeeze(-1).sqrt()  # R,norms,tokens
    fits = [
        [fit(x.flatten(), y.flatten(), alphas) for x, y in zip(*both, strict=True)]
        for both in zip(inputs, normed.x_hat, strict=True)
    ]
    left = torch.stack([torch.stack([each.left for each in row]) for row in fits])  # R,norms,A
    best, at = left.min(-1)
    tokens = torch.linspace(0, inputs.shape[2] - 1, s.tokens).long()
    units = torch.linspace(0, s.width - 1, s.units).long()
    return Cloud(
        inputs=numbers(inputs[0][:, tokens[:, None], units]),
        means=numbers(normed.mean[0, :, tokens, 0]),
        stds=numbers(stds[0, :, tokens]),
        heights=numbers(torch.stack([each.height for each in fits[0]])),
        shifts=numbers(torch.stack([each.shift for each in fits[0]])),
        left=numbers(left[0]),
        alpha=numbers(alphas[at]),
        bent=numbers(best),
        straight=numbers(torch.stack([torch.stack([e.straight for e in row]) for row in fits])),
        spread=numbers(stds.amax(-1) / stds.amin(-1)),
        loss=numbers(loss),
    )


def main() -> None:
    """Run from a command line."""
    found = run(
        CLOUD,
        "Train language models and write down what goes into and out of their norms.",
        Specification(),
        {
            "layers": "blocks of a model",
            "width": "of a model",
            "steps": "batches that each run learns from",
            "rate": "Adam's learning rate",
        },
        lambda wanted: compare(wanted, on=device(), report=progress(wanted.steps)),
    )
    for label, cloud in (("before", found.before), ("after", found.after)):
        print(f"{label} training: loss {', '.join(f'{loss:.2f}' for loss in cloud.loss)}")
        for at, name in enumerate(found.specification.names):
            alpha, bent, straight, spread = (
                sum(row[at] for row in rows) / len(rows)
                for rows in (cloud.alpha, cloud.bent, cloud.straight, cloud.spread)
            )
            print(
                f"  {name:<38} alpha {alpha:.2f}, left by tanh {bent:.3f}, by a line "
                f"{straight:.3f}, largest deviation {spread:.1f} times the smallest"
            )


if __name__ == "__main__":
    main()
