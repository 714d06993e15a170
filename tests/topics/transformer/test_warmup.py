"""The language models trained with and without warm-up, and the result that is shipped."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.results.arrays import ArrayDataset
from lnviz.topics.transformer import warmup
from lnviz.topics.transformer.documentation import encode, text
from lnviz.topics.transformer.language import prediction_loss
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.warmup import WARMUP, find_failed
from lnviz.training import sample_batches

SMALL = replace(
    WARMUP.default,
    **{**WARMUP.quick, "steps": 6, "warm_up": 4, "rates": (0.001, 0.01, 1e30), "seeds": (1, 4)},
)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return warmup.compare(SMALL, torch.device("cpu"), lambda label, step: None)


def test_a_run_that_diverges_has_no_loss_and_has_failed(found: ArrayDataset) -> None:
    # At this rate the first step leaves numbers whose squares no float holds.
    losses = found.tensor("loss", "rate", "seed", placement="pre", warm_up="without")
    assert losses[2].isnan().all()
    assert find_failed(found)[found.index("placement", "pre"), 0, 2].all()
    assert losses[0].isfinite().all()


@pytest.mark.parametrize(("placement", "warmed"), [("post", True), ("pre", False)])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(
    found: ArrayDataset, placement: str, warmed: bool
) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = SMALL.model(PLACEMENTS[placement])
    optimizer = torch.optim.Adam(model.parameters())
    codes = encode(text())
    codes = codes[: round(0.9 * len(codes))]
    losses: list[Tensor] = []
    cases = len(codes) - SMALL.context
    for step, (begins,) in enumerate(
        sample_batches((4,), cases, steps=SMALL.steps, batch_size=SMALL.batch)
    ):
        passages = torch.stack([codes[begin : begin + SMALL.context + 1] for begin in begins])
        share = min(1.0, (step + 1) / SMALL.warm_up) if warmed else 1.0
        optimizer.param_groups[0]["lr"] = 0.01 * share
        loss = prediction_loss(model(passages[:, :-1]), passages[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    at = {"placement": placement, "warm_up": "with" if warmed else "without"}
    curve = found.tensor("curve", "step", rate=0.01, seed=4, **at)
    means = torch.stack(losses).unflatten(0, (-1, SMALL.every)).mean(-1)
    assert_close(curve, means, rtol=2e-3, atol=1e-3)


def test_frequencies_alone_cost_about_the_entropy_of_the_text(found: ArrayDataset) -> None:
    counts = torch.bincount(encode(text())).double()
    shares = counts[counts > 0] / counts.sum()
    frequencies = found.tensor("frequencies")
    assert_close(frequencies, -(shares * shares.log()).sum(), rtol=0, atol=0.15)
    assert frequencies < math.log(len(shares))


def test_a_comparison_needs_batches_that_its_losses_divide() -> None:
    with pytest.raises(ValueError, match=r"over every 7 batches, to the end; got 6 steps\. Use a"):
        replace(SMALL, every=7)
    with pytest.raises(ValueError, match=r"^warm_up must be 1 or more, got 0\.$"):
        replace(SMALL, warm_up=0)
