"""Train language models with LayerNorm and with RMSNorm, and write down what their means do.

    python -m lnviz.topics.transformer.centering

trains all seeds at once, takes the centering out of the models with LayerNorm at every point, and
writes the result that the lesson shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.device import device
from lnviz.norms import CATALOGUE, LAYER, RMS
from lnviz.results import CENTERING
from lnviz.results.making import Report, named, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.language import LanguageModel, LanguageSteps, prediction_loss
from lnviz.topics.transformer.means import PASSAGES, Means, Outcome, Rewritten, Specification
from lnviz.topics.transformer.placements import PRE
from lnviz.topics.transformer.rewrite import offset, with_rms, without_centering
from lnviz.topics.transformer.text import alphabet, encoded, text
from lnviz.training import Runs, draws, start, train

COMPARED = (LAYER.key, RMS.key)
TESTED = 0.1  # share of the text, its end, that is not trained on

Passages = Int[Tensor, "passages T"]
Rewrite = Callable[[LanguageModel], LanguageModel]


def language_model(specification: Specification, norm: str) -> LanguageModel:
    """Return a model as it starts, with norms before each sublayer.

    Args:
        specification: its sizes.
        norm: a key of the catalogue.
    """
    s = specification
    shape = Shape(s.width, s.layers, s.heads, s.inner, activation="relu", causal=True)
    return LanguageModel(len(alphabet()), s.context, shape, PRE, CATALOGUE[norm])


def measure(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Means:
    """Train the models with each norm on the same passages, and measure them on the way.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch, with the norm and the batches done.

    Returns:
        What became of each.
    """
    codes = encoded(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    tests = _passages(codes[cut:], specification.context)
    outcomes: dict[str, Outcome] = {}
    centered: list[Tensor] = []
    replaced: list[Tensor] = []
    for key in COMPARED:
        measured = []
        for runs in _trained(key, specification, codes[:cut], report):
            measured.append(_measured(runs, tests))
            if key == LAYER.key:
                centered.append(_rewritten(specification, runs, tests, without_centering))
                replaced.append(_rewritten(specification, runs, tests, with_rms))
        parts = [numbers(torch.stack(part)) for part in zip(*measured, strict=True)]
        outcomes[key] = Outcome(*parts)
    return Means(
        specification=specification,
        norms=outcomes,
        centered=Rewritten(*numbers(torch.stack(centered, 1))),
        replaced=Rewritten(*numbers(torch.stack(replaced, 1))),
        versions=versions(),
        device=named(torch.device(on)),
    )


def _trained(
    key: str, specification: Specification, codes: Int[Tensor, " all"], report: Report
) -> Iterator[Runs]:
    """Yield the runs at every point."""
    s = specification
    runs = start(lambda: language_model(s, key), s.seeds, codes.device)
    yield runs
    batches = _batches(s, codes)
    for done, _ in enumerate(train(runs, batches, rate=s.rate, loss=prediction_loss), 1):
        report(CATALOGUE[key].label, done)
        if done % s.every == 0:
            yield runs


def _batches(
    specification: Specification, codes: Int[Tensor, " all"]
) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
    s = specification
    for begins in draws(s.seeds, len(codes) - s.context, steps=s.steps, batch=s.batch):
        places = begins.to(codes.device)[..., None] + torch.arange(s.context + 1).to(codes.device)
        drawn = codes[places]  # R,B,T+1
        yield drawn[..., :-1], drawn[..., 1:]


def _passages(codes: Int[Tensor, " all"], context: int) -> Passages:
    begins = torch.linspace(0, len(codes) - context - 1, PASSAGES).long()
    return codes[begins[:, None] + torch.arange(context + 1)]


def received(steps: LanguageSteps) -> list[Float[Tensor, "*N T D"]]:
    """Return the residual stream in front of every norm that it meets, in order."""
    blocks = steps.transformer.blocks
    streams = [part.x for block in blocks for part in (block.attention, block.feed_forward)]
    return [*streams, blocks[-1].y]


def _measured(
    runs: Runs, passages: Passages
) -> tuple[Float[Tensor, "R norms"], Float[Tensor, "R norms"], Float[Tensor, " R"]]:
    """The mean beside the root mean square in front of every norm, that itself, and the loss."""

    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        streams = received(steps)
        offsets = torch.stack([offset(stream).mean() for stream in streams])
        sizes = torch.stack([stream.square().mean(-1).sqrt().mean() for stream in streams])
        return offsets, sizes, prediction_loss(steps, passages[:, 1:])

    with torch.no_grad():
        found: tuple[Tensor, Tensor, Tensor] = vmap(of_one)(runs.parameters)
    return found


def _rewritten(
    specification: Specification, runs: Runs, passages: Passages, rewrite: Rewrite
) -> Float[Tensor, "3 R"]:
    """The largest change of a score in 32 bits and in 64, and the loss after it, by run."""
    read, following = passages[:, :-1], passages[:, 1:]
    models = [language_model(specification, LAYER.key).to(read.device) for _ in range(2)]
    models[1].double()
    found = []
    with torch.no_grad():
        for at in range(len(runs.seeds)):
            changes, losses = [], []
            for model in models:
                model.load_state_dict({name: v[at] for name, v in runs.parameters.items()})
                other: LanguageSteps = rewrite(model)(read)
                changes.append((other.scores - model(read).scores).abs().max().float())
                losses.append(prediction_loss(other, following).float())
            found.append(torch.stack([*changes, losses[0]]))
    return torch.stack(found, -1)


def main() -> None:
    """Run from a command line."""
    found = run(
        CENTERING,
        "Train language models with LayerNorm and with RMSNorm, and measure their means.",
        Specification(),
        {"steps": "batches that each run learns from", "every": "batches between measurements"},
        lambda wanted: measure(wanted, on=device(), report=progress(wanted.steps)),
    )
    for key, outcome in found.norms.items():
        for words, at in (("before", 0), ("after", -1)):
            means = torch.tensor(outcome.offset[at]).mean(0)
            loss = torch.tensor(outcome.loss[at])
            print(
                f"{CATALOGUE[key].label:<9} {words} training: loss {loss.mean():.3f} nats, mean "
                f"beside RMS {' '.join(f'{mean:.3f}' for mean in means)}"
            )
    for words, rewritten in (("centered", found.centered), ("replaced", found.replaced)):
        worst = torch.tensor(rewritten.difference).max()
        exact = torch.tensor(rewritten.exact).max()
        loss = torch.tensor(rewritten.loss[-1]).mean()
        print(f"{words}: scores change by up to {worst:.2g} ({exact:.2g}), loss {loss:.3f} nats")


if __name__ == "__main__":
    main()
