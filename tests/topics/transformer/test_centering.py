"""Language models trained with and without centering, and the result that is shipped."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from lnviz.norms import CATALOGUE
from lnviz.results.arrays import ArrayDataset
from lnviz.topics.transformer import centering
from lnviz.topics.transformer.centering import CENTERING, at_random
from lnviz.topics.transformer.documentation import encode, text
from lnviz.topics.transformer.language import prediction_loss
from lnviz.topics.transformer.learners import PASSAGES
from lnviz.topics.transformer.rewrite import offset
from lnviz.training import sample_batches

SMALL = replace(CENTERING.default, **CENTERING.quick)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return centering.measure(SMALL, torch.device("cpu"), lambda label, step: None)


def test_offsets_are_shares_and_centering_is_exact_in_64_bits() -> None:
    offsets = CENTERING.result.tensor("offset", "norm", "step", "seed", "place")
    assert ((offsets >= 0) & (offsets <= 1)).all()
    exact = CENTERING.result.tensor("exact_change", "step", "seed", rewriting="centered")
    assert exact.max() < 1e-10


def test_places_are_named_by_the_sublayer_behind_them(found: ArrayDataset) -> None:
    assert found.labels("place") == (
        *("attention 1", "feed-forward 1", "attention 2", "feed-forward 2"),
        "read-out",
    )


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(
    found: ArrayDataset, norm: str
) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = SMALL.model(norm=CATALOGUE[norm])
    optimizer = torch.optim.Adam(model.parameters(), lr=SMALL.rate)
    codes = encode(text())
    cut = round(0.9 * len(codes))
    cases = cut - SMALL.context
    for (begins,) in sample_batches((4,), cases, steps=SMALL.steps, batch_size=SMALL.batch):
        passages = torch.stack([codes[begin : begin + SMALL.context + 1] for begin in begins])
        optimizer.zero_grad()
        prediction_loss(model(passages[:, :-1]), passages[:, 1:]).backward()
        optimizer.step()
    begins = torch.linspace(0, len(codes) - cut - SMALL.context - 1, PASSAGES).long()
    tests = codes[cut:][begins[:, None] + torch.arange(SMALL.context + 1)]
    with torch.no_grad():
        steps = model(tests[:, :-1])
    run = {"norm": norm, "seed": 4, "step": SMALL.steps}
    expected = prediction_loss(steps, tests[:, 1:])
    assert_close(found.tensor("loss", **run), expected, rtol=1e-3, atol=0)
    last = offset(steps.transformer.blocks[-1].y).mean()
    assert_close(found.tensor("offset", place="read-out", **run), last, rtol=1e-3, atol=0)


def test_a_loss_after_centering_is_taken_out_is_the_loss_before(found: ArrayDataset) -> None:
    assert_close(
        found.tensor("changed_loss", "step", "seed", rewriting="centered"),
        found.tensor("loss", "step", "seed", norm="layer"),
        rtol=1e-3,
        atol=0,
    )


@pytest.mark.slow
def test_a_random_direction_has_the_mean_that_is_said() -> None:
    for count, width in ((20_000, 12), (5_000, 4_096)):
        drawn = torch.randn(count, width, generator=torch.Generator().manual_seed(0))
        assert offset(drawn).mean().item() == pytest.approx(at_random(width), rel=0.02)
    assert at_random(4_096) < 0.013


def test_a_measurement_needs_batches_that_its_points_divide() -> None:
    with pytest.raises(ValueError, match=r"after every 3 batches, to the end; got 2 steps\. Use a"):
        replace(SMALL, every=3)
    with pytest.raises(ValueError, match=r"^steps must be 1 or more, got 0\.$"):
        replace(SMALL, steps=0)
    with pytest.raises(ValueError, match=r"^seeds must be 1 or more, got none\.$"):
        replace(SMALL, seeds=())
