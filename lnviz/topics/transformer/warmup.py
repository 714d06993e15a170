"""Train language models with and without warm-up, and write down what became of them.

    python -m lnviz.topics.transformer.warmup

trains all learning rates and seeds at once, with and without warm-up, on the GPU where there is
one, and writes the result that the lesson shows; `--quick` takes fewer of all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.device import device
from lnviz.results import WARMUP
from lnviz.results.making import Report, named, progress, versions
from lnviz.rounding import numbers
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.comparison import Comparison, Outcome, Specification
from lnviz.topics.transformer.language import LanguageModel, LanguageSteps, prediction_loss
from lnviz.topics.transformer.placements import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.rewrite import offset
from lnviz.topics.transformer.text import alphabet, encoded, text
from lnviz.training import Runs, draws, join, start, train

COMPARED = (POST.key, PRE.key)
TESTED = 0.1  # share of the text, its end, that is not trained on
PASSAGES = 64  # of it, evenly spaced, that models are tested with
QUICK = Specification(rates=(0.001, 0.01), seeds=(0, 1), steps=200, warm_up=60)


def language_model(specification: Specification, placement: str) -> LanguageModel:
    """Return a model as it starts.

    Args:
        specification: its sizes.
        placement: a key of `PLACEMENTS`.
    """
    s = specification
    shape = Shape(s.width, s.layers, s.heads, s.inner, activation="relu", causal=True)
    return LanguageModel(len(alphabet()), s.context, shape, PLACEMENTS[placement])


def rates(specification: Specification) -> Float[Tensor, "steps 2 rates seeds"]:
    """Learning rates of all runs by step: without warm-up, then with it."""
    s = specification
    peak = torch.tensor(s.rates)[:, None].expand(-1, len(s.seeds))
    done = torch.arange(1, s.steps + 1) / s.warm_up
    risen = torch.stack([torch.ones(s.steps), done.clamp(max=1)], 1)  # steps,2
    return risen[..., None, None] * peak


def compare(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Comparison:
    """Train the models of both placements on the same passages, and test them.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch, with the placement and the batches done.

    Returns:
        What became of each.
    """
    codes = encoded(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    tests = _passages(codes[cut:], specification.context)
    found = {}
    for key in COMPARED:
        runs, losses = _trained(key, specification, codes[:cut], report)
        found[key] = _outcomes(specification, losses, *_tested(runs, tests))
    return Comparison(
        specification=specification,
        frequencies=numbers(_by_frequency(codes[:cut], tests[:, 1:])),
        without={key: outcomes[0] for key, outcomes in found.items()},
        warmed={key: outcomes[1] for key, outcomes in found.items()},
        versions=versions(),
        device=named(torch.device(on)),
    )


def _trained(
    key: str, specification: Specification, codes: Int[Tensor, " all"], report: Report
) -> tuple[Runs, Float[Tensor, "steps R"]]:
    s = specification
    begun = start(lambda: language_model(s, key), s.seeds, codes.device)
    runs = join([begun] * (2 * len(s.rates)))
    own = rates(s).flatten(1).to(codes.device)  # steps,R
    losses = []
    for loss in train(runs, _batches(s, codes), rate=own, loss=prediction_loss):
        losses.append(loss)
        report(PLACEMENTS[key].label, len(losses))
    return runs, torch.stack(losses)


def _batches(
    specification: Specification, codes: Int[Tensor, " all"]
) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
    """Passages for each step; all runs of a seed get the same."""
    s = specification
    for begins in draws(s.seeds, len(codes) - s.context, steps=s.steps, batch=s.batch):
        places = begins.to(codes.device)[..., None] + torch.arange(s.context + 1).to(codes.device)
        drawn = codes[places].repeat(2 * len(s.rates), 1, 1)  # R,B,T+1
        yield drawn[..., :-1], drawn[..., 1:]


def _passages(codes: Int[Tensor, " all"], context: int) -> Int[Tensor, "passages T"]:
    begins = torch.linspace(0, len(codes) - context - 1, PASSAGES).long()
    return codes[begins[:, None] + torch.arange(context + 1)]


def _tested(
    runs: Runs, passages: Int[Tensor, "passages T"]
) -> tuple[Float[Tensor, " R"], Float[Tensor, "R points"]]:
    def of_one(parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        steps: LanguageSteps = functional_call(runs.model, (parameters, {}), (passages[:, :-1],))
        streams = [steps.transformer.x, *(block.y for block in steps.transformer.blocks)]
        means = torch.stack([offset(stream).mean() for stream in streams])
        return prediction_loss(steps, passages[:, 1:]), means

    with torch.no_grad():
        loss, means = vmap(of_one)(runs.parameters)
    return loss, means


def _outcomes(
    specification: Specification,
    losses: Float[Tensor, "steps R"],
    loss: Float[Tensor, " R"],
    offsets: Float[Tensor, "R points"],
) -> list[Outcome]:
    """Without warm-up, then with it."""
    s = specification
    cells = (2, len(s.rates), len(s.seeds))
    curve = losses.unflatten(0, (-1, s.every)).mean(1).T  # R,points
    return [
        Outcome(*(numbers(part.unflatten(0, cells)[which]) for part in (curve, loss, offsets)))
        for which in range(2)
    ]


def _by_frequency(
    codes: Int[Tensor, " all"], following: Int[Tensor, "passages T"]
) -> Float[Tensor, ""]:
    # One is added to every count, so that no character is impossible.
    counts = torch.bincount(codes, minlength=len(alphabet())) + 1.0
    return -(counts / counts.sum()).log()[following].mean()


def main() -> None:
    """Run from a command line."""
    parser = argparse.ArgumentParser(
        prog=WARMUP.command,
        description="Train language models with and without warm-up, Pre-LN and Post-LN.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="fewer rates, seeds and steps")
    parser.add_argument("--out", type=Path, default=WARMUP.path, help="where to write it")
    given = parser.parse_args()
    specification = QUICK if given.quick else Specification()
    found = compare(specification, on=device(), report=progress(specification.steps))
    given.out.write_text(found.to_json(), encoding="utf-8")
    print(f"Frequencies alone: {found.frequencies:.2f} nats a character.")
    for words, outcomes in (("without", found.without), ("with", found.warmed)):
        for key, outcome in outcomes.items():
            for rate, runs, failed in zip(
                specification.rates, outcome.loss, found.failed(outcome), strict=True
            ):
                print(
                    f"{PLACEMENTS[key].label:<8} {words:<7} warm-up, rate {rate:g}: "
                    f"{', '.join('diverged' if loss is None else f'{loss:.2f}' for loss in runs)}"
                    f" ({sum(failed)} of {len(runs)} failed)"
                )
    print(f"Written to {given.out}, {given.out.stat().st_size / 1000:.0f} kB.")


if __name__ == "__main__":
    main()
